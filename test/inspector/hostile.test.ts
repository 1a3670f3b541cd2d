// A server with texts that try to inject: markup, scripts, links, styles, and characters that turn the text around.

import { beforeAll, describe, expect, it } from 'vitest'
import { createHome } from '../e2e/gateway/home.ts'
import { fixtureServer } from '../e2e/gateway/servers.ts'
import { hasBrowser, openPage, untilKnown, useInspectedGateway } from './page.ts'

const config = { discovery: { servers: { injects: fixtureServer('injects') } } }
const VIEWS = [
  '#/',
  '#/tools',
  '#/tools/injects:plain',
  '#/search?q=plain',
  '#/try/injects:plain',
  '#/calls',
  '#/config',
]

/** Elements and properties that only an injection can make. */
const INJECTED = `({
  ran: globalThis.injected === true,
  elements: document.querySelectorAll('#app :is(script, iframe, style, object, embed, marquee, base, form[action], [onerror], [onclick], [style*="url"])').length,
  links: [...document.querySelectorAll('a')].map((a) => a.href).filter((href) => !/^https?:/.test(href)),
  foreign: [...document.querySelectorAll('#app img')].map((img) => img.src).filter((src) => !src.startsWith(location.origin) && !src.startsWith('data:image/')),
})`
const CLEAN = { ran: false, elements: 0, links: [], foreign: [] }

describe.skipIf(!hasBrowser)('a hostile server', () => {
  const gateway = useInspectedGateway(() => ({ config }))
  beforeAll(async () => {
    if (hasBrowser) await untilKnown(gateway(), 4)
  })

  it('a hostile server does not get markup, scripts or links into any view', async () => {
    const { page, visit } = await openPage(gateway())
    for (const view of VIEWS) {
      await visit(view)
      expect(await page.evaluate(INJECTED), view).toEqual(CLEAN)
    }
    await visit('#/tools/injects:plain')
    expect(await page.getByRole('region', { name: 'Description' }).innerText()).toContain('<script>')
  })

  it('a hostile server does not get markup, scripts or links into a result', async () => {
    const { page, visit } = await openPage(gateway())
    await visit('#/try/injects:plain')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const result = page.getByRole('region', { name: /^Result/ })
    await expect.poll(() => result.innerText()).toContain('<img src=x')
    expect(await page.evaluate(INJECTED)).toEqual(CLEAN)
    // A link that is not http is shown as text.
    expect(await result.getByText('javascript:').count()).toBeGreaterThan(0)
    expect(await result.getByRole('link', { name: /javascript/ }).count()).toBe(0)
    // Characters that turn the text around are shown by their numbers.
    expect(await result.innerText()).toContain('U+202E')
  })

  it('a hostile server does not get markup, scripts or links into a question', async () => {
    const { page, visit } = await openPage(gateway())
    await visit('#/try/injects:asks')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('heading', { name: 'The server asks' }).waitFor()
    expect(await page.evaluate(INJECTED)).toEqual(CLEAN)
    expect(await page.locator('.question').innerText()).toContain('[server "injects"]')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('heading', { name: 'Cancelled' }).waitFor()
  })

  it('the policy of the page refuses to run a script that is added to the page', async () => {
    const { page } = await openPage(gateway(), { expected: /Content Security Policy|Refused to|404/ })
    await page.evaluate(`{
      const script = document.createElement('script')
      script.textContent = 'globalThis.injected = true'
      document.body.append(script)
      const image = document.createElement('div')
      image.innerHTML = '<img src=x onerror="globalThis.injected = true"><p style="color: red">x</p>'
      document.body.append(image)
    }`)
    await expect.poll(() => page.evaluate(`document.querySelector('img[src=x]').complete`)).toBe(true)
    expect(await page.evaluate('globalThis.injected === true')).toBe(false)
  })
})

/** Schemas that a reader can follow without end, or that it cannot read. */
const endless = {
  json: { properties: { any: { $ref: '#/$defs/json' } } },
  lists: { properties: { list: { $ref: '#/$defs/lists' } } },
  whole: { allOf: [{ $ref: '#' }, { $ref: '#' }] },
  single: { properties: { one: { $ref: '#/$defs/single' } } },
  tree: { properties: { left: { $ref: '#' }, right: { $ref: '#' } } },
  bush: { properties: Object.fromEntries([...'abcdefghijkl'].map((name) => [name, { $ref: '#' }])) },
  broken: { properties: { broken: { $ref: '#/%' } } },
}
const $defs = {
  json: { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/$defs/json' } }] },
  lists: { type: 'array', items: { $ref: '#/$defs/lists' } },
  single: { anyOf: [{ $ref: '#/$defs/single' }] },
}

describe.skipIf(!hasBrowser)('a server with schemas that refer to themselves', () => {
  const home = createHome()
  const gateway = useInspectedGateway(() => {
    const tools = Object.entries(endless).map(([name, schema]) => ({
      name,
      description: 'Has a schema that is hard to read.',
      inputSchema: { type: 'object', ...schema, $defs },
    }))
    const open = {
      name: 'open',
      description: 'Accepts any field.',
      inputSchema: { type: 'object', additionalProperties: true },
    }
    const file = home.write('tools.json', [...tools, open])
    return { home, config: { discovery: { servers: { hard: fixtureServer('tools-from-file', file) } } } }
  })
  beforeAll(async () => {
    if (hasBrowser) await untilKnown(gateway(), Object.keys(endless).length + 1)
    return () => home.remove()
  })

  it.each(Object.keys(endless))(
    'the inspector shows the table and the form of a schema that is hard to read: %s',
    async (name) => {
      const { page, visit } = await openPage(gateway())
      await visit(`#/tools/hard:${name}`)
      await page.getByRole('heading', { name: 'Parameters' }).waitFor()
      await visit(`#/try/hard:${name}`)
      await page.getByRole('heading', { name: 'Arguments' }).waitFor()
      expect(await page.getByRole('button', { name: 'Run', exact: true }).count()).toBe(1)
    },
  )

  it('the inspector offers the JSON editor for a tool that accepts any field, and sends only objects', async () => {
    const { page, visit } = await openPage(gateway())
    await visit('#/tools/hard:open')
    await page.getByText('The parameters do not fit into a table.').waitFor()
    await visit('#/try/hard:open')
    const editor = page.getByLabel('Arguments as JSON')
    await editor.fill('[1]')
    await page.getByText('This is JSON, but not an object.').waitFor()
    const run = page.getByRole('button', { name: 'Run', exact: true })
    expect(await run.isDisabled()).toBe(true)
    await editor.fill('{"anything": 1}')
    expect(await run.isDisabled()).toBe(false)
  })
})
