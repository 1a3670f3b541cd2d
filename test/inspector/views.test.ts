// Every view of the inspector with real servers: its content, its accessibility in both themes, and its keys.

import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { bundled, everything, missing } from '../e2e/gateway/servers.ts'
import { violationsOf } from './accessibility.ts'
import { hasBrowser, openPage, pageAddress, untilKnown, useInspectedGateway } from './page.ts'

const config = {
  discovery: {
    strategy: 'gateway',
    servers: { notes: bundled('notes'), tracker: bundled('tracker'), everything: everything(), broken: missing },
    toolRules: [
      { pattern: '*trash*', enabled: false },
      { pattern: 'empty-trash', server: 'notes' },
      { pattern: '*issue*', tags: ['daily'] },
      { pattern: '*' },
    ],
  },
}
const VIEWS = [
  '#/',
  '#/tools',
  '#/tools/tracker:issue-create',
  '#/search?q=create',
  '#/try',
  '#/try/tracker:issue-create',
  '#/calls',
  '#/config',
]

/** In pixels: a desktop, a tablet and a phone. The height of controls is measured at the last width. */
const WIDTHS = [1_440, 820, 390]
/** Further widths at which no view may be wider than the page. */
const WIDTHS_BETWEEN = [1_024, 720, 600, 560, 320]

/** Controls that are lower than 40 pixels. Links inside a text are as high as their line. */
const SMALL_TARGETS = `[...document.querySelectorAll('button, summary, select, input, textarea, a:is(nav *, .brand, .button, .back, .tool-row, .server-name *, .hit-head *)')]
  .map((element) => element.closest('label') ?? element)
  .filter((element) => element.checkVisibility() && !element.matches('.skip') && element.getBoundingClientRect().height < 40)
  .map((element) => element.outerHTML.slice(0, 100))`

/** The sum of all layout shifts so far. It waits for two frames, until the observer has the earlier entries. */
const LAYOUT_SHIFT = `new Promise((resolve) => {
  let sum = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) sum += entry.value
  }).observe({ type: 'layout-shift', buffered: true })
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)))
})`

describe.skipIf(!hasBrowser)('the inspector', () => {
  const gateway = useInspectedGateway(() => ({ config }))
  beforeAll(async () => {
    if (!hasBrowser) return
    await untilKnown(gateway(), 50)
    const client = await gateway().connect()
    await client.run({ tool: 'everything:echo', arguments: { message: 'hello' } })
    await client.run({ tool: 'everything:echo', arguments: {} })
  })

  it.each(VIEWS)(
    'the page is accessible at every width in both themes, and not wider than the screen: %s',
    async (view) => {
      const { page, visit } = await openPage(gateway())
      await visit(view)
      for (const width of WIDTHS_BETWEEN) {
        await page.setViewportSize({ width, height: 900 })
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      }
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          expect(await violationsOf(page), `${width} pixels, ${colorScheme}`).toEqual([])
        }
      }
      // Fingers need 40 pixels.
      expect(await page.evaluate(SMALL_TARGETS)).toEqual([])
    },
  )

  it('the inspector shows the saved tokens, the states of the servers, and the costs of the strategies', async () => {
    const { page } = await openPage(gateway())
    await page.getByRole('heading', { name: 'What a client pays for the tool list' }).waitFor()
    expect(await page.locator('.headline-figure').innerText()).toMatch(
      /^\d+(\.\d)?\s% less: each client saves [\d,]+ tokens$/,
    )
    const row = page.getByRole('row').filter({ hasText: 'tracker' })
    expect(await row.innerText()).toMatch(/connected|known/)
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'broken' }).innerText()).toMatch(/failed/)
    const costs = page.locator('.cost-table tbody tr')
    expect(await costs.count()).toBeGreaterThan(3)
    expect(await page.locator('.cost-table tr', { hasText: 'now' }).innerText()).toContain('gateway')
  })

  it('the inspector removes the token from the address', async () => {
    const { page } = await openPage(gateway())
    expect(page.url()).toBe(`${pageAddress(gateway())}#/`)
  })

  it('the inspector filters the catalog by text, server, tag and state, and opens the page of a tool', async () => {
    const { page, visit } = await openPage(gateway())
    await visit('#/tools')
    const rows = page.locator('.tool-row')
    await page.getByRole('searchbox').fill('issue create')
    await expect.poll(() => rows.first().innerText()).toContain('issue-create')
    await page.getByRole('searchbox').fill('')
    await page.getByLabel('Server').selectOption('everything')
    await expect.poll(() => page.locator('.tool-row:not(:has-text("everything"))').count()).toBe(0)
    expect(page.url()).toContain('server=everything')
    await page.getByLabel('Server').selectOption('')
    await page.getByLabel('State').selectOption('disabled')
    await expect.poll(() => rows.first().innerText()).toContain('trash')
    await page.getByLabel('State').selectOption('')
    await page.getByLabel('Tag', { exact: true }).selectOption('daily')
    await rows.filter({ hasText: 'issue-create' }).first().click()
    await page.getByRole('heading', { name: 'tracker:issue-create' }).waitFor()
    expect(await page.getByRole('region', { name: 'Parameters' }).innerText()).toContain('title')
    expect(await page.getByRole('complementary').innerText()).toMatch(/Definition\s+[\d,]+ tokens/)
  })

  it('the inspector reports that a tool does not exist', async () => {
    const { page, visit } = await openPage(gateway(), { expected: /404/ })
    await visit('#/tools/tracker:no-such-tool')
    expect(await page.getByRole('alert').innerText()).toContain('This tool cannot be shown.')
  })

  it('the inspector ranks tools with reasons, and shows what the model sees under the chosen strategies', async () => {
    const { page, visit } = await openPage(gateway())
    await visit('#/search')
    await page.getByRole('searchbox').fill('create an issue')
    const first = page.locator('.hit').first()
    await expect.poll(() => first.innerText()).toContain('tracker:issue-create')
    expect(await first.locator('.reasons li').first().innerText()).toMatch(/create|issue/)
    const answers = page.locator('.answer')
    await expect.poll(() => answers.count()).toBe(2)
    expect(await answers.first().innerText()).toMatch(/[\d,]+ tokens/)
    expect(await answers.first().locator('pre').last().innerText()).toContain('issue-create')
    await page.getByLabel('individual').check()
    await expect.poll(() => answers.count()).toBe(3)
    await page.getByRole('searchbox').fill('qqxxzz')
    await page.getByText('Nothing was found').waitFor()
  })

  it('the inspector searches for the question in the address when the user goes back in the history', async () => {
    const { page, visit } = await openPage(gateway())
    await visit('#/search')
    const field = page.getByRole('searchbox')
    await field.fill('create an issue')
    await page.waitForURL('**/#/search?q=create+an+issue')
    await page.getByRole('link', { name: 'Search', exact: true }).click()
    await page.getByText('Type a question').waitFor()
    expect(await field.inputValue()).toBe('')
    await page.goBack()
    await page.locator('.hit', { hasText: 'tracker:issue-create' }).first().waitFor()
    expect(await field.inputValue()).toBe('create an issue')
  })

  it('the inspector shows the tools of a gateway that answers more slowly than the page reloads', async () => {
    const { page, visit } = await openPage(gateway())
    // While the gateway counts tokens, the page reloads the overview and the tools each second.
    await page.route('**/api/overview', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), counting: ['individual'] } })
    })
    await page.route('**/api/tools', async (route) => {
      await setTimeout(2_500)
      await route.continue()
    })
    await visit('#/tools')
    await page.locator('.tool-row').first().waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('the inspector lists calls with their errors, filters them, and adds new ones as they happen', async () => {
    const { page, visit } = await openPage(gateway())
    await visit('#/calls')
    const rows = page.locator('tr.call')
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(2)
    await page.getByText('live', { exact: true }).waitFor()
    const client = await gateway().connect()
    await client.run({ tool: 'everything:get-sum', arguments: { a: 1, b: 2 } })
    await expect.poll(() => rows.first().innerText()).toContain('get-sum')
    await page.getByLabel('Outcome').selectOption('any error')
    await expect.poll(() => page.locator('tr.call:not(.is-error)').count()).toBe(0)
    expect(await rows.first().innerText()).toContain('VALIDATION_ERROR')
    await rows.first().getByRole('button').click()
    expect(await page.locator('.call-more').innerText()).toContain('everything:echo')
    await expect.poll(() => page.locator('.chart canvas').count()).toBe(3)
  })

  it('the inspector keeps a paused list of calls when the stream connects again, and counts the new calls', async () => {
    const { page, visit } = await openPage(gateway())
    // Each stream ends at once, so the page connects again and loads the list of calls again.
    let isSkipping = true
    await page.route('**/api/calls/stream', (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: isSkipping ? 'event: skipped\ndata: {}\n\n' : ': ping\n\n',
      }),
    )
    await visit('#/calls')
    const rows = page.locator('tr.call')
    await rows.first().waitFor()
    await page.getByText('some calls are left out').waitFor()
    const before = await rows.count()
    await page.getByRole('button', { name: 'Pause' }).click()
    isSkipping = false
    const client = await gateway().connect()
    await client.run({ tool: 'everything:echo', arguments: { message: 'while paused' } })
    await page.getByRole('button', { name: 'Resume (1 new)' }).waitFor()
    expect(await rows.count()).toBe(before)
    // The list was loaded again, so it is complete.
    await page.getByText('some calls are left out').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Resume/ }).click()
    await expect.poll(() => rows.count()).toBe(before + 1)
  })

  it('the inspector announces only errors that happen after the list of calls was loaded', async () => {
    const { page, visit } = await openPage(gateway())
    await visit('#/calls')
    await page.locator('tr.call.is-error').first().waitFor()
    await page.getByText('live', { exact: true }).waitFor()
    const announced = page.locator('.visually-hidden[role=status]')
    expect(await announced.textContent()).toBe('')
    const client = await gateway().connect()
    await client.run({ tool: 'everything:get-sum', arguments: {} })
    await expect.poll(() => announced.textContent()).toBe('everything:get-sum failed with VALIDATION_ERROR')
  })

  it('the inspector shows what the strategy saves over time, or how much more it costs', async () => {
    const { page, visit } = await openPage(gateway())
    const client = await gateway().connect()
    const summary = async () => {
      await visit('#/')
      await visit('#/calls')
      return page.locator('.chart', { hasText: 'Tokens saved' }).locator('.chart-summary').innerText()
    }
    // A search costs tokens, and a list costs less than the full list.
    await client.ask('search_tools', { query: 'create an issue' })
    await expect.poll(summary).toMatch(/^costs [\d,]+ tokens more$/)
    await client.list()
    await expect.poll(summary).toMatch(/^[\d,]+ tokens$/)
  })

  it('the inspector shows the rules with the tools that each decides, and tests a rule without writing it', async () => {
    const { page, visit } = await openPage(gateway())
    await visit('#/config')
    const rules = page.locator('.rules li')
    await expect.poll(() => rules.count()).toBe(4)
    expect(await rules.first().innerText()).toMatch(/disables[\s\S]*decides for \d+ of \d+ matching tools?/)
    expect(await rules.nth(1).innerText()).toContain('shadowed by rule 1')
    const before = gateway().home.lines('gateway.json')
    await page.getByLabel('Pattern').fill('issue-create')
    await page.getByRole('button', { name: 'Show what it changes' }).click()
    await page.getByText('1 tool would be disabled').waitFor()
    expect(await page.locator('.names').innerText()).toContain('tracker:issue-create')
    expect(gateway().home.lines('gateway.json')).toEqual(before)
  })

  it('the inspector can be used with the keyboard: skip link, search key, arrows in the list', async () => {
    const { page, visit } = await openPage(gateway())
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
    await visit('#/tools')
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.type')).toBe('search')
    const focused = () => page.evaluate(`document.activeElement.closest('li')?.getAttribute('aria-posinset')`)
    await page.locator('.tool-row').first().focus()
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toBe('2')
    await page.keyboard.press('End')
    const last = await page.locator('.rows li').first().getAttribute('aria-setsize')
    await expect.poll(focused).toBe(last)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Parameters' }).waitFor()
  })

  it('the inspector keeps the chosen theme', async () => {
    const { page } = await openPage(gateway(), { theme: 'light' })
    const colour = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    const light = await colour()
    await page.getByRole('button', { name: 'Theme: system' }).click()
    await page.getByRole('button', { name: 'Theme: light' }).click()
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor()
    expect(await colour()).not.toBe(light)
    await page.reload()
    await page.locator('h1').waitFor()
    expect(await colour()).not.toBe(light)
  })

  it('the inspector does not shift its layout while it loads', async () => {
    const { page, visit } = await openPage(gateway())
    for (const view of ['#/', '#/tools', '#/calls']) {
      await visit(view)
      const shift = await page.evaluate<number>(LAYOUT_SHIFT)
      expect(shift, view).toBeLessThan(0.1)
    }
  })
})
