// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import { expect, it } from 'vitest'
import { resolveConnection } from '../connection-kinds.ts'
import { context, importerContract } from './importer.contract.ts'
import { environments } from './mcp-servers.fixture.ts'
import { zed } from './zed.ts'

const path = '/h/ada/.config/zed/settings.json'

importerContract({
  importer: zed,
  path,
  entry: ({ off, ...server }) => ({ source: 'custom', ...server, ...(off === true ? { enabled: false } : {}) }),
  document: (entries) => ({ theme: 'One', context_servers: entries }),
  malformed: '{\n  "context_servers": {"a" "b"}\n}',
})

it.each([
  ['linux', '/h/ada/.config/zed/settings.json', '/code/shop/.zed/settings.json'],
  ['darwin', '/h/ada/.config/zed/settings.json', '/code/shop/.zed/settings.json'],
  ['win32', 'C:\\Ada\\Roaming\\Zed\\settings.json', 'D:\\shop\\.zed\\settings.json'],
] as const)('finds the files of Zed on %s', (platform, user, project) => {
  const paths = zed.paths(environments[platform])
  expect(paths[0]).toEqual({ path: user, scope: 'user' })
  expect(paths.at(-1)).toEqual({ path: project, scope: 'project' })
})

it('reads the older format and comments, and treats every text literally', async () => {
  const text = `{
    // servers
    "context_servers": {
      "old": { "command": { "path": "x", "args": ["\${A}"], "env": { "B": "\${C}" } }, "settings": {} },
    },
  }`
  const { servers, problems } = await zed.parse(text, path, context)
  expect(problems).toEqual([])
  expect(resolveConnection(servers[0]!.connection, {})).toEqual({
    ok: true,
    connection: { type: 'stdio', command: 'x', args: ['${A}'], env: { B: '${C}' } },
  })
})

it('reports that a server of an extension cannot be started from here', async () => {
  const text = '{"context_servers": {"ext": {"source": "extension", "enabled": true, "settings": {"token": "5ecret"}}}}'
  const { servers, problems } = await zed.parse(text, path, context)
  expect(servers).toEqual([])
  expect(problems).toMatchObject([{ path: 'context_servers.ext', severity: 'warning' }])
  expect(JSON.stringify(problems)).not.toContain('5ecret')
})
