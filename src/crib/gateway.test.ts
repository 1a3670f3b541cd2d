import { afterEach, describe, expect, it } from 'vitest'
import { createSchemaValidator } from '../core/json-schema.ts'
import { type CommandResult, failure, success } from '../core/result.ts'
import { loadTokenCounter } from '../core/tokens.ts'
import type { ToolEntry } from '../core/tool.ts'
import { createResultLimit } from '../dispatch/result-limit/result-limit.ts'
import { compileRules } from '../rules/rules.ts'
import { entryOf, scriptedSource } from '../sources/source.fixture.ts'
import type { SourceInfo, ToolSource } from '../sources/source.ts'
import { createMemoryStore } from '../storage/memory.ts'
import { requestOf } from './crib.fixture.ts'
import { type Crib, createCrib } from './crib.ts'
import type { CribOptions } from './crib-options.ts'
import type { CallAttempt } from './recorders.ts'

const validator = createSchemaValidator()
const opened: Crib[] = []
afterEach(async () => {
  for (const crib of opened.splice(0)) await crib[Symbol.asyncDispose]()
})

interface Server {
  readonly name: string
  readonly tools: readonly ToolEntry[]
  readonly info?: Partial<SourceInfo>
  readonly answer?: CommandResult
}

const issueSchema = {
  type: 'object',
  properties: {
    repo: { type: 'string', description: 'Repository name (owner/repo)' },
    title: { type: 'string', description: 'Issue title' },
    labels: { type: 'array', items: { type: 'string' } },
  },
  required: ['repo', 'title'],
}

function toolOf(
  name: string,
  description: string,
  inputSchema: ToolEntry['inputSchema'] = { type: 'object' },
): ToolEntry {
  return entryOf(name, { description, inputSchema, validate: (value) => validator.validate(inputSchema, value) })
}

const github: Server = {
  name: 'github',
  info: { description: 'GitHub API integration. And much more.' },
  tools: [
    toolOf('create_issue', 'Create a new issue in a repository. It is then open.', issueSchema),
    toolOf('list_issues', 'List the issues of a repository.'),
    toolOf('delete_repo', 'Delete a repository for good.'),
  ],
}
const files: Server = {
  name: 'files',
  tools: [toolOf('read_file', 'Read the contents of a file.'), toolOf('search', 'Search files by their name.')],
}
const web: Server = { name: 'web', tools: [toolOf('search', 'Search the web.')] }

function sourceOf({ name, tools, info, answer }: Server): ToolSource {
  const source = scriptedSource(name, [])
  source.script([...tools])
  return {
    ...source,
    info: () => ({ state: 'known', ...info }),
    ...(answer === undefined ? {} : { call: async () => answer }),
  }
}

function cribOver(servers: readonly Server[], options: Partial<CribOptions> = {}): Crib {
  const crib = createCrib({
    about: { name: 'g', version: '1' },
    sources: servers.map(sourceOf),
    strategy: 'gateway',
    ...options,
  })
  opened.push(crib)
  return crib
}

/** The text of the only block, parsed as JSON: what a model sees. */
async function ask(crib: Crib, name: string, args: unknown): Promise<Record<string, unknown>> {
  const { wire, error } = await crib.call(name, args, requestOf())
  if (error !== undefined) return { error }
  expect(wire?.content).toHaveLength(1)
  const [block] = wire?.content ?? []
  return JSON.parse(block?.type === 'text' ? block.text : '')
}

const rules = (...written: Parameters<typeof compileRules>[0]) => ({
  catalog: { decide: compileRules(written).decide },
})
const noDeletes = rules({ pattern: ['*delete*'], enabled: false, tags: ['dangerous'] })

it('all calls of a batch have one trace id, also those after a login', async () => {
  const seen: string[] = []
  let isLoggedIn = false
  const note = (source: ToolSource): ToolSource => ({
    ...source,
    call: async (_name, _input, context) => {
      seen.push(context.traceId)
      return success('done')
    },
  })
  const remote = scriptedSource('remote', [])
  const sources = [
    note(scriptedSource('local', ['ready'])),
    note({
      ...remote,
      info: () =>
        isLoggedIn
          ? { state: 'known' }
          : { state: 'failed', reason: 'no login', loginCommand: 'toolcrib login remote' },
      logIn: async () => {
        isLoggedIn = true
        remote.script([entryOf('private')])
        remote.announce()
        return true
      },
    }),
  ]
  const crib = createCrib({ about: { name: 'g', version: '1' }, sources, strategy: 'lazy' })
  opened.push(crib)
  const commands = ['local:ready', 'remote:private'].map((command) => ({ command }))
  expect(await crib.call('afd-batch', { commands }, requestOf())).toMatchObject({ summary: { successCount: 2 } })
  expect(seen).toHaveLength(2)
  expect(new Set(seen).size).toBe(1)
})

describe('the list of a gateway', () => {
  it('lists exactly the five meta-tools for no server, one server and three servers', async () => {
    for (const servers of [[], [github], [github, files, web]]) {
      const names = (await cribOver(servers).list(requestOf())).map((tool) => tool.name)
      expect(names).toEqual(['list_mcp_servers', 'search_tools', 'list_tools', 'get_tool_details', 'execute_tool'])
    }
  })

  it('names the servers with the most tools first, then the number of the others, within 600 tokens', async () => {
    const text = JSON.stringify(await cribOver([web, files, github]).list(requestOf()))
    expect(text).toContain('github, files, web')
    const many = Array.from({ length: 500 }, (_, at) => ({ ...web, name: `server-number-${at}` }))
    const [count, listed] = [await loadTokenCounter(), JSON.stringify(await cribOver(many).list(requestOf()))]
    expect(listed).toMatch(/\+4\d\d more/)
    expect(count(listed)).toBeLessThanOrEqual(600)
  })

  it('stays within 600 tokens for 99 servers with rare characters in their names', async () => {
    const strange = Array.from({ length: 99 }, (_, at) => ({
      ...web,
      name: `${String.fromCodePoint(0x1f600 + at)}ꙮ\u0007`,
    }))
    const count = await loadTokenCounter()
    expect(count(JSON.stringify(await cribOver(strange).list(requestOf())))).toBeLessThanOrEqual(600)
  })

  it('stays byte-identical while the servers are the same, even if their tools change', async () => {
    const source = scriptedSource('b', ['x'])
    const crib = createCrib({
      about: { name: 'g', version: '1' },
      sources: [scriptedSource('a', ['x', 'y']), source],
      strategy: 'gateway',
    })
    opened.push(crib)
    const before = JSON.stringify(await crib.list(requestOf()))
    source.script(['x', 'y', 'z'].map((name) => entryOf(name)))
    source.announce()
    expect(JSON.stringify(await crib.list(requestOf()))).toBe(before)
  })
})

describe('list_mcp_servers', () => {
  it('list_mcp_servers gives the name, description, tool count, status and state of each server', async () => {
    const crib = cribOver([github, { ...files, info: { state: 'failed', reason: 'spawn ENOENT' } }], noDeletes)
    expect(await ask(crib, 'list_mcp_servers', {})).toEqual({
      servers: [
        { name: 'github', description: 'GitHub API integration', toolCount: 2, status: 'connected', state: 'known' },
        { name: 'files', toolCount: 2, status: 'disconnected', state: 'failed', reason: 'spawn ENOENT' },
      ],
      total: 2,
    })
  })

  it('list_mcp_servers returns the servers in pages, and filters them by `search`', async () => {
    const crib = cribOver([github, files, web])
    expect(await ask(crib, 'list_mcp_servers', { limit: 2 })).toMatchObject({ total: 3, hasMore: true })
    expect(await ask(crib, 'list_mcp_servers', { limit: 2, offset: 2 })).toMatchObject({ servers: [{ name: 'web' }] })
    expect(await ask(crib, 'list_mcp_servers', { search: 'API' })).toMatchObject({ servers: [{ name: 'github' }] })
    expect(await ask(crib, 'list_mcp_servers', { search: 'zzz' })).toMatchObject({
      servers: [],
      reason: expect.stringContaining('None of the 3 servers matches'),
    })
    expect(await ask(cribOver([]), 'list_mcp_servers', {})).toMatchObject({ reason: 'No server is available.' })
  })
})

describe('search_tools', () => {
  it('search_tools finds tools by words, best first, with the signature of the best tool', async () => {
    const { results } = await ask(cribOver([github, files, web]), 'search_tools', { query: 'create an issue' })
    expect(results).toMatchObject([
      {
        server: 'github',
        tool: 'create_issue',
        summary: 'Create a new issue in a repository',
        signature: expect.stringMatching(/^create_issue\(repo, title, labels\[\]\?\)/),
      },
      ...(results as unknown[]).slice(1), // the answer of search_tools
    ])
  })

  it('search_tools does not return a tool that a rule disables, and includes the tags of rules', async () => {
    const crib = cribOver(
      [github],
      rules({ pattern: ['*delete*'], enabled: false }, { pattern: ['*issue*'], tags: ['issues'] }),
    )
    const text = JSON.stringify(await ask(crib, 'search_tools', { query: 'delete issues of a repository' }))
    expect(text).not.toContain('delete_repo')
    expect(text).toContain('"tags":["issues"]')
  })

  it('search_tools finds the tool that a query names, and also the tool that the query describes', async () => {
    const near = toolOf('list_devices', 'List the phones and emulators of this machine. For others, use list_clouds.')
    const far = toolOf('list_clouds', 'List rented hardware.')
    const crib = cribOver([{ name: 'mobile', tools: [far, near] }, github])
    const namesOf = async (query: string) =>
      // the answer of search_tools
      ((await ask(crib, 'search_tools', { query })).results as { tool: string }[]).map(({ tool }) => tool)
    const text = 'List the phones that are connected now. They are ready at once; use list_clouds for those of others.'
    expect((await namesOf(text)).slice(0, 2)).toEqual(['list_clouds', 'list_devices'])
    expect(await namesOf('Call list_clouds for the rented ones')).toEqual(['list_clouds'])
  })

  it('search_tools filters by server and by limit', async () => {
    const crib = cribOver([github, files, web])
    expect(await ask(crib, 'search_tools', { query: 'search', server: 'web' })).toMatchObject({
      results: [{ server: 'web' }],
    })
    expect((await ask(crib, 'search_tools', { query: 'search', limit: 1 })).results).toHaveLength(1)
    expect(await ask(crib, 'search_tools', { query: 'x', server: 'we' })).toMatchObject({
      error: { code: 'SERVER_NOT_FOUND', suggestion: expect.stringContaining("'web'") },
    })
  })

  it('search_tools filters names by a glob or a regex, like the rules', async () => {
    const crib = cribOver([github, files])
    const found = async (query: string) =>
      // the answer of search_tools
      ((await ask(crib, 'search_tools', { query })).results as { tool: string }[]).map(({ tool }) => tool)
    expect(await found('*_issue*')).toEqual(['create_issue', 'list_issues'])
    expect(await found('files_*')).toEqual(['read_file', 'search'])
    expect(await found('/^(create|delete)_/')).toEqual(['create_issue', 'delete_repo'])
    expect(await ask(crib, 'search_tools', { query: '/(/' })).toMatchObject({
      results: [],
      reason: expect.stringContaining('cannot be used'),
    })
  })

  it('search_tools gives the reason for an empty result', async () => {
    const because = async (crib: Crib, query = 'repository') => (await ask(crib, 'search_tools', { query })).reason
    expect(await because(cribOver([]))).toBe('No server is available.')
    const off = rules({ pattern: ['*'], server: 'github', enabled: false })
    expect(await because(cribOver([github, web], off))).toMatch(/3 matching tools are disabled by rule 1/)
    // A pattern query counts only tools that match the pattern, not those that a ranker finds.
    expect(await because(cribOver([github, web], off), '*_issue*')).toMatch(/^2 matching tools are disabled by rule 1/)
    expect(await because(cribOver([github, web], off), 'repository_*')).toMatch(/^Nothing fits/)
    expect(await because(cribOver([web, { name: 'db', tools: [], info: { state: 'starting' } }]))).toMatch(
      /starting: 'db'/,
    )
    const broken: Server = { name: 'db', tools: [], info: { state: 'failed' } }
    expect(await because(cribOver([broken]))).toMatch(/not be started: 'db'/)
    // If other servers have tools, a failed server is listed separately.
    expect(await ask(cribOver([web, broken]), 'search_tools', { query: 'repository' })).toMatchObject({
      reason: expect.stringMatching(/^Nothing fits/),
      failed: ['db'],
    })
    expect(await because(cribOver([web]))).toMatch(/Nothing fits/)
  })

  it('search_tools answers "nothing fits" with the closest tools if the best hit is not relevant', async () => {
    const query =
      'Play some calm piano music in the living room, dim all lamps slowly, then warm bath water, boil eggs, toast bread, order fresh flowers, book theatre seats near Vienna opera and find my umbrella, scarf, gloves, boots, whose page is yellow'
    const found = await ask(cribOver([github, web]), 'search_tools', { query })
    expect(found).toMatchObject({ results: [], reason: expect.stringMatching(/^Nothing fits/) })
    expect(found.closest).toEqual(['web:search'])
    // A requested number of results does not turn irrelevant hits into results.
    expect(await ask(cribOver([github, web]), 'search_tools', { query, limit: 3 })).toMatchObject({ results: [] })
  })

  it('search_tools suggests the closest names if nothing matches', async () => {
    expect(await ask(cribOver([github]), 'search_tools', { query: 'crate_isue' })).toMatchObject({
      closest: ['github:create_issue', 'github:list_issues'],
    })
  })
})

it('get_tool_details cuts a long answer, and execute_tool reads more of it', async () => {
  const properties = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`field_${at}`, { type: 'string' }]))
  const large = toolOf('large', 'Large.', { type: 'object', properties })
  const results = createResultLimit({ store: createMemoryStore(), maxTokens: 500 })
  const crib = cribOver([{ name: 'big', tools: [large] }], { calls: { results } })
  for (const tool of ['large', ['large', 'gone']]) {
    let [text = '', notice] = textsOf(await crib.call('get_tool_details', { tool, schema: true }, requestOf()))
    let parts = 1
    while (notice !== undefined) {
      const [, handle, offset] = /"handle": "([^"]+)", "offset": (\d+)/.exec(notice) ?? []
      const read = textsOf(await crib.call('execute_tool', { handle, offset: Number(offset) }, requestOf()))
      text += read[0]
      notice = read[1]
      parts += 1
    }
    expect(parts).toBeGreaterThan(3)
    expect(JSON.stringify(JSON.parse(text))).toContain(JSON.stringify(properties))
  }
  await results[Symbol.asyncDispose]()
})

function textsOf({ wire }: CommandResult): string[] {
  return (wire?.content ?? []).map((block) => (block.type === 'text' ? block.text : ''))
}

describe('list_tools', () => {
  it('list_tools lists one server in pages, and includes disabled tools only on request', async () => {
    const crib = cribOver([github, files], noDeletes)
    expect(await ask(crib, 'list_tools', { server: 'github', limit: 1 })).toEqual({
      server: 'github',
      tools: [{ name: 'create_issue', summary: 'Create a new issue in a repository', enabled: true }],
      total: 2,
      hasMore: true,
    })
    const all = await ask(crib, 'list_tools', { server: 'github', includeDisabled: true })
    expect(all).toMatchObject({ total: 3, hasMore: false })
    expect(all.tools).toContainEqual({
      name: 'delete_repo',
      summary: 'Delete a repository for good.',
      enabled: false,
      tags: ['dangerous'],
    })
  })

  it('list_tools gives the reason why a server has no tools', async () => {
    const failed = cribOver([{ name: 'db', tools: [], info: { state: 'failed', reason: 'no such file' } }])
    expect(await ask(failed, 'list_tools', { server: 'db' })).toMatchObject({
      reason: expect.stringContaining('no such file'),
    })
    const off = cribOver([web], rules({ pattern: ['*'], enabled: false }))
    expect(await ask(off, 'list_tools', { server: 'web' })).toMatchObject({
      reason: expect.stringContaining('includeDisabled'),
    })
  })
})

describe('get_tool_details', () => {
  it('get_tool_details gives a hash, and answers with a short entry if the client sends the current hash', async () => {
    const crib = cribOver([github])
    const details = (ifNot?: unknown) => ask(crib, 'get_tool_details', { tool: 'create_issue', ifNot })
    const { hash } = await details()
    expect(hash).toMatch(/^[0-9a-z]{6}$/)
    expect(await details(hash)).toEqual({ tool: 'create_issue', unchanged: true })
    expect(await details(['other', hash])).toEqual({ tool: 'create_issue', unchanged: true })
    expect(await details('other')).toMatchObject({ parameters: expect.anything(), hash })
  })

  it('get_tool_details gives the description and parameters of one tool', async () => {
    expect(await ask(cribOver([github]), 'get_tool_details', { server: 'github', tool: 'create_issue' })).toMatchObject(
      {
        server: 'github',
        tool: 'create_issue',
        description: expect.stringContaining('Create a new issue'),
        parameters: [
          { name: 'repo', type: 'string', description: 'Repository name (owner/repo)', required: true },
          { name: 'title', required: true },
          { name: 'labels' },
        ],
      },
    )
  })

  it('get_tool_details describes several tools at once, with an error for each unknown or disabled one', async () => {
    const crib = cribOver([github, files], noDeletes)
    const { tools } = await ask(crib, 'get_tool_details', { tool: ['github:create_issue', 'read_fiel', 'delete_repo'] })
    expect(tools).toMatchObject([
      { tool: 'create_issue' },
      { tool: 'read_fiel', error: { code: 'TOOL_NOT_FOUND' } },
      { tool: 'delete_repo', error: { code: 'TOOL_DISABLED' } },
    ])
  })

  it('get_tool_details accepts a list of names that was sent as JSON text', async () => {
    const tool = '["github:create_issue","read_fiel"]'
    const { tools } = await ask(cribOver([github]), 'get_tool_details', { tool })
    expect(tools).toMatchObject([{ tool: 'create_issue' }, { tool: 'read_fiel', error: { code: 'TOOL_NOT_FOUND' } }])
  })

  it('get_tool_details gives the full schema on request', async () => {
    const crib = cribOver([github])
    expect(await ask(crib, 'get_tool_details', { tool: 'create_issue', schema: true })).toMatchObject({
      schema: issueSchema,
    })
  })
})

describe('execute_tool', () => {
  const run = (crib: Crib, args: unknown) => crib.call('execute_tool', args, requestOf())

  it.each([
    { server: 'files', tool: 'read_file' },
    { tool: 'files:read_file' },
    { server: 'files', tool: 'files:read_file' },
    { tool: 'read_file' },
    { tool: 'files__read_file' },
  ])('execute_tool finds a tool by %j', async (ref) => {
    const result = await run(cribOver([github, files, web]), { ...ref, arguments: { path: 'x' } })
    expect(result.wire?.structuredContent).toEqual({
      success: true,
      result: { source: 'files', name: 'read_file', input: { path: 'x' } },
    })
  })

  it.each([
    [{ tool: 'search' }, { code: 'TOOL_AMBIGUOUS', details: { servers: ['files', 'web'] } }],
    [
      { server: 'file', tool: 'search' },
      { code: 'SERVER_NOT_FOUND', details: { similar: ['files'] } },
    ],
    [
      { server: 'files', tool: 'read_fil' },
      { code: 'TOOL_NOT_FOUND', details: { similar: ['read_file'] } },
    ],
    [{ tool: 'github:delete_repo' }, { code: 'TOOL_DISABLED', server: 'github', tool: 'delete_repo' }],
    [{ arguments: {} }, { code: 'VALIDATION_ERROR' }],
    [{ handle: 'none' }, { code: 'HANDLE_NOT_FOUND' }],
  ])('execute_tool refuses %j with a suggestion', async (args, error) => {
    const result = await run(cribOver([github, files, web], noDeletes), args)
    expect(result).toMatchObject({ success: false, error })
    expect(result.error?.suggestion).toMatch(/\w+ \w+/)
  })

  it('execute_tool gives the reason for an unknown tool if its server has failed or is still starting', async () => {
    const down: Server = { name: 'db', tools: [], info: { state: 'failed', reason: 'spawn ENOENT' } }
    const failed = await run(cribOver([web, down]), { server: 'db', tool: 'query' })
    expect(failed.error).toMatchObject({ code: 'SERVER_UNAVAILABLE', server: 'db', tool: 'query' })
    expect(failed.error?.message).toContain('spawn ENOENT')
    const starting = await run(cribOver([{ ...down, info: { state: 'starting' } }]), { server: 'db', tool: 'query' })
    expect(starting.error).toMatchObject({ code: 'SERVER_UNAVAILABLE', message: expect.stringContaining('starting') })
  })

  it('execute_tool answers invalid arguments with the valid parameters', async () => {
    const result = await run(cribOver([github]), { tool: 'create_issue', arguments: { title: 7 } })
    expect(result.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      server: 'github',
      tool: 'create_issue',
      details: { parameters: expect.arrayContaining([expect.objectContaining({ name: 'repo', required: true })]) },
    })
    expect(result.error?.message).toMatch(/repo/)
  })

  it.each([
    ['gateway', 'github:create_issue'],
    ['individual', 'github__create_issue'],
    ['auto', 'github__create_issue'],
  ])('with strategy %s, errors use the name %s, by which clients know the tool', async (strategy, name) => {
    const crib = cribOver([github, web], { strategy, builtins: false })
    await crib.list(requestOf())
    const invalid = await crib.call('github:create_issue', {}, requestOf())
    expect(invalid.error?.message).toMatch(new RegExp(`^Invalid input for '${name}': `))
    const unknown = await crib.call('create_isue', {}, requestOf())
    expect(unknown.error?.details?.similar).toEqual([name])
    expect(unknown.error?.suggestion).toContain(`'${name}'`)
  })

  it('execute_tool decodes arguments that were sent as a JSON string', async () => {
    const result = await run(cribOver([github]), { tool: 'create_issue', arguments: '{"repo":"a/b","title":"t"}' })
    expect(result).toMatchObject({ success: true, data: { input: { repo: 'a/b', title: 't' } } })
  })

  it('execute_tool passes a field of any name on, and does not pollute prototypes', async () => {
    const properties = JSON.parse('{"__proto__":{"type":"string"}}')
    const odd = toolOf('odd', 'Odd.', { type: 'object', properties, required: ['__proto__'] })
    const crib = cribOver([{ name: 'odd', tools: [odd] }])
    const sent = '{"__proto__":"x","constructor":{"prototype":{"polluted":1}}}'
    const result = await run(crib, { tool: 'odd', arguments: JSON.parse(sent) })
    expect(JSON.stringify(result.data)).toContain(sent)
    expect({}).not.toHaveProperty('polluted')
    expect((await run(crib, { tool: 'odd', arguments: {} })).error?.message).toContain("'__proto__' is missing")
  })

  it('execute_tool keeps the blocks of the tool, and adds structured content', async () => {
    const content = [{ type: 'text' as const, text: '{"n":1}' }]
    const withText = cribOver([{ ...web, answer: success({ n: 1 }, { wire: { content, _meta: { a: 1 } } }) }])
    expect((await run(withText, { tool: 'search' })).wire).toEqual({
      content,
      _meta: { a: 1 },
      structuredContent: { success: true, result: { n: 1 } },
    })
    const picture = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' }
    const withImage = cribOver([{ ...web, answer: success(null, { wire: { content: [picture] } }) }])
    expect((await run(withImage, { tool: 'search' })).wire).toEqual({ content: [picture] })
  })

  it('execute_tool keeps the blocks of a failed tool, and adds its error as structured content', async () => {
    const content = [{ type: 'text' as const, text: 'rate limit exceeded' }]
    const answer = failure(
      { code: 'TOOL_EXECUTION_ERROR', message: 'rate limit exceeded' },
      { wire: { content, isError: true } },
    )
    expect((await run(cribOver([{ ...web, answer }]), { tool: 'search' })).wire).toEqual({
      content,
      isError: true,
      structuredContent: {
        success: false,
        error: { code: 'TOOL_EXECUTION_ERROR', message: 'rate limit exceeded', server: 'web', tool: 'search' },
      },
    })
  })

  it('execute_tool records every attempt once, including refused ones', async () => {
    const attempts: (CallAttempt & { readonly code: string | undefined })[] = []
    const crib = cribOver([github, web], {
      ...noDeletes,
      calls: {
        async recorder(attempt, work) {
          const result = await work()
          attempts.push({ ...attempt, code: result.error?.code })
          return result
        },
      },
    })
    const tried = [{ tool: 'search' }, { server: 'nope', tool: 'x' }, { tool: 'delete_repo' }, { tool: 'create_issue' }]
    for (const args of tried) await run(crib, args)
    expect(attempts.map(({ server, tool, code }) => [server, tool, code])).toEqual([
      ['web', 'search', undefined],
      ['nope', 'x', 'SERVER_NOT_FOUND'],
      ['github', 'delete_repo', 'TOOL_DISABLED'],
      ['github', 'create_issue', 'VALIDATION_ERROR'],
    ])
  })
})

it('cuts a result only if a listed tool can read more of it', async () => {
  const cut = success('cut')
  const results = { limit: async () => cut, read: async () => cut }
  const individual = cribOver([web], { strategy: 'individual', builtins: false, calls: { results } })
  expect(await individual.call('search', {}, requestOf())).not.toEqual(cut)
  expect(await cribOver([web], { calls: { results } }).call('execute_tool', { tool: 'search' }, requestOf())).toEqual(
    cut,
  )
})

describe('replacing sources and rules', () => {
  it('replaces sources and rules at once, without listing the remaining sources again', async () => {
    const [stays, goes] = [scriptedSource('stays', ['a']), scriptedSource('goes', ['b'])]
    const crib = createCrib({ about: { name: 'g', version: '1' }, sources: [stays, goes], strategy: 'gateway' })
    opened.push(crib)
    await ask(crib, 'list_tools', { server: 'goes' })
    crib.replace([stays, scriptedSource('new', ['c'])], compileRules([{ pattern: ['c'], enabled: false }]).decide)
    expect(await ask(crib, 'list_mcp_servers', {})).toMatchObject({
      servers: [
        { name: 'stays', toolCount: 1 },
        { name: 'new', toolCount: 0 },
      ],
    })
    expect(stays.timesListed()).toBe(1)
    expect(goes.listenerCount()).toBe(0)
  })

  it('notifies clients that their list has changed after sources are replaced', async () => {
    const crib = createCrib({
      about: { name: 'g', version: '1' },
      sources: [scriptedSource('a', ['x'])],
      strategy: 'gateway',
    })
    opened.push(crib)
    let notifications = 0
    crib.onListChanged(requestOf().caller, () => notifications++)
    await crib.list(requestOf())
    crib.replace([scriptedSource('b', ['x'])])
    await expect.poll(() => notifications).toBe(1)
  })
})
