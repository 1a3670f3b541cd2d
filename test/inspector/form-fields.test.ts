// The fields of the generated form: what the page shows in them, and what it sends.

import { beforeAll, describe, expect, it } from 'vitest'
import { createHome } from '../e2e/gateway/home.ts'
import { fixtureServer } from '../e2e/gateway/servers.ts'
import { hasBrowser, openPage, untilKnown, useInspectedGateway } from './page.ts'

const tools = [
  {
    name: 'fields',
    inputSchema: {
      type: 'object',
      properties: {
        share: { type: 'number' },
        limit: {
          title: 'Limit',
          description: 'How much to return.',
          default: 7,
          anyOf: [
            { type: 'string', description: 'A size with its unit.' },
            { type: 'integer', title: 'Count' },
          ],
        },
      },
    },
  },
]

describe.skipIf(!hasBrowser)('fields of a form', () => {
  const home = createHome()
  const gateway = useInspectedGateway(() => {
    const file = home.write('tools.json', tools)
    return { home, config: { discovery: { servers: { forms: fixtureServer('tools-from-file', file) } } } }
  })
  beforeAll(async () => {
    if (hasBrowser) await untilKnown(gateway(), tools.length)
    return () => home.remove()
  })
  const open = async (tool: string) => {
    const { page, visit } = await openPage(gateway())
    await visit(`#/try/forms:${tool}`)
    await page.getByRole('heading', { name: 'Arguments' }).waitFor()
    const command = () => page.getByRole('region', { name: 'Copy as' }).locator('pre').innerText()
    return { page, command }
  }

  it.each(['1.05', '-0.50', '1e2'])(
    'the inspector keeps every digit of a number that the user types: %s',
    async (text) => {
      const { page, command } = await open('fields')
      const share = page.getByLabel('share number')
      await share.pressSequentially(text)
      await expect.poll(command).toContain(`"share":${Number(text)}}`)
      expect(await share.inputValue()).toBe(text)
    },
  )

  it('the inspector shows a default value with the variant that it fits', async () => {
    const { page } = await open('fields')
    expect(await page.getByLabel('Type of limit').inputValue()).toBe('1')
    expect(await page.getByLabel('Count integer').inputValue()).toBe('7')
  })

  it('the inspector shows the description of a value with variants once, and that of a variant with its own id', async () => {
    const { page } = await open('fields')
    await page.getByLabel('Type of limit').selectOption({ index: 0 })
    await page.getByText('A size with its unit.').waitFor()
    expect(await page.getByText('How much to return.').count()).toBe(1)
    const ids = await page.evaluate<string[]>(`[...document.querySelectorAll('form [id]')].map(({ id }) => id)`)
    expect(new Set(ids).size).toBe(ids.length)
    expect(await page.getByLabel('limit string').getAttribute('aria-describedby')).toBe('arg-variant-limit-help')
  })
})
