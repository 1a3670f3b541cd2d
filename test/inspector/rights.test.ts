// The inspector under several tokens: a wrong one, two people with different rights, one that only reads, and none.

import { beforeAll, describe, expect, it } from 'vitest'
import { gatewayForTest } from '../e2e/gateway/harness.ts'
import { createHome, homeForTest } from '../e2e/gateway/home.ts'
import { bundled } from '../e2e/gateway/servers.ts'
import { addToken } from '../team/tokens.ts'
import { violationsOf } from './accessibility.ts'
import { hasBrowser, openPage, pageAddress, untilKnown, useInspectedGateway } from './page.ts'

const config = { discovery: { servers: { notes: bundled('notes'), tracker: bundled('tracker') } } }

describe.skipIf(!hasBrowser)('the inspector and its tokens', () => {
  const home = createHome()
  const tokens = { alice: '', bob: '', carol: '', reader: '' }
  const gateway = useInspectedGateway(() => {
    home.write('gateway.json', config)
    tokens.alice = addToken(home, 'alice', '--servers', 'notes')
    tokens.bob = addToken(home, 'bob', '--servers', 'tracker')
    tokens.carol = addToken(home, 'carol', '--servers', 'other')
    tokens.reader = addToken(home, 'reader', '--read-only')
    return { home, args: ['serve', '--http', '--port', '0', '--config', home.config] }
  })
  beforeAll(async () => {
    if (hasBrowser) await untilKnown(gateway(), 20)
    return () => home.remove()
  })

  it('the inspector reports a wrong token, and lets the user enter another one', async () => {
    const { page } = await openPage(gateway(), { token: 'wrong-token-wrong-token-wrong-token', expected: /401/ })
    await page.getByRole('heading', { name: 'The gateway does not accept this token' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByLabel('Token').fill(gateway().token ?? '')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  it('the inspector asks for a token if the address has none, and forgets it after a log out', async () => {
    const { page } = await openPage(gateway(), { token: null, expected: /401/ })
    await page.getByRole('heading', { name: 'Log in to the gateway' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByLabel('Token').fill(gateway().token ?? '')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('heading', { name: 'Log in to the gateway' }).waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
  })

  it.each([
    ['alice', 'notes', 'tracker'],
    ['bob', 'tracker', 'notes'],
  ] as const)('the inspector shows %s only the tools of %s, and no config', async (name, own, other) => {
    const { page, visit } = await openPage(gateway(), { token: tokens[name] })
    expect(await page.locator('.caller').innerText()).toContain(name)
    expect(await page.getByRole('table').last().innerText()).not.toContain(other)
    expect(await page.getByRole('link', { name: 'Config' }).count()).toBe(0)
    await visit('#/tools')
    await page.locator('.tool-row').first().waitFor()
    expect(await page.locator('.tool-row').first().innerText()).toContain(`${own}:`)
    expect(await page.locator('body').innerText()).not.toContain(`${other}:`)
    await visit('#/config')
    await page.getByText('You have no access to the config').waitFor()
  })

  it('the inspector tells a token without a right to any server whom to ask', async () => {
    const { page } = await openPage(gateway(), { token: tokens.carol })
    await page.getByText('No server is available to you').waitFor()
    expect(await page.getByRole('region', { name: 'Servers' }).innerText()).not.toContain('toolcrib')
  })

  it('the inspector shows the same error for a tool that the token may not use as for a tool that does not exist', async () => {
    const { page, visit } = await openPage(gateway(), { token: tokens.alice, expected: /404/ })
    await visit('#/tools/tracker:issue-create')
    const foreign = await page.getByRole('alert').innerText()
    await visit('#/tools/tracker:no-such-thing')
    expect((await page.getByRole('alert').innerText()).replaceAll('no-such-thing', 'issue-create')).toBe(foreign)
  })

  it('the inspector shows only read-only tools to a token that may only read', async () => {
    const { page, visit } = await openPage(gateway(), { token: tokens.reader })
    await visit('#/tools')
    await page.locator('.tool-row').first().waitFor()
    expect(await page.locator('.tool-row:not(:has-text("read only"))').count()).toBe(0)
    await page.getByRole('searchbox').fill('issue-create')
    await page.getByText('No tool matches these filters').waitFor()
  })

  it('the inspector needs no token with --no-auth, works below a base path, and runs no tool if http.inspector is read-only', async () => {
    const args = ['serve', '--http', '--port', '0', '--no-auth', '--config']
    const own = homeForTest()
    own.write('gateway.json', { ...config, http: { basePath: '/tools', inspector: 'read-only' } })
    const open = await gatewayForTest({ home: own, door: 'http', args: [...args, own.config] })
    expect(pageAddress(open)).toMatch(/\/tools\/$/)
    const { page, visit } = await openPage(open, { token: null })
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await page.getByRole('button', { name: 'Log out' }).count()).toBe(0)
    await untilKnown(open, 20)
    await visit('#/try/tracker:issue-create')
    await page.getByText('This page cannot run tools').waitFor()
    expect(await page.getByRole('button', { name: 'Run', exact: true }).count()).toBe(0)
  })
})
