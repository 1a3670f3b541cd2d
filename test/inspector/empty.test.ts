// The inspector of a gateway without servers.

import { describe, expect, it } from 'vitest'
import { hasBrowser, openPage, useInspectedGateway } from './page.ts'

describe.skipIf(!hasBrowser)('the inspector without servers', () => {
  const gateway = useInspectedGateway(() => ({ config: { discovery: { servers: {} } } }))

  it('the inspector without servers shows no costs, and the commands that add a server', async () => {
    const { page } = await openPage(gateway())
    await page.getByText('There is no tool to list').waitFor()
    expect(await page.locator('.cost-table').count()).toBe(0)
    expect(await page.getByRole('region', { name: 'Servers' }).innerText()).toContain('toolcrib add NAME -- COMMAND')
  })

  it('the inspector without servers says that there is no tool to try', async () => {
    const { page, visit } = await openPage(gateway())
    await visit('#/try')
    await page.getByText('There is no enabled tool.').waitFor()
  })
})
