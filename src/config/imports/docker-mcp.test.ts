// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import { expect, it } from 'vitest'
import { dockerMcp } from './docker-mcp.ts'
import { context, importerContract } from './importer.contract.ts'
import { commonEntry, environments, MALFORMED_JSON } from './mcp-servers.fixture.ts'

const path = '/h/ada/.docker/mcp-servers.json'
const registry = '/h/ada/.docker/mcp/registry.yaml'

importerContract({
  importer: dockerMcp,
  path,
  entry: commonEntry,
  document: (entries) => ({ mcpServers: entries }),
  malformed: MALFORMED_JSON,
})

it.each([
  ['linux', path, registry],
  ['darwin', path, registry],
  ['win32', 'C:\\Ada\\.docker\\mcp-servers.json', 'C:\\Ada\\.docker\\mcp\\registry.yaml'],
] as const)('finds the files of Docker on %s', (platform, first, second) => {
  expect(dockerMcp.paths(environments[platform])).toEqual([
    { path: first, scope: 'user' },
    { path: second, scope: 'user' },
  ])
})

it('reads an example in the common `mcpServers` format', async () => {
  const text = JSON.stringify({
    mcpServers: {
      github: {
        command: 'docker',
        args: ['exec', 'mcp-github', 'mcp-github'],
        env: { GITHUB_TOKEN: '${GITHUB_TOKEN}' },
      },
      filesystem: { command: 'docker', args: ['exec', 'mcp-filesystem', 'mcp-filesystem'] },
    },
  })
  const { servers } = await dockerMcp.parse(text, path, context)
  expect(servers.map(({ name, connection }) => [name, connection])).toMatchObject([
    ['github', { command: 'docker', env: { GITHUB_TOKEN: '${GITHUB_TOKEN}' } }],
    ['filesystem', { args: ['exec', 'mcp-filesystem', 'mcp-filesystem'], env: {} }],
  ])
})

it('returns the gateway of Docker if servers are enabled in its registry', async () => {
  const { servers, problems } = await dockerMcp.parse('registry:\n  github:\n    ref: ""\n', registry, context)
  expect(problems).toEqual([])
  expect(servers).toMatchObject([
    { name: 'MCP_DOCKER', connection: { type: 'stdio', command: 'docker', args: ['mcp', 'gateway', 'run'] } },
  ])
})

it.each([
  ['registry: {}\n', []],
  ['registry:\n', []],
  ['registry: all\n', [{ path: 'registry', found: 'a string' }]],
])('returns no server if the registry has none or is invalid: %j', async (text, problems) => {
  const result = await dockerMcp.parse(text, registry, context)
  expect(result.servers).toEqual([])
  expect(result.problems).toMatchObject(problems)
})
