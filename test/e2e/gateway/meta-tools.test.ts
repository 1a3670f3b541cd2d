// list_mcp_servers, search_tools, list_tools and get_tool_details, in front of real servers.

import { describe, expect, it } from 'vitest'
import { loadTokenCounter } from '../../../src/core/tokens.ts'
import { combinations, covers, OVER, useClient, useEveryClient, useGateway } from './harness.ts'
import { useHome } from './home.ts'
import { everything, filesystem, fixtureServer, memory, missing } from './servers.ts'

const FIVE = ['list_mcp_servers', 'search_tools', 'list_tools', 'get_tool_details', 'execute_tool']

// All gateways share one home: the first lists the servers, the others read the cache.
const home = useHome()
const config = {
  discovery: {
    listWaitMs: 30_000,
    servers: {
      everything: everything(),
      filesystem: { ...filesystem(home.path), description: 'File system operations. Below one folder.' },
      memory: memory(home.at('memory.jsonl')),
      missing,
    },
  },
}

const { clientOf } = useEveryClient({ config, home })

describe.each(combinations)(OVER, (combination) => {
  const client = () => clientOf(combination)

  it('the gateway lists exactly the five meta-tools, without schemas of the servers', async () => {
    covers('MT-1', 'MT-2', 'MT-3')
    const tools = await client().list()
    expect(tools.map(({ name }) => name)).toEqual(FIVE)
    const text = JSON.stringify(tools)
    expect(text).not.toMatch(/read_text_file|get-sum|create_entities/)
    expect((await loadTokenCounter())(text)).toBeLessThan(600)
  })

  it('list_mcp_servers lists every server with its name, description, number of tools, status and state', async () => {
    covers('SV-1', 'SV-2', 'FT-2')
    await client().ask('search_tools', { query: 'anything' })
    const { servers, total } = await client().ask('list_mcp_servers')
    expect(total).toBe(4)
    const state = expect.stringMatching(/^(known|connected)$/)
    expect(servers).toEqual([
      { name: 'everything', description: expect.any(String), toolCount: 16, status: 'connected', state },
      { name: 'filesystem', description: 'File system operations', toolCount: 14, status: 'connected', state },
      { name: 'memory', toolCount: 9, status: 'connected', state },
      {
        name: 'missing',
        status: 'disconnected',
        state: 'failed',
        reason: expect.stringContaining('no-such-program-anywhere'),
      },
    ])
  })

  it('search_tools finds a tool on any server by what it does', async () => {
    covers('SE-1', 'SE-2', 'SE-5')
    const found = async (query: string) => {
      const { results } = await client().ask('search_tools', { query })
      return results as { server: string; tool: string; relevance: number }[] // checked below
    }
    const files = await found('read file')
    expect(files[0]).toEqual({
      server: 'filesystem',
      tool: expect.stringMatching(/^read_(text_)?file$/),
      summary: expect.stringContaining('contents of a file'),
      relevance: expect.any(Number),
      signature: expect.any(String),
    })
    const scores = files.map(({ relevance }) => relevance)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true)
    expect((await found('create entities in the knowledge graph'))[0]).toMatchObject({ tool: 'create_entities' })
    expect((await found('sum of two numbers'))[0]).toMatchObject({ server: 'everything', tool: 'get-sum' })
  })

  it('list_tools lists the tools of one server, each with a summary', async () => {
    covers('LT-1')
    const { server, tools, total, hasMore } = await client().ask('list_tools', { server: 'memory' })
    expect({ server, total, hasMore }).toEqual({ server: 'memory', total: 9, hasMore: false })
    expect(tools).toHaveLength(9)
    expect(tools).toContainEqual({
      name: 'read_graph',
      summary: 'Read the entire knowledge graph',
      enabled: true,
    })
  })

  it('get_tool_details describes a tool with everything that a call needs', async () => {
    covers('TD-1')
    expect(await client().ask('get_tool_details', { server: 'everything', tool: 'get-sum' })).toEqual({
      server: 'everything',
      tool: 'get-sum',
      hash: expect.stringMatching(/^\w{6}$/),
      description: 'Returns the sum of two numbers',
      parameters: [
        { name: 'a', type: 'number', description: 'First number', required: true },
        { name: 'b', type: 'number', description: 'Second number', required: true },
      ],
    })
  })

  it('the gateway suggests existing names for unknown servers and tools', async () => {
    covers('FT-13', 'XT-3')
    const server = await client().ask('list_tools', { server: 'filesytem' })
    expect(server).toMatchObject({ success: false, error: { code: 'SERVER_NOT_FOUND' } })
    expect(JSON.stringify(server)).toContain("Did you mean 'filesystem'?")
    const tool = await client().ask('get_tool_details', { server: 'memory', tool: 'read_grph' })
    expect(tool).toMatchObject({ success: false, error: { code: 'TOOL_NOT_FOUND' } })
    expect(JSON.stringify(tool)).toContain('read_graph')
  })
})

describe('pages', () => {
  const { client } = useClient({
    config: {
      discovery: {
        servers: Object.fromEntries([
          ...Array.from({ length: 33 }, (_, at) => [
            `shelf-${String(at).padStart(2, '0')}`,
            {
              ...missing,
              description: `Shelf ${at}.`,
              tools: [{ name: `take-${at}`, description: `Take from ${at}.` }],
            },
          ]),
          ['store', { ...missing, tools: Array.from({ length: 60 }, (_, at) => ({ name: `item-${at}` })) }],
        ]),
      },
    },
  })

  it('list_mcp_servers returns 20 servers per page, and only matching servers with `search`', async () => {
    covers('FT-1')
    const first = await client().ask('list_mcp_servers')
    expect(first.servers).toHaveLength(20)
    expect(first).toMatchObject({ total: 34, hasMore: true })
    const rest = await client().ask('list_mcp_servers', { offset: 20 })
    expect(rest.servers).toHaveLength(14)
    expect(rest).not.toHaveProperty('hasMore')
    expect(await client().ask('list_mcp_servers', { limit: 3 })).toMatchObject({ servers: [{}, {}, {}], total: 34 })
    expect(await client().ask('list_mcp_servers', { search: 'shelf 17' })).toMatchObject({
      servers: [{ name: 'shelf-17' }],
      total: 1,
    })
    expect(await client().ask('list_mcp_servers', { search: 'nowhere' })).toMatchObject({
      servers: [],
      reason: expect.stringContaining('34'),
    })
  })

  it('list_tools returns 25 tools per page, and all pages together are the whole list', async () => {
    covers('FT-3')
    const first = await client().ask('list_tools', { server: 'store' })
    expect(first.tools).toHaveLength(25)
    expect(first).toMatchObject({ total: 60, hasMore: true })
    const names: string[] = []
    for (let offset = 0; offset < 60; offset += 20) {
      const { tools, hasMore } = await client().ask('list_tools', { server: 'store', limit: 20, offset })
      names.push(...(tools as { name: string }[]).map(({ name }) => name)) // the answer of list_tools
      expect(hasMore).toBe(offset < 40)
    }
    expect(names).toEqual(Array.from({ length: 60 }, (_, at) => `item-${at}`))
  })

  it('search_tools returns at most 10 hits by default', async () => {
    covers('SE-4')
    const count = async (args: object) => ((await client().ask('search_tools', { ...args })).results as []).length
    expect(await count({ query: '*item-*' })).toBe(10)
    expect(await count({ query: '*item-*', limit: 42 })).toBe(42)
    expect(await count({ query: 'item', limit: 3 })).toBe(3)
    expect(await count({ query: 'item' })).toBeLessThanOrEqual(10)
    expect(await client().ask('search_tools', { query: '*item-*' })).toMatchObject({ total: 60 })
  })

  it('list_tools refuses an invalid number and names the parameter', async () => {
    covers('FT-3')
    for (const args of [{ limit: 0 }, { limit: 'many' }, { offset: -1 }]) {
      const refused = await client().ask('list_tools', { server: 'store', ...args })
      expect(refused).toMatchObject({ success: false, error: { code: 'VALIDATION_ERROR' } })
      expect(JSON.stringify(refused)).toContain(Object.keys(args)[0])
    }
  })

  it('the gateway names the servers with most tools in the description of search_tools, and the number of others', async () => {
    covers('FT-7')
    const describe = async () => (await client().list())[1]?.description ?? ''
    const before = await describe()
    expect(before).toMatch(/Servers: store, shelf-00, shelf-01, .*, \+\d+ more$/)
    expect(before).toMatch(/execute_tool.*get_tool_details/)
    await client().ask('search_tools', { query: 'take' })
    expect(await describe()).toBe(before)
  })
})

describe('search_tools and get_tool_details', () => {
  const gateway = useGateway({
    config: {
      discovery: {
        servers: {
          filesystem: filesystem(home.path),
          notes: fixtureServer('notes', 'notes'),
          diary: fixtureServer('notes', 'diary'),
        },
      },
    },
  })
  const ask = async (tool: string, args: Readonly<Record<string, unknown>>) => {
    client ??= await gateway().connect()
    return client.ask(tool, args)
  }
  let client: Awaited<ReturnType<ReturnType<typeof gateway>['connect']>> | undefined
  const toolsFound = async (args: Readonly<Record<string, unknown>>) =>
    ((await ask('search_tools', args)).results as { server: string; tool: string }[]).map(
      ({ server, tool }) => `${server}:${tool}`,
    )

  it('search_tools searches only the named server', async () => {
    covers('SE-3')
    const [first, ...others] = await toolsFound({ query: 'list', server: 'diary' })
    expect(first).toBe('diary:list')
    expect(others.filter((id) => !id.startsWith('diary:'))).toEqual([])
    expect(await ask('search_tools', { query: 'list', server: 'dairy' })).toMatchObject({
      error: { code: 'SERVER_NOT_FOUND', suggestion: expect.stringContaining("'diary'") },
    })
  })

  it('search_tools filters names by a glob or a regex', async () => {
    covers('SE-7')
    expect(await toolsFound({ query: '*_multiple_*' })).toEqual(['filesystem:read_multiple_files'])
    expect(await toolsFound({ query: '/^(move|write)_/' })).toEqual(['filesystem:write_file', 'filesystem:move_file'])
    expect(await toolsFound({ query: 'notes_*' })).toEqual(['notes:add', 'notes:list'])
    expect(await ask('search_tools', { query: '/(/' })).toMatchObject({ results: [], reason: expect.any(String) })
  })

  it('search_tools ranks the exact name first', async () => {
    covers('SE-6')
    const { results } = await ask('search_tools', { query: 'move_file' })
    expect(results).toMatchObject([{ tool: 'move_file', relevance: 1 }, ...(results as object[]).slice(1)])
    const [, second] = results as { relevance: number }[]
    expect(second?.relevance ?? 0).toBeLessThan(1)
  })

  it('search_tools returns a signature with the best hits, required parameters first', async () => {
    covers('FT-8')
    const { results } = await ask('search_tools', { query: 'add a note to the diary' })
    expect(results).toMatchObject([{ server: 'diary', signature: 'add(text, waitMs?)' }, ...(results as []).slice(1)])
    const signed = (results as object[]).filter((hit) => 'signature' in hit)
    expect(signed.length).toBeLessThan((results as []).length)
  })

  it('search_tools gives the reason why nothing was found, and the closest tools', async () => {
    covers('FT-9')
    expect(await ask('search_tools', { query: 'zzzz' })).toMatchObject({
      results: [],
      reason: expect.stringMatching(/^Nothing fits/),
    })
    expect(await ask('search_tools', { query: 'mve_fil' })).toMatchObject({
      closest: expect.arrayContaining(['filesystem:move_file']),
    })
  })

  it('get_tool_details describes several tools at once, with an error for each unknown one', async () => {
    covers('FT-4')
    const { tools } = await ask('get_tool_details', { tool: ['notes:add', 'diary:list', 'move_flie'] })
    expect(tools).toMatchObject([
      { server: 'notes', tool: 'add' },
      { server: 'diary', tool: 'list' },
      { tool: 'move_flie', error: { code: 'TOOL_NOT_FOUND', details: { similar: expect.any(Array) } } },
    ])
    const eleven = await ask('get_tool_details', { tool: Array.from({ length: 11 }, () => 'notes:add') })
    expect(eleven).toMatchObject({ error: { code: 'VALIDATION_ERROR' } })
  })

  it('get_tool_details returns the unchanged schema of the server with schema: true', async () => {
    covers('FT-5')
    const { schema, parameters } = await ask('get_tool_details', { server: 'notes', tool: 'add', schema: true })
    expect(parameters).toBeUndefined()
    expect(schema).toEqual({
      type: 'object',
      properties: { text: { type: 'string' }, waitMs: { type: 'integer', minimum: 0 } },
      required: ['text'],
    })
  })

  it('get_tool_details returns examples that the tool accepts', async () => {
    covers('TD-2')
    const { examples } = await ask('get_tool_details', { server: 'notes', tool: 'add', examples: true })
    const [example] = examples as { description: string; parameters: object }[]
    expect(example).toEqual({ description: expect.any(String), parameters: { text: expect.any(String) } })
    const answer = await client?.run({ server: 'notes', tool: 'add', arguments: example?.parameters })
    expect(answer?.isError).toBeUndefined()
  })
})
