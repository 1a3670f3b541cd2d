// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import { describe, expect, it } from 'vitest'
import { claudeCode } from './claude-code.ts'
import { context, importerContract } from './importer.contract.ts'
import { commonEntry, environments, MALFORMED_JSON } from './mcp-servers.fixture.ts'

const path = '/h/ada/.claude.json'

importerContract({
  importer: claudeCode,
  path,
  entry: (server) => ({ type: 'url' in server ? 'http' : 'stdio', ...commonEntry(server) }),
  document: (entries) => ({ numStartups: 12, projects: {}, mcpServers: entries }),
  malformed: MALFORMED_JSON,
})

it.each([
  ['linux', '/h/ada/.claude.json', '/code/shop/.mcp.json'],
  ['darwin', '/h/ada/.claude.json', '/code/shop/.mcp.json'],
  ['win32', 'C:\\Ada\\.claude.json', 'D:\\shop\\.mcp.json'],
] as const)('finds the files of Claude Code on %s', (platform, user, project) => {
  expect(claudeCode.paths(environments[platform])).toEqual([
    { path: user, scope: 'user' },
    { path: project, scope: 'project' },
  ])
})

it('reads all three transports and both kinds of reference', async () => {
  const text = JSON.stringify({
    mcpServers: {
      a: { type: 'stdio', command: '${BIN:-npx}', args: ['$${X}'] },
      b: { type: 'http', url: '${BASE_URL}/mcp', headers: { Authorization: 'Bearer ${KEY}' } },
      c: { type: 'sse', url: 'https://c.example/events' },
    },
  })
  const { servers, problems } = await claudeCode.parse(text, path, context)
  expect(problems).toEqual([])
  expect(servers.map(({ connection }) => connection)).toEqual([
    { type: 'stdio', command: '${BIN:-npx}', args: ['$$${X}'], env: {} },
    { type: 'http', url: '${BASE_URL}/mcp', headers: { Authorization: 'Bearer ${KEY}' } },
    { type: 'sse', url: 'https://c.example/events', headers: {} },
  ])
})

it('turns the tool list of Copilot in a shared file into rules', async () => {
  const text = '{"mcpServers": {"a": {"command": "x", "tools": ["read"]}, "b": {"command": "y", "tools": ["*"]}}}'
  const { rules } = await claudeCode.parse(text, '/code/shop/.mcp.json', context)
  expect(rules).toMatchObject([{ server: 'a', pattern: ['!/^read$/'], enabled: false }])
})

describe('the importer of Claude Code, for project settings in the user file', () => {
  const textWith = (project: unknown, key = '/code/shop') =>
    JSON.stringify({
      mcpServers: { all: { command: 'all' }, both: { command: 'for-all' } },
      projects: { [key]: project, '/code/other': { mcpServers: { other: { command: 'other' } } } },
    })

  it('gives the settings of the current project precedence, and ignores those of another project', async () => {
    const { servers } = await claudeCode.parse(textWith({ mcpServers: { both: { command: 'here' } } }), path, context)
    expect(servers.map(({ name, connection }) => [name, connection])).toMatchObject([
      ['both', { command: 'here' }],
      ['all', { command: 'all' }],
      ['both', { command: 'for-all' }],
    ])
    expect(servers[0]?.origin.path).toBe('projects["/code/shop"].mcpServers.both')
  })

  it('finds project settings by a path in the notation of Windows', async () => {
    const windows = { ...context, platform: 'win32', cwd: 'D:\\Shop' } as const
    const text = textWith({ mcpServers: { here: { command: 'here' } } }, 'd:/shop/')
    expect((await claudeCode.parse(text, path, windows)).servers[0]?.name).toBe('here')
  })

  it('disables the servers that the project settings disable', async () => {
    const { servers } = await claudeCode.parse(textWith({ disabledMcpServers: ['all'] }), path, context)
    expect(servers.map(({ name, enabled }) => [name, enabled])).toEqual([
      ['all', false],
      ['both', true],
    ])
  })

  it('disables all servers if the list of disabled servers cannot be read', async () => {
    const { servers, problems } = await claudeCode.parse(textWith({ disabledMcpServers: 'all' }), path, context)
    expect(servers.every(({ enabled }) => !enabled)).toBe(true)
    expect(problems).toMatchObject([{ path: 'projects["/code/shop"].disabledMcpServers', expected: 'a list' }])
  })

  it('reports project settings that are not an object', async () => {
    const { servers, problems } = await claudeCode.parse(textWith('none'), path, context)
    expect(servers).toHaveLength(2)
    expect(problems).toMatchObject([{ path: 'projects["/code/shop"]', found: 'a string' }])
  })
})
