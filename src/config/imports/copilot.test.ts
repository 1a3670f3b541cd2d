import { expect, it } from 'vitest'
import { copilot } from './copilot.ts'
import { context, importerContract } from './importer.contract.ts'
import { commonEntry, environments, MALFORMED_JSON } from './mcp-servers.fixture.ts'

const path = '/h/ada/.copilot/mcp-config.json'

importerContract({
  importer: copilot,
  path,
  entry: (server) => ({ type: 'url' in server ? 'http' : 'local', tools: ['*'], ...commonEntry(server) }),
  document: (entries) => ({ mcpServers: entries }),
  malformed: MALFORMED_JSON,
})

it.each([
  ['linux', '/h/ada/.copilot/mcp-config.json', '/code/shop/.mcp.json'],
  ['darwin', '/h/ada/.copilot/mcp-config.json', '/code/shop/.mcp.json'],
  ['win32', 'C:\\Ada\\.copilot\\mcp-config.json', 'D:\\shop\\.mcp.json'],
] as const)('finds the files of Copilot on %s', (platform, user, project) => {
  expect(copilot.paths(environments[platform])).toEqual([
    { path: user, scope: 'user' },
    { path: project, scope: 'project' },
  ])
})

it('finds the file of Copilot in COPILOT_HOME', () => {
  const [user] = copilot.paths({ ...environments.linux, env: { COPILOT_HOME: '/cop' } })
  expect(user).toEqual({ path: '/cop/mcp-config.json', scope: 'user' })
})

it('turns the list of allowed tools into rules', async () => {
  const text = JSON.stringify({
    mcpServers: {
      some: { command: 'x', tools: ['read', 'list'] },
      none: { command: 'x', tools: [] },
      all: { command: 'x', tools: ['*'] },
    },
  })
  const { rules } = await copilot.parse(text, path, context)
  expect(rules).toMatchObject([
    { server: 'some', pattern: ['!/^read$/', '!/^list$/'], enabled: false },
    { server: 'none', pattern: ['*'], enabled: false },
  ])
})
