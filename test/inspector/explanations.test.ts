// The explanations on the page: the servers of the demo, the states of servers, and the rule of a tool.

import { describe, expect, it } from 'vitest'
import { missing } from '../e2e/gateway/servers.ts'
import { hasBrowser, openPage, untilKnown, useInspectedGateway } from './page.ts'

const LIMITED = 'limited-0123456789abcdef'
const ADMIN = 'admin-0123456789abcdef'

describe.skipIf(!hasBrowser)('the inspector of the demo', () => {
  const gateway = useInspectedGateway(() => ({ args: ['serve', '--http', '--port', '0', '--demo'] }))

  it('the inspector of the demo offers no command line for the example servers, which other commands do not know', async () => {
    await untilKnown(gateway(), 40)
    const { page, visit } = await openPage(gateway())
    await visit('#/try/tracker:issue-create')
    const copy = page.getByRole('region', { name: 'Copy as' })
    await copy.getByText('The example servers run only inside this demo').waitFor()
    expect(await copy.innerText()).not.toContain('toolcrib execute')
    await copy.getByRole('radio', { name: 'JSON-RPC' }).check()
    await expect.poll(() => copy.innerText()).toContain('"tools/call"')
  })
})

describe.skipIf(!hasBrowser)('the explanations of the inspector', () => {
  const servers = { saved: { ...missing, tools: [{ name: 'look' }] } }
  const tokens = { admin: ADMIN, limited: { token: LIMITED, servers: ['saved'] } }
  const gateway = useInspectedGateway(() => ({ config: { http: { tokens }, discovery: { servers } } }))

  it('the inspector explains the state `known`', async () => {
    const { page } = await openPage(gateway(), { token: ADMIN })
    const row = page.getByRole('row', { name: /saved/ })
    expect(await row.innerText()).toMatch(
      /known[\s\S]*Not connected\. Its tools are known, and the next call connects to it\./,
    )
  })

  it.each([
    ['all rights', ADMIN, 'No rule decides this.'],
    ['limited rights', LIMITED, 'Your token does not show the rules.'],
  ])('the inspector says to a caller with %s why a tool has no rule', async (_, token, reason) => {
    const { page, visit } = await openPage(gateway(), { token })
    await visit('#/tools/saved:look')
    const rule = page.getByRole('region', { name: 'Rule' })
    expect(await rule.innerText()).toContain(`The tool is enabled. ${reason}`)
    for (const other of ['No rule', 'Your token'].filter((text) => !reason.startsWith(text)))
      expect(await rule.innerText()).not.toContain(other)
  })
})
