// Servers with colons in their names: every path accepts `server:tool` and uses the longest server name that matches.

import { describe, expect, it } from 'vitest'
import { run } from '../cli/harness.ts'
import { gatewayForTest } from './harness.ts'
import { fixtureServer } from './servers.ts'

describe('a server with colons in its name', () => {
  it('a server with colons in its name can be called as server:tool on every path', async () => {
    const servers = { plugin: fixtureServer('notes', 'diary'), 'plugin:hub:eu': fixtureServer('changing-list') }
    const gateway = await gatewayForTest({ config: { discovery: { listWaitMs: 30_000, servers } } })
    const { ask, run: execute, client } = await gateway.connect()
    const tool = 'plugin:hub:eu:add'
    const args = { a: 1, b: 2 }
    expect(await ask('get_tool_details', { tool })).toMatchObject({ server: 'plugin:hub:eu', tool: 'add' })
    for (const call of [
      execute({ tool, arguments: args }),
      execute({ server: 'plugin:hub:eu', tool, arguments: args }),
      client.callTool({ name: tool, arguments: args }),
    ]) {
      expect(await call).toMatchObject({ content: [{ text: '{"sum":3}' }] })
    }
    expect(await ask('execute_tool', { tool: 'plugin:hub:eu:nothing' })).toMatchObject({
      error: { code: 'TOOL_NOT_FOUND', message: "Server 'plugin:hub:eu' has no tool 'nothing'" },
    })
    const attempts = () => gateway.home.lines('state/toolcrib/audit.jsonl').map((line) => JSON.parse(line))
    const named = { server: 'plugin:hub:eu', tool: 'add' }
    await expect
      .poll(() => attempts().filter(({ server }) => server !== undefined))
      .toMatchObject([named, named, named, { ...named, tool: 'nothing' }])

    const home = { cwd: gateway.home.path, env: gateway.home.env }
    const inspected = await run(home, ['inspect', tool, '--json', '--config', gateway.home.config])
    expect(JSON.parse(inspected.stdout)).toMatchObject(named)
    const executed = await run(home, ['execute', tool, 'a=1', 'b=2', '--json', '--config', gateway.home.config])
    expect(JSON.parse(executed.stdout)).toEqual({ success: true, result: { sum: 3 } })
  })
})
