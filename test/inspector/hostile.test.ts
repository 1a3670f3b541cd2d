// A server with texts that try to inject: markup, scripts, links, styles, and characters that turn the text around.

import { beforeAll, describe, expect, it } from 'vitest'
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
