// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import { expect, it } from 'vitest'
import { cursor } from './cursor.ts'
import { context, importerContract } from './importer.contract.ts'
import { commonEntry, environments, MALFORMED_JSON } from './mcp-servers.fixture.ts'

const path = '/h/ada/.cursor/mcp.json'

importerContract({
  importer: cursor,
  path,
  entry: commonEntry,
  document: (entries) => ({ mcpServers: entries }),
  malformed: MALFORMED_JSON,
})

it.each([
  ['linux', '/h/ada/.cursor/mcp.json', '/code/shop/.cursor/mcp.json'],
  ['darwin', '/h/ada/.cursor/mcp.json', '/code/shop/.cursor/mcp.json'],
  ['win32', 'C:\\Ada\\.cursor\\mcp.json', 'D:\\shop\\.cursor\\mcp.json'],
] as const)('finds the files of Cursor on %s', (platform, user, project) => {
  expect(cursor.paths(environments[platform])).toEqual([
    { path: user, scope: 'user' },
    { path: project, scope: 'project' },
  ])
})

it('translates variables, even in the path of the env file, and accepts comments', async () => {
  const text = `{
    // the shop
    "mcpServers": {
      "shop": {
        "command": "\${userHome}/bin/shop",
        "args": ["--root", "\${workspaceFolder}", "\${workspaceFolderBasename}"],
        "env": { "KEY": "\${env:SHOP_KEY}", "PRICE": "$5" },
        "envFile": "\${workspaceFolder}/.env",
      },
      "events": { "url": "https://e.example/sse", "headers": { "Authorization": "Bearer \${env:TOKEN}" } },
    },
  }`
  const { servers, problems } = await cursor.parse(text, path, context)
  expect(problems).toEqual([])
  expect(servers.map(({ connection }) => connection)).toEqual([
    {
      type: 'stdio',
      command: '/h/ada/bin/shop',
      args: ['--root', '/code/shop', 'shop'],
      env: { KEY: '${SHOP_KEY}', PRICE: '$5' },
      envFile: '/code/shop/.env',
    },
    { type: 'sse', url: 'https://e.example/sse', headers: { Authorization: 'Bearer ${TOKEN}' } },
  ])
  expect(servers.map(({ folderVariables }) => folderVariables)).toEqual([
    ['${workspaceFolder}', '${workspaceFolderBasename}'],
    undefined,
  ])
})

it('reports the path of a variable that it cannot translate, and does not use the server', async () => {
  const text = JSON.stringify({
    mcpServers: { a: { command: 'x', env: { KEY: '${command:ask}' } }, b: { command: 'y' } },
  })
  const { servers, problems } = await cursor.parse(text, path, context)
  expect(servers.map(({ name }) => name)).toEqual(['b'])
  expect(problems).toMatchObject([{ file: path, path: 'mcpServers.a.env.KEY', severity: 'error' }])
})
