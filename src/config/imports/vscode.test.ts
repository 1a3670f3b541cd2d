// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import { expect, it } from 'vitest'
import { context, importerContract } from './importer.contract.ts'
import { commonEntry, environments } from './mcp-servers.fixture.ts'
import { vscode } from './vscode.ts'

const path = '/h/ada/.config/Code/User/mcp.json'

importerContract({
  importer: vscode,
  path,
  entry: (server) => ({ type: 'url' in server ? 'http' : 'stdio', ...commonEntry(server) }),
  document: (entries) => ({ servers: entries, inputs: [] }),
  malformed: '{\n  "servers": {"a" "b"}\n}',
})

it.each([
  ['linux', '/h/ada/.config/Code/User/mcp.json', '/code/shop/.vscode/mcp.json'],
  ['darwin', '/h/ada/Library/Application Support/Code/User/mcp.json', '/code/shop/.vscode/mcp.json'],
  ['win32', 'C:\\Ada\\Roaming\\Code\\User\\mcp.json', 'D:\\shop\\.vscode\\mcp.json'],
] as const)('finds the files of VS Code on %s', (platform, user, project) => {
  const paths = vscode.paths(environments[platform])
  expect(paths[0]).toEqual({ path: user, scope: 'user' })
  expect(paths.find(({ scope }) => scope === 'project')).toEqual({ path: project, scope: 'project' })
  expect(paths.map((file) => file.path).join()).toContain('Code - Insiders')
})

it('reads inputs as environment variables and reports which ones to set', async () => {
  const text = `{
    "inputs": [
      { "type": "promptString", "id": "api-key", "description": "Key", "password": true },
      { "type": "pickString", "id": "region", "default": "eu", "options": ["eu", "us"] },
    ],
    /* one */
    "servers": {
      "shop": {
        "type": "http",
        "url": "https://\${input:region}.shop.example/mcp",
        "headers": { "Authorization": "Bearer \${input:api-key}" },
      },
      "local": { "command": "node", "args": ["\${workspaceFolder}/s.js"], "envFile": "\${workspaceFolder}/.env", "cwd": "\${userHome}", "dev": { "watch": "x" } },
    },
  }`
  const { servers, problems } = await vscode.parse(text, path, context)
  expect(servers.map(({ connection }) => connection)).toEqual([
    { type: 'http', url: 'https://${REGION:-eu}.shop.example/mcp', headers: { Authorization: 'Bearer ${API_KEY}' } },
    { type: 'stdio', command: 'node', args: ['/code/shop/s.js'], env: {}, envFile: '/code/shop/.env', cwd: '/h/ada' },
  ])
  expect(problems).toMatchObject([
    { path: 'servers.shop.url', severity: 'info' },
    { path: 'servers.shop.headers.Authorization', severity: 'warning', message: expect.stringContaining('API_KEY') },
  ])
})

it('reads the settings of older versions, and accepts settings without servers', async () => {
  const old = '{"editor.fontSize": 12, "mcp": {"servers": {"a": {"command": "x"}}}}'
  const { servers } = await vscode.parse(old, 'settings.json', context)
  expect(servers).toMatchObject([{ name: 'a', origin: { path: 'mcp.servers.a' } }])
  expect(await vscode.parse('{"editor.fontSize": 12}', 'settings.json', context)).toEqual({
    servers: [],
    rules: [],
    problems: [],
  })
})

it('accepts `mcpServers` instead of `servers`', async () => {
  expect((await vscode.parse('{"mcpServers": {"a": {"command": "x"}}}', path, context)).servers).toHaveLength(1)
})
