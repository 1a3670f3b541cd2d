// The inspector with 10,000 tools: it draws few of them, and typing stays fast.

import { beforeAll, describe, expect, it } from 'vitest'
import { createHome } from '../e2e/gateway/home.ts'
import { fixtureServer } from '../e2e/gateway/servers.ts'
import { hasBrowser, openPage, untilKnown, useInspectedGateway } from './page.ts'

const COUNT = 10_000
/** A key press may block the page for this long. */
const MAX_BLOCK_MS = 100
/** One of at most this many tries must stay within the limit. On a busy machine the page waits for the processor. */
const TRIES = 4

const words = ['issue', 'invoice', 'branch', 'calendar', 'ticket', 'customer', 'report', 'message', 'folder', 'deploy']
const verbs = ['create', 'list', 'update', 'remove', 'export', 'merge', 'assign', 'archive', 'rename', 'search']

const tools = Array.from({ length: COUNT - 1 }, (_, at) => {
  const [verb, word] = [verbs[at % 10], words[Math.floor(at / 10) % 10]]
  return {
    name: `${verb}_${word}_${at}`,
    description: `Lets you ${verb} the ${word} number ${at}. It needs the id of the ${word} and checks your rights first.`,
    inputSchema: { type: 'object', properties: { id: { type: 'string', description: `The id of the ${word}.` } } },
  }
})

describe.skipIf(!hasBrowser)('the inspector with 10,000 tools', () => {
  const home = createHome()
  const gateway = useInspectedGateway(() => {
    const file = home.write('tools.json', tools)
    return { home, config: { discovery: { servers: { many: fixtureServer('tools-from-file', file) } } } }
  })
  beforeAll(async () => {
    if (hasBrowser) await untilKnown(gateway(), COUNT)
    return () => home.remove()
  })

  it('the inspector draws only the rows near the visible part, and reaches the last one', async () => {
    const { page, visit } = await openPage(gateway())
    await visit('#/tools')
    await page.getByText('10,000 tools').waitFor()
    const drawn = () => page.locator('.rows li').count()
    expect(await drawn()).toBeLessThan(60)
    await page.locator('.tool-row').first().focus()
    await page.keyboard.press('End')
    await page.locator('[aria-posinset="10000"]').waitFor()
    expect(await drawn()).toBeLessThan(60)
  })

  it('the inspector does not block for more than 100 ms while the user types into the filter', async () => {
    const { page, visit } = await openPage(gateway())
    await visit('#/tools')
    await page.getByText('10,000 tools').waitFor()
    const field = page.getByRole('searchbox')
    let longest = Number.POSITIVE_INFINITY
    for (let round = 0; round < TRIES && longest > MAX_BLOCK_MS; round++) {
      await field.fill('')
      await page.evaluate(`{
        globalThis.longTasks = []
        globalThis.watcher?.disconnect()
        globalThis.watcher = new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((entry) => entry.duration)))
        watcher.observe({ type: 'longtask' })
      }`)
      await field.pressSequentially('assign customer 99', { delay: 20 })
      await expect.poll(() => page.locator('.tool-row').first().innerText()).toContain('assign_customer')
      await field.press('Control+A')
      await field.press('Backspace')
      await page.getByText('10,000 tools').waitFor()
      longest = await page.evaluate<number>('Math.max(0, ...longTasks)')
    }
    expect(longest).toBeLessThanOrEqual(MAX_BLOCK_MS)
    // The same measurement sees a page that blocks.
    await page.evaluate(
      'void setTimeout(() => { const end = performance.now() + 150; while (performance.now() < end); })',
    )
    await expect.poll(() => page.evaluate<number>('Math.max(0, ...longTasks)')).toBeGreaterThan(MAX_BLOCK_MS)
  })

  it('the inspector finds a tool in the search and in the list of tools to try', async () => {
    const { page, visit } = await openPage(gateway())
    await visit('#/try')
    await page.getByRole('combobox', { name: 'Tool' }).fill('archive_folder_87')
    await expect.poll(() => page.getByRole('option').first().innerText()).toContain('many:archive_folder_87')
    await visit('#/search?q=merge%20the%20branch')
    await expect.poll(() => page.locator('.hit').first().innerText()).toMatch(/merge_branch/)
  })
})
