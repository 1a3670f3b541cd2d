// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import { expect, it } from 'vitest'
import { claudeDesktop } from './claude-desktop.ts'
import { context, importerContract } from './importer.contract.ts'
import { commonEntry, environments, MALFORMED_JSON } from './mcp-servers.fixture.ts'

const path = '/h/ada/.config/Claude/claude_desktop_config.json'

importerContract({
  importer: claudeDesktop,
  path,
  entry: commonEntry,
  document: (entries) => ({ globalShortcut: '', mcpServers: entries }),
  malformed: MALFORMED_JSON,
})

it.each([
  ['linux', '/h/ada/.config/Claude/claude_desktop_config.json'],
  ['darwin', '/h/ada/Library/Application Support/Claude/claude_desktop_config.json'],
  ['win32', 'C:\\Ada\\Roaming\\Claude\\claude_desktop_config.json'],
] as const)('finds the file of Claude Desktop on %s', (platform, expected) => {
  expect(claudeDesktop.paths(environments[platform])).toEqual([{ path: expected, scope: 'user' }])
})

it('reads an example in the common `mcpServers` format', async () => {
  const text = `{
    "mcpServers": {
      "github": {
        "command": "npx",
        "args": ["-y", "@modelcontextprotocol/server-github"],
        "env": { "GITHUB_PERSONAL_ACCESS_TOKEN": "\${GITHUB_TOKEN}" }
      }
    }
  }`
  expect((await claudeDesktop.parse(text, path, context)).servers).toEqual([
    {
      name: 'github',
      enabled: true,
      connection: {
        type: 'stdio',
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-github'],
        env: { GITHUB_PERSONAL_ACCESS_TOKEN: '${GITHUB_TOKEN}' },
      },
      origin: { source: 'claude-desktop', file: path, path: 'mcpServers.github' },
    },
  ])
})

it('accepts another spelling of the key, and numbers and booleans as text', async () => {
  const text = '{"mcp_servers": {"a": {"command": "x", "args": ["--port", 80], "env": {"DEBUG": true}}}}'
  const { servers, problems } = await claudeDesktop.parse(text, path, context)
  expect(problems).toEqual([])
  expect(servers).toMatchObject([{ connection: { args: ['--port', '80'], env: { DEBUG: 'true' } } }])
})
