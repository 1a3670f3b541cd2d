// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import { describe, expect, it } from 'vitest'
import { gemini } from './gemini.ts'
import { context, importerContract } from './importer.contract.ts'
import { commonEntry, environments, MALFORMED_JSON } from './mcp-servers.fixture.ts'

const path = '/h/ada/.gemini/settings.json'

importerContract({
  importer: gemini,
  path,
  entry(server) {
    const { url, ...rest } = commonEntry(server)
    return url === undefined ? rest : { httpUrl: url, ...rest }
  },
  document: (entries) => ({ theme: 'dark', mcpServers: entries }),
  malformed: MALFORMED_JSON,
})

it.each([
  ['linux', '/h/ada/.gemini/settings.json', '/code/shop/.gemini/settings.json'],
  ['darwin', '/h/ada/.gemini/settings.json', '/code/shop/.gemini/settings.json'],
  ['win32', 'C:\\Ada\\.gemini\\settings.json', 'D:\\shop\\.gemini\\settings.json'],
] as const)('finds the files of Gemini on %s', (platform, user, project) => {
  expect(gemini.paths(environments[platform])).toEqual([
    { path: user, scope: 'user' },
    { path: project, scope: 'project' },
  ])
})

it('distinguishes the transports and translates variables', async () => {
  const text = JSON.stringify({
    mcpServers: {
      a: { command: 'x', env: { KEY: '$MY_KEY', B: '${B:-b}', COST: '$5' }, cwd: './s', timeout: 30_000, trust: true },
      b: { httpUrl: 'https://b.example/mcp', headers: { Authorization: 'Bearer $TOKEN' } },
      c: { url: 'https://c.example/events' },
      d: { url: 'https://d.example/mcp', type: 'http' },
    },
  })
  const { servers, problems } = await gemini.parse(text, path, context)
  expect(problems).toEqual([])
  expect(servers[0]?.timeoutMs).toBe(30_000)
  expect(servers.map(({ connection }) => connection)).toEqual([
    { type: 'stdio', command: 'x', args: [], env: { KEY: '${MY_KEY}', B: '${B:-b}', COST: '$5' }, cwd: './s' },
    { type: 'http', url: 'https://b.example/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } },
    { type: 'sse', url: 'https://c.example/events', headers: {} },
    { type: 'http', url: 'https://d.example/mcp', headers: {} },
  ])
})

it('turns the lists of allowed and excluded tools into rules', async () => {
  const text =
    '{"mcpServers": {"a": {"command": "x", "includeTools": ["read(/tmp)", "list"], "excludeTools": ["list"]}}}'
  expect((await gemini.parse(text, path, context)).rules).toMatchObject([
    { server: 'a', pattern: ['!/^read$/', '!/^list$/'], enabled: false },
    { server: 'a', pattern: ['list'], enabled: false },
  ])
})

describe('the server lists of Gemini', () => {
  const enabledWith = async (settings: Record<string, unknown>) => {
    const mcpServers = { a: { command: 'a' }, b: { command: 'b' }, c: { command: 'c' } }
    const { servers, problems } = await gemini.parse(JSON.stringify({ mcpServers, ...settings }), path, context)
    return { enabled: servers.filter((server) => server.enabled).map(({ name }) => name), problems }
  }

  it.each([
    [{ mcp: { allowed: ['a', 'b'] } }, ['a', 'b']],
    [{ mcp: { excluded: ['a'] } }, ['b', 'c']],
    [{ mcp: { allowed: ['a', 'b'], excluded: ['b'] } }, ['a']],
    [{ mcp: { allowed: [] } }, []],
    [{ mcp: {} }, ['a', 'b', 'c']],
    [{ allowMCPServers: ['c'] }, ['c']],
    [{ excludeMCPServers: ['c'] }, ['a', 'b']],
  ])('the settings %j enable only the servers %j', async (settings, expected) => {
    expect(await enabledWith(settings)).toEqual({ enabled: expected, problems: [] })
  })

  it.each([
    [{ mcp: { allowed: 'a' } }, 'mcp.allowed'],
    [{ mcp: { excluded: [1] } }, 'mcp.excluded[0]'],
    [{ mcp: 'off' }, 'mcp'],
  ])('the settings %j cannot be read, so they disable all servers', async (settings, where) => {
    expect(await enabledWith(settings)).toMatchObject({ enabled: [], problems: [{ path: where, severity: 'error' }] })
  })
})
