// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import { describe, expect, it } from 'vitest'
import { context, importerContract } from './importer.contract.ts'
import { environments } from './mcp-servers.fixture.ts'
import { opencode } from './opencode.ts'

const path = '/h/ada/.config/opencode/opencode.jsonc'

importerContract({
  importer: opencode,
  path,
  entry({ off, ...server }) {
    const enabled = off === true ? { enabled: false } : {}
    if ('url' in server) return { type: 'remote', url: server.url, headers: server.headers ?? {}, ...enabled }
    const { command, args = [], env = {} } = server
    return { type: 'local', command: [command, ...args], environment: env, ...enabled }
  },
  document: (entries) => ({ theme: 'dark', mcp: entries }),
  malformed: '{\n  "mcp": {"a" "b"}\n}',
})

it.each([
  ['linux', '/h/ada/.config/opencode/opencode.json', '/code/shop/opencode.json'],
  ['darwin', '/h/ada/.config/opencode/opencode.json', '/code/shop/opencode.json'],
  ['win32', 'C:\\Ada\\.config\\opencode\\opencode.json', 'D:\\shop\\opencode.json'],
] as const)('finds the files of opencode on %s', (platform, user, project) => {
  expect(opencode.paths(environments[platform])).toEqual([
    { path: user, scope: 'user' },
    { path: `${user}c`, scope: 'user' },
    { path: project, scope: 'project' },
    { path: `${project}c`, scope: 'project' },
  ])
})

it('translates the variables of opencode, and escapes text that looks like our references', async () => {
  const text = `{
    "mcp": {
      "a": { "type": "local", "command": ["x", "\${LITERAL}"], "environment": { "KEY": "{env:MY_KEY}" } }, // one
      "b": { "type": "remote", "url": "https://b.example", "headers": { "Authorization": "{file:~/.token}" } },
    },
  }`
  const { servers, problems } = await opencode.parse(text, path, context)
  expect(servers.map(({ connection }) => connection)).toEqual([
    { type: 'stdio', command: 'x', args: ['$${LITERAL}'], env: { KEY: '${MY_KEY}' } },
  ])
  expect(problems).toMatchObject([{ path: 'mcp.b.headers.Authorization', severity: 'error' }])
})

describe('tools that opencode disables outside of the server entries', () => {
  const rulesWith = async (settings: Record<string, unknown>) => {
    const mcp = { github: { type: 'local', command: ['x'] }, files: { type: 'local', command: ['y'] } }
    const { rules, problems } = await opencode.parse(JSON.stringify({ mcp, ...settings }), path, context)
    return { rules: rules.map(({ server, pattern }) => [server, pattern]), problems }
  }

  it.each([
    [{ tools: { 'github_*': false } }, [['github', ['*']]]],
    [{ tools: { 'github*': false } }, [['github', ['*']]]],
    [{ tools: { github_drop: false, files_read: true } }, [['github', ['drop']]]],
    [
      { tools: { '*_drop': false } },
      [
        ['github', ['*_drop', 'drop']],
        ['files', ['*_drop', 'drop']],
      ],
    ],
    [
      { tools: { '*': false, 'files_*': true } },
      [
        ['github', ['*']],
        ['files', ['*']],
      ],
    ],
    [{ tools: { 'g?thub_r*': false } }, [['github', ['r*']]]],
    [{ tools: { write: false, bash: false } }, []],
    [{ permission: { 'github_drop*': 'deny', github_read: 'ask', edit: { '*': 'deny' } } }, [['github', ['drop*']]]],
    [
      { permission: 'deny' },
      [
        ['github', ['*']],
        ['files', ['*']],
      ],
    ],
    [{ permission: 'allow' }, []],
  ])('are turned into rules: %j', async (settings, rules) => {
    expect(await rulesWith(settings)).toEqual({ rules, problems: [] })
  })

  it('include the tools of a setting that cannot be read', async () => {
    expect(await rulesWith({ tools: { 'github_*': 'no' } })).toMatchObject({
      rules: [['github', ['*']]],
      problems: [{ path: 'tools["github_*"]', severity: 'error' }],
    })
    expect(await rulesWith({ tools: { [`x${'*'.repeat(300)}`]: false } })).toMatchObject({
      rules: [
        ['github', ['*']],
        ['files', ['*']],
      ],
      problems: [{ path: 'tools' }],
    })
    expect(await rulesWith({ tools: 'none' })).toMatchObject({
      rules: [
        ['github', ['*']],
        ['files', ['*']],
      ],
    })
  })
})
