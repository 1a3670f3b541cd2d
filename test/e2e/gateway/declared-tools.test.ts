// Tools that a config declares without a schema: their parameters are unknown until their server has listed them.

import { describe, expect, it } from 'vitest'
import { run } from '../cli/harness.ts'
import { gatewayForTest } from './harness.ts'
import { homeForTest } from './home.ts'
import { fixtureServer, missing } from './servers.ts'

const tools = [{ name: 'add', description: 'Adds two numbers.' }]
const configOf = (entry: object, strategy = 'gateway') => ({
  discovery: { strategy, listWaitMs: 30_000, servers: { sums: { ...entry, tools } } },
})
const declared = (strategy?: string) => configOf(fixtureServer('changing-list'), strategy)
const wrong = { first: 1 }

describe('a tool that a config declares without a schema', () => {
  it('a search finds a declared tool, shows no signature, and does not start its server', async () => {
    const gateway = await gatewayForTest({ config: declared() })
    const { ask } = await gateway.connect()
    const { results } = await ask('search_tools', { query: 'adds numbers' })
    expect(results).toEqual([
      { server: 'sums', tool: 'add', summary: 'Adds two numbers.', relevance: expect.any(Number) },
    ])
    expect(await ask('list_mcp_servers')).toMatchObject({ servers: [{ state: 'known', toolCount: 1 }] })
    // A request for details starts the server.
    expect(await ask('get_tool_details', { tool: 'sums:add' })).toMatchObject({
      parameters: [
        { name: 'a', required: true },
        { name: 'b', required: true },
      ],
    })
    expect(await ask('list_mcp_servers')).toMatchObject({ servers: [{ state: 'connected', toolCount: 2 }] })
  })

  it.each([
    ['gateway', 'execute_tool', { server: 'sums', tool: 'add', arguments: wrong }],
    ['gateway', 'add', wrong],
    ['individual', 'add', wrong],
    ['lazy', 'afd-call', { command: 'add', input: wrong }],
    ['grouped', 'add', { action: 'add', params: wrong }],
  ])(
    'the gateway checks the first call of a declared tool under %s by %s against the real schema',
    async (strategy, name, args) => {
      const gateway = await gatewayForTest({ config: declared(strategy) })
      const { client } = await gateway.connect()
      const { content, isError } = await client.callTool({ name, arguments: args })
      expect(isError).toBe(true)
      const text = JSON.stringify(content)
      expect(text).toContain('VALIDATION_ERROR')
      expect(text).toContain("Required field 'a' is missing")
    },
  )

  it.each([
    ['categories', 'get_tool_schema', { toolName: 'add' }],
    ['capabilities', 'crib_tool_schema', { tool: 'add' }],
    ['lazy', 'afd-detail', { command: 'add' }],
  ])('the gateway shows the real schema of a declared tool under %s in %s', async (strategy, name, args) => {
    const { discovery } = declared(strategy)
    const strategyOptions = strategy === 'capabilities' ? { prefix: 'crib' } : {}
    const gateway = await gatewayForTest({ config: { discovery: { ...discovery, strategyOptions } } })
    const { client } = await gateway.connect()
    const { content } = await client.callTool({ name, arguments: args })
    expect(JSON.stringify(content)).toContain('required')
  })

  it('the gateway gives the reason instead of details if the server of a declared tool cannot be started', async () => {
    const gateway = await gatewayForTest({ config: configOf(missing) })
    const { ask } = await gateway.connect()
    expect(await ask('get_tool_details', { tool: 'add' })).toMatchObject({
      error: {
        code: 'SERVER_UNAVAILABLE',
        server: 'sums',
        tool: 'add',
        message: expect.stringMatching(/not found.*so the parameters of 'add' are not known/),
      },
    })
  })

  it('the command line inspects and executes a declared tool with its real schema', async () => {
    const home = homeForTest()
    home.write('gateway.json', declared())
    const cli = (...args: readonly string[]) =>
      run({ cwd: home.path, env: home.env }, [...args, '--json', '--config', home.config])
    const found = JSON.parse((await cli('search', 'adds numbers')).stdout)
    expect(found.results[0]).not.toHaveProperty('signature')
    expect(JSON.parse((await cli('inspect', 'sums:add')).stdout)).toMatchObject({ parameters: [{ name: 'a' }, {}] })
    expect(JSON.parse((await cli('execute', 'sums', 'add', 'a=1', 'b=2')).stdout)).toMatchObject({ result: { sum: 3 } })
  })
})
