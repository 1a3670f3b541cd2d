// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import { stringify } from 'smol-toml'
import { expect, it } from 'vitest'
import { resolveConnection } from '../connection-kinds.ts'
import { codex } from './codex.ts'
import { context, importerContract } from './importer.contract.ts'
import { environments } from './mcp-servers.fixture.ts'

const path = '/h/ada/.codex/config.toml'

importerContract({
  importer: codex,
  path,
  entry({ off, ...server }) {
    const common = 'url' in server ? { url: server.url, http_headers: server.headers ?? {} } : server
    return { ...common, ...(off === true ? { enabled: false } : {}) }
  },
  document: (entries) => ({ model: 'large', mcp_servers: entries }),
  render: stringify,
  malformed: 'model = "x"\nmcp_servers = = 3\n',
})

it.each([
  ['linux', '/h/ada/.codex/config.toml', '/code/shop/.codex/config.toml'],
  ['darwin', '/h/ada/.codex/config.toml', '/code/shop/.codex/config.toml'],
  ['win32', 'C:\\Ada\\.codex\\config.toml', 'D:\\shop\\.codex\\config.toml'],
] as const)('finds the files of Codex on %s', (platform, user, project) => {
  expect(codex.paths(environments[platform])).toEqual([
    { path: user, scope: 'user' },
    { path: project, scope: 'project' },
  ])
})

it('finds the file of Codex in CODEX_HOME', () => {
  const [user] = codex.paths({ ...environments.linux, env: { CODEX_HOME: '/cdx' } })
  expect(user).toEqual({ path: '/cdx/config.toml', scope: 'user' })
})

it('turns variable names into references, and treats all other text literally', async () => {
  const text = `
    [mcp_servers.docs]
    command = "npx"
    args = ["-y", "docs-server", "\${LITERAL}"]
    env_vars = ["LOCAL_TOKEN", { name = "REMOTE_TOKEN", source = "remote" }]
    cwd = "~/docs"
    tool_timeout_sec = 90.5
    startup_timeout_sec = 20
    [mcp_servers.docs.env]
    KEY = "\${ALSO_LITERAL}"

    [mcp_servers.figma]
    url = "https://mcp.figma.example/mcp"
    bearer_token_env_var = "FIGMA_TOKEN"
    http_headers = { "X-Region" = "us-east-1" }
    env_http_headers = { "X-Team" = "FIGMA_TEAM" }
    enabled_tools = ["open", "screenshot"]
    disabled_tools = ["screenshot"]
  `
  const { servers, rules, problems } = await codex.parse(text, path, context)
  expect(problems).toEqual([])
  const [docs, figma] = servers
  expect(docs).toMatchObject({ timeoutMs: 90_500, connection: { cwd: '/h/ada/docs' } })
  expect(resolveConnection(docs!.connection, { REMOTE_TOKEN: 'r' })).toMatchObject({
    ok: true,
    connection: {
      args: ['-y', 'docs-server', '${LITERAL}'],
      env: { KEY: '${ALSO_LITERAL}', LOCAL_TOKEN: '', REMOTE_TOKEN: 'r' },
    },
  })
  expect(figma?.connection).toEqual({
    type: 'http',
    url: 'https://mcp.figma.example/mcp',
    headers: { 'X-Region': 'us-east-1', 'X-Team': '${FIGMA_TEAM}', Authorization: 'Bearer ${FIGMA_TOKEN}' },
  })
  expect(rules).toMatchObject([
    { server: 'figma', pattern: ['!/^open$/', '!/^screenshot$/'], enabled: false },
    { server: 'figma', pattern: ['screenshot'], enabled: false },
  ])
})

it('rejects a value that is not a variable name, without quoting it', async () => {
  const { servers, problems } = await codex.parse(
    '[mcp_servers.a]\nurl = "https://a.example"\nbearer_token_env_var = "sk-5ecret!"\n',
    path,
    context,
  )
  expect(servers).toEqual([])
  expect(problems).toMatchObject([{ path: 'mcp_servers.a.bearer_token_env_var', expected: 'the name of a variable' }])
  expect(JSON.stringify(problems)).not.toContain('5ecret')
})
