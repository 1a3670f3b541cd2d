// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import { expect, it } from 'vitest'
import { stringify } from 'yaml'
import { custom } from './custom.ts'
import { context, importerContract } from './importer.contract.ts'
import { commonEntry, environments, MALFORMED_JSON } from './mcp-servers.fixture.ts'

importerContract({
  importer: custom,
  path: '/code/shop/servers.json',
  entry: commonEntry,
  document: (entries) => ({ mcpServers: entries }),
  malformed: MALFORMED_JSON,
})

importerContract({
  importer: custom,
  path: '/code/shop/servers.yaml',
  entry({ off, ...server }) {
    return { connection: server, ...(off === true ? { enabled: false } : {}) }
  },
  document: (entries) => ({ servers: entries }),
  render: (document) => stringify(document),
  malformed: 'servers:\n\ta: 1\n',
})

it('the custom importer has no default files, because `custom` is not a client', () => {
  for (const environment of Object.values(environments)) expect(custom.paths(environment)).toEqual([])
})

it('reads YAML in which the key is the name and `name` is the title', async () => {
  const text = `
servers:
  github:
    name: 'GitHub MCP Server'
    description: 'GitHub API integration'
    connection:
      type: 'stdio'
      command: 'npx'
      args: ['-y', '@modelcontextprotocol/server-github']
    tools:
      - name: 'create_issue'
        description: 'Create a GitHub issue'
      - name: 'list_repos'
`
  const path = '/code/shop/mcp-servers.yaml'
  const { servers, problems } = await custom.parse(text, path, context)
  expect(problems).toEqual([])
  expect(servers).toEqual([
    {
      name: 'github',
      title: 'GitHub MCP Server',
      description: 'GitHub API integration',
      connection: { type: 'stdio', command: 'npx', args: ['-y', '@modelcontextprotocol/server-github'], env: {} },
      enabled: true,
      tools: [{ name: 'create_issue', description: 'Create a GitHub issue' }, { name: 'list_repos' }],
      origin: { source: 'custom', file: path, path: 'servers.github' },
    },
  ])
})

it('reports unknown keys beside the servers', async () => {
  const { problems } = await custom.parse('{"servers": {}, "toolRules": []}', '/x.json', context)
  expect(problems).toMatchObject([{ path: 'toolRules', severity: 'warning' }])
})
