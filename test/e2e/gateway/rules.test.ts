// toolRules: the patterns and the examples of the specification, applied one after the other on the same three servers.

import { describe, expect, it } from 'vitest'
import { covers, useClient } from './harness.ts'
import { useHome } from './home.ts'
import { fixtureServer } from './servers.ts'

const home = useHome()
const tools = {
  github: ['create_issue', 'update_issue', 'list_issues', 'create_pr', 'list_repos', 'delete_repo'],
  filesystem: ['read_file', 'read-link', 'List', 'write_file', 'delete_file', 'rm_all'],
  database: ['query', 'delete_rows', 'fs_read', 'destroy_table', 'sync', 'github_sync'],
}
type Server = keyof typeof tools
const servers = Object.keys(tools) as Server[] // a record has no other keys

const entries = Object.fromEntries(
  servers.map((server) => [server, fixtureServer('named-tools', ...tools[server]).connection]),
)
// One client file for each source of the examples.
home.write('docker.json', { mcpServers: entries })
home.write('claude.json', { mcpServers: { github: entries.github } })
home.write('custom.yaml', JSON.stringify({ servers: { database: { connection: entries.database } } }))
home.write('windsurf.json', { mcpServers: { filesystem: entries.filesystem } })
const docker = [{ type: 'docker-mcp', path: '~/docker.json' }]

interface Rule {
  readonly pattern: readonly string[]
  readonly server?: string
  readonly enabled?: boolean
  readonly tags?: readonly string[]
}

let edits = 0
/** Adds a server with a new name to each edit, so that a test can see when the edit is in force. */
function configOf(toolRules: readonly Rule[], sources: readonly object[] = docker) {
  const mark = { [`edit-${++edits}`]: { connection: { type: 'stdio', command: 'none' }, tools: [{ name: 'mark' }] } }
  return { discovery: { listWaitMs: 30_000, servers: mark, sources, toolRules } }
}

const { gateway, client } = useClient({ config: configOf([]), home })

async function apply(toolRules: readonly Rule[], sources?: readonly object[]): Promise<void> {
  gateway().edit(configOf(toolRules, sources))
  const inForce = async () => (await client().ask('list_mcp_servers', { search: `edit-${edits}` })).total
  await expect.poll(inForce).toBe(1)
}

interface Listed {
  readonly name: string
  readonly enabled: boolean
  readonly tags?: readonly string[]
}

async function listed(server: Server, includeDisabled = true): Promise<readonly Listed[]> {
  return (await client().ask('list_tools', { server, includeDisabled })).tools as Listed[] // checked by the scenarios
}

/** The names of the enabled tools, by server. */
async function enabled(): Promise<Readonly<Record<Server, readonly string[]>>> {
  const lists = await Promise.all(servers.map((server) => listed(server)))
  const names = lists.map((list) => list.filter((tool) => tool.enabled).map(({ name }) => name))
  return { github: names[0] ?? [], filesystem: names[1] ?? [], database: names[2] ?? [] }
}

function without(server: Server, ...names: readonly string[]): readonly string[] {
  return tools[server].filter((name) => !names.includes(name))
}

describe('the examples of the specification', () => {
  it('example 1 of the specification: every tool is available', async () => {
    covers('TR-7', 'CO-1')
    await apply([{ pattern: ['*'], enabled: true }])
    expect(await enabled()).toEqual(tools)
    for (const server of servers) {
      const [tool] = tools[server]
      expect(await client().run({ server, tool })).toMatchObject({ content: [{ text: `called ${tool}` }] })
    }
  })

  it('example 2 of the specification: an enabling rule is an allow list for its own server, and dangerous tools are blocked', async () => {
    covers('TR-8', 'TR-5', 'XT-4')
    await apply([
      { server: 'github', pattern: ['*issue*'], enabled: true, tags: ['github', 'issues'] },
      { server: 'filesystem', pattern: ['*read*', '*list*'], enabled: true, tags: ['filesystem', 'safe'] },
      { pattern: ['*delete*', '*remove*', '*rm*'], enabled: false, tags: ['dangerous'] },
    ])
    expect(await enabled()).toEqual({
      github: ['create_issue', 'update_issue', 'list_issues'],
      filesystem: ['read_file', 'read-link', 'List'],
      // The enabling rules name other servers, so they make no allow list for this server.
      database: without('database', 'delete_rows'),
    })
    expect(await client().ask('execute_tool', { tool: 'rm_all' })).toMatchObject({ error: { code: 'TOOL_DISABLED' } })
    expect(await client().ask('execute_tool', { tool: 'create_pr' })).toMatchObject({
      error: { code: 'TOOL_DISABLED', message: expect.stringContaining('no rule enables it') },
    })
    expect(await client().run({ tool: 'read_file' })).toMatchObject({ content: [{ text: 'called read_file' }] })
  })

  it('example 3 of the specification: one set of rules applies to several sources, and a leading * is the default', async () => {
    covers('TR-9', 'CO-3', 'CO-1', 'CO-2')
    await apply(
      [
        { pattern: ['*'], enabled: true },
        { pattern: ['*delete*', '*destroy*'], enabled: false },
      ],
      [
        { type: 'windsurf', path: '~/windsurf.json' },
        { type: 'claude-desktop', path: '~/claude.json' },
        { type: 'custom', path: './custom.yaml' },
      ],
    )
    expect(await enabled()).toEqual({
      github: without('github', 'delete_repo'),
      filesystem: without('filesystem', 'delete_file'),
      database: without('database', 'delete_rows', 'destroy_table'),
    })
  })

  it('example 4 of the specification: regexes enable some tools and disable others', async () => {
    covers('TR-10', 'TR-2', 'TR-3')
    await apply([
      { server: 'github', pattern: ['/^(create|update)_/'], enabled: true, tags: ['github', 'write'] },
      { server: 'filesystem', pattern: ['/\\b(read|list|get)\\b/i'], enabled: true, tags: ['filesystem', 'read'] },
      { pattern: ['/(delete|remove|destroy)/i'], enabled: false, tags: ['dangerous'] },
    ])
    expect(await enabled()).toEqual({
      github: ['create_issue', 'update_issue', 'create_pr'],
      // For \b an underscore is part of a word, a hyphen is not.
      filesystem: ['read-link', 'List'],
      database: without('database', 'delete_rows', 'destroy_table'),
    })
  })

  it('example of the configuration format: a tool enabled only by its server name is disabled by a rule for its own name', async () => {
    covers('TR-5', 'TR-6')
    await apply([
      { pattern: ['*github*', '/issue/'], enabled: true, tags: ['github', 'issues'] },
      { pattern: ['*filesystem*', '/read/', '/write/'], enabled: true, tags: ['filesystem'] },
      { pattern: ['*dangerous*', '*delete*'], enabled: false, tags: ['dangerous'] },
    ])
    expect(await enabled()).toEqual({
      github: without('github', 'delete_repo'),
      filesystem: without('filesystem', 'delete_file'),
      database: ['fs_read', 'github_sync'],
    })
    expect(await client().ask('execute_tool', { tool: 'delete_repo' })).toMatchObject({
      error: { code: 'TOOL_DISABLED', message: expect.stringContaining('rule 3') },
    })
  })

  it('example of the advanced configuration: tools for issues or GitHub are enabled, except those that delete or remove', async () => {
    covers('TR-5', 'TR-6')
    await apply([
      { pattern: ['*github*', '/issue/'], enabled: true, tags: ['github', 'issues'] },
      { pattern: ['*delete*', '*remove*'], enabled: false, tags: ['dangerous'] },
    ])
    expect(await enabled()).toEqual({
      github: without('github', 'delete_repo'),
      filesystem: [],
      database: ['github_sync'],
    })
  })

  it('example of server-specific filtering: an allow list for one server, a deny list for another, no rule for the third', async () => {
    covers('TR-5')
    await apply([
      { server: 'github', pattern: ['*issue*', '*pr*'], enabled: true },
      { server: 'filesystem', pattern: ['*delete*', '*rm*', '*remove*'], enabled: false },
    ])
    expect(await enabled()).toEqual({
      github: ['create_issue', 'update_issue', 'list_issues', 'create_pr'],
      filesystem: without('filesystem', 'delete_file', 'rm_all'),
      database: tools.database,
    })
  })
})

describe('a pattern', () => {
  it.each([
    ['*github*', { github: tools.github, database: ['github_sync'] }],
    ['github_*', { github: tools.github, database: ['github_sync'] }],
    ['*_ISSUE', { github: ['create_issue', 'update_issue'] }],
    ['/github.*issue/i', { github: ['create_issue', 'update_issue', 'list_issues'] }],
    ['/GITHUB/', {}],
    ['/^fs_(read|write)$/', { database: ['fs_read'] }],
    ['/^list/', { github: ['list_issues', 'list_repos'] }],
    // In a regex `_` is part of a word.
    ['/\\b(create|update)\\b/', {}],
    [
      '!*delete*',
      {
        github: without('github', 'delete_repo'),
        filesystem: without('filesystem', 'delete_file'),
        database: without('database', 'delete_rows'),
      },
    ],
  ])('a rule with only the pattern %s enables exactly the matching tools', async (pattern, expected) => {
    covers('TR-1', 'TR-2', 'TR-4')
    await apply([{ pattern: [pattern] }])
    expect(await enabled()).toEqual({ github: [], filesystem: [], database: [], ...expected })
  })

  it('a negated pattern excludes tools that the other patterns of its rule match', async () => {
    covers('TR-4')
    await apply([{ pattern: ['*github*', '/issue/', '!*delete*'], enabled: true, tags: ['github', 'safe'] }])
    expect(await enabled()).toEqual({
      github: without('github', 'delete_repo'),
      filesystem: [],
      database: ['github_sync'],
    })
  })
})

describe('rules', () => {
  it('the first matching rule decides, and the tags of all matching rules are combined', async () => {
    covers('TR-6', 'LT-1', 'LT-2', 'SE-2')
    await apply([
      { server: 'github', pattern: ['*issue*'], enabled: true, tags: ['issues'] },
      { pattern: ['create_*'], enabled: false, tags: ['writes', 'issues'] },
      { pattern: ['*_issue', 'list_*'], tags: ['tagged'] },
    ])
    expect(await listed('github')).toEqual([
      { name: 'create_issue', summary: 'Does create_issue.', enabled: true, tags: ['issues', 'writes', 'tagged'] },
      { name: 'update_issue', summary: 'Does update_issue.', enabled: true, tags: ['issues', 'tagged'] },
      { name: 'list_issues', summary: 'Does list_issues.', enabled: true, tags: ['issues', 'tagged'] },
      { name: 'create_pr', summary: 'Does create_pr.', enabled: false, tags: ['writes', 'issues'] },
      { name: 'list_repos', summary: 'Does list_repos.', enabled: false, tags: ['tagged'] },
      { name: 'delete_repo', summary: 'Does delete_repo.', enabled: false },
    ])
    expect((await listed('github', false)).map(({ name }) => name)).toEqual([
      'create_issue',
      'update_issue',
      'list_issues',
    ])
    const { results } = await client().ask('search_tools', { query: 'update issue', limit: 1 })
    expect(results).toMatchObject([{ tool: 'update_issue', tags: ['issues', 'tagged'] }])
  })

  it('a disabled tool is not listed, counted, found or suggested, and a call of it is refused', async () => {
    covers('RU-1', 'RU-2', 'FT-10', 'XT-4')
    await apply([{ pattern: ['*delete*'], enabled: false, tags: ['dangerous'] }])
    const ask = client().ask
    const { servers: counted } = await ask('list_mcp_servers')
    expect(counted).toContainEqual(expect.objectContaining({ name: 'github', toolCount: 5 }))
    const answers = [
      await ask('list_tools', { server: 'github' }),
      await ask('search_tools', { query: 'delete repo', limit: 50 }),
      await ask('search_tools', { query: '*', limit: 100 }),
      await ask('search_tools', { query: 'delte_repo' }),
      await ask('get_tool_details', { server: 'github', tool: 'delet_repo' }),
      await ask('execute_tool', { tool: 'delete_rep' }),
      await client().list(),
    ]
    for (const answer of answers) expect(JSON.stringify(answer)).not.toMatch(/delete_(repo|file|rows)/)
    const refusal = { code: 'TOOL_DISABLED', message: expect.stringContaining('rule 1') }
    expect(await ask('execute_tool', { tool: 'github:delete_repo' })).toMatchObject({ error: refusal })
    expect(await ask('get_tool_details', { tool: 'delete_repo' })).toMatchObject({ error: refusal })
  })

  it('a search without results names the rule as the reason, but not the disabled tool', async () => {
    covers('FT-9', 'RU-1')
    await apply([{ server: 'database', pattern: ['*'], enabled: false }])
    const answer = await client().ask('search_tools', { query: 'destroy_table', server: 'database' })
    expect(answer).toMatchObject({ results: [], reason: expect.stringMatching(/disabled by rule 1/) })
    expect(JSON.stringify(answer)).not.toContain('destroy')
  })

  it('a search ranks an exact name before a partial name, and both before a tag', async () => {
    covers('SE-6')
    await apply([{ pattern: ['rm_all'], tags: ['sync'] }])
    const { results } = await client().ask('search_tools', { query: 'sync', limit: 5 })
    const scored = results as { tool: string; relevance: number }[] // checked here
    const relevanceOf = (name: string) => scored.find(({ tool }) => tool === name)?.relevance ?? 0
    expect(scored[0]).toMatchObject({ tool: 'sync', relevance: 1 })
    expect(relevanceOf('github_sync')).toBeLessThan(1)
    expect(relevanceOf('rm_all')).toBeLessThan(relevanceOf('github_sync'))
    expect(relevanceOf('rm_all')).toBeGreaterThan(0)
  })
})
