// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import { symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sha256Of } from '../approval.ts'
import { tempFolder } from '../temp-folder.fixture.ts'
import { load, mcpServers, namesOf } from './load.fixture.ts'

describe('loadConfig without a config file', () => {
  it('returns the defaults and no servers if there is neither a config file nor a file of a client', async () => {
    const loaded = await load(tempFolder())
    expect(loaded).toMatchObject({ servers: [], rules: [], problems: [], isValid: true, origin: { kind: 'defaults' } })
    expect(loaded.config.discovery).toMatchObject({ enabled: true, cache: { enabled: true, ttl: 3_600 } })
  })

  it('imports the user files of every client in order of precedence if there is no config file', async () => {
    const folder = tempFolder()
    folder.write('home/.docker/mcp-servers.json', mcpServers('docker'))
    folder.write('home/.config/Claude/claude_desktop_config.json', mcpServers('desktop'))
    folder.write('home/.claude.json', mcpServers('code'))
    folder.write('home/.cursor/mcp.json', mcpServers('cursor'))
    folder.write('home/.config/Code/User/mcp.json', { servers: { vscode: { command: 'x' } } })
    folder.write('home/.copilot/mcp-config.json', mcpServers('copilot'))
    folder.write('home/.codeium/windsurf/mcp_config.json', mcpServers('windsurf'))
    folder.write('home/.codex/config.toml', '[mcp_servers.codex]\ncommand = "x"\n')
    folder.write('home/.gemini/settings.json', mcpServers('gemini'))
    folder.write('home/.config/zed/settings.json', { context_servers: { zed: { command: 'x' } } })
    folder.write('home/.config/opencode/opencode.jsonc', { mcp: { opencode: { type: 'local', command: ['x'] } } })
    const loaded = await load(folder)
    expect(namesOf(loaded)).toEqual([
      'docker',
      'desktop',
      'code',
      'cursor',
      'vscode',
      'copilot',
      'windsurf',
      'codex',
      'gemini',
      'zed',
      'opencode',
    ])
    expect(loaded.problems).toEqual([])
    expect(loaded.sources.every(({ state }) => state === 'used')).toBe(true)
  })

  it('uses files of the project only after an approval', async () => {
    const folder = tempFolder()
    const text = JSON.stringify(mcpServers('stranger'))
    const path = folder.write('work/.mcp.json', text)
    const unapproved = await load(folder)
    expect(unapproved.servers).toEqual([])
    // Claude Code and Copilot both read this file. It is reported once.
    expect(unapproved.problems).toMatchObject([{ file: path, severity: 'info' }])
    expect(namesOf(await load(folder, { approved: [{ path, sha256: sha256Of(text) }] }))).toEqual(['stranger'])
  })

  it('reads the files of other clients if the file of one client is broken', async () => {
    const folder = tempFolder()
    const broken = folder.write('home/.cursor/mcp.json', '{"mcpServers": {')
    folder.write('home/.claude.json', mcpServers('code'))
    const loaded = await load(folder)
    expect(namesOf(loaded)).toEqual(['code'])
    expect(loaded.problems).toMatchObject([{ file: broken, severity: 'error', line: 1 }])
    expect(loaded.isValid).toBe(true)
  })

  it('merges the same server of two clients, and keeps the tools disabled that one of them disables', async () => {
    const folder = tempFolder()
    folder.write('home/.claude.json', { mcpServers: { git: { command: 'git-server' } } })
    const second = folder.write(
      'home/.codex/config.toml',
      '[mcp_servers.git]\ncommand = "git-server"\ndisabled_tools = ["push"]\n',
    )
    const loaded = await load(folder)
    expect(loaded.servers).toMatchObject([{ name: 'git', origin: { source: 'claude-code' } }])
    expect(loaded.rules).toMatchObject([
      { server: 'git', pattern: ['push'], enabled: false, origin: { source: 'codex' } },
    ])
    expect(loaded.problems).toMatchObject([{ file: second, path: 'mcp_servers.git', severity: 'info' }])
  })
})

describe('loadConfig with a config file', () => {
  const discovery = { servers: { own: { command: 'own' } } }

  it.each([
    [
      'home/.toolcrib/config.ts',
      `const name: string = 'own'\nexport default { discovery: { servers: { [name]: { command: 'own' } } } }\n`,
    ],
    ['home/.toolcrib/config.mjs', `export default { discovery: ${JSON.stringify(discovery)} }\n`],
    ['home/.toolcrib/config.json', JSON.stringify({ discovery })],
    ['home/.toolcrib/config.jsonc', `// ours\n{ "discovery": { "servers": { "own": { "command": "own", }, }, }, }`],
    ['home/.toolcrib/config.yaml', 'discovery:\n  servers:\n    own:\n      command: own\n'],
    ['home/.config/toolcrib/config.yml', 'discovery: {servers: {own: {command: own}}}\n'],
  ])('reads the config file, and imports clients only if it names them: %s', async (path, text) => {
    const folder = tempFolder()
    folder.write('home/.claude.json', mcpServers('client'))
    const file = folder.write(path, text)
    const loaded = await load(folder)
    expect(loaded.problems).toEqual([])
    expect(namesOf(loaded)).toEqual(['own'])
    expect(loaded.origin).toMatchObject({ file })
    expect(loaded.servers[0]?.origin).toEqual({ source: 'config', file, path: 'discovery.servers.own' })
  })

  it('gives the config precedence over its sources, for servers and for rules', async () => {
    const folder = tempFolder()
    folder.write(
      'home/more.yaml',
      'servers:\n  both:\n    connection: {command: theirs}\n  more:\n    command: more\n    disabledTools: [drop]\n',
    )
    folder.write('home/.toolcrib/config.json', {
      discovery: {
        servers: [{ name: 'both', connection: { type: 'stdio', command: 'ours' } }],
        sources: [{ type: 'custom', path: './more.yaml' }],
        toolRules: [{ pattern: ['*'], enabled: true }],
      },
    })
    const loaded = await load(folder)
    expect(loaded.servers).toMatchObject([
      { name: 'both', connection: { command: 'ours' } },
      { name: 'both-custom', writtenName: 'both', connection: { command: 'theirs' } },
      { name: 'more' },
    ])
    expect(loaded.rules).toMatchObject([
      { pattern: ['*'], enabled: true },
      { server: 'more', pattern: ['drop'], enabled: false },
    ])
    expect(loaded.problems).toMatchObject([
      { file: folder.at('home/more.yaml'), path: 'servers.both', severity: 'warning' },
    ])
    expect(loaded.isValid).toBe(true)
  })

  it('serves no servers if the config has `enabled: false`', async () => {
    const folder = tempFolder()
    folder.write('home/.cursor/mcp.json', mcpServers('user'))
    folder.write('home/.toolcrib/config.json', {
      discovery: { enabled: false, ...discovery, sources: [{ type: 'cursor' }] },
    })
    expect(await load(folder)).toMatchObject({ servers: [], sources: [], problems: [] })
  })

  it('reports a config without servers and sources', async () => {
    const folder = tempFolder()
    folder.write('home/.toolcrib/config.json', { http: { port: 1 } })
    expect((await load(folder)).problems).toMatchObject([{ path: 'discovery', severity: 'warning' }])
  })

  it('does not report a config without servers if a plugin is a source of tools', async () => {
    const folder = tempFolder()
    folder.write('home/.toolcrib/config.mjs', "export default { plugins: { sources: [{ name: 'mine' }] } }\n")
    expect((await load(folder)).problems).toEqual([])
  })

  it('reports a config file if another one has precedence', async () => {
    const folder = tempFolder()
    const first = folder.write('home/.toolcrib/config.json', { discovery })
    const other = folder.write('home/.config/toolcrib/config.json', { discovery })
    const message = `Not used: ${first} has precedence`
    expect((await load(folder)).problems).toMatchObject([{ file: other, severity: 'warning', message }])
  })
})

it('resolves relative paths of servers from the folder above `.toolcrib`, and ~ from home', async () => {
  const folder = tempFolder()
  folder.write('home/.toolcrib/config.json', {
    discovery: {
      servers: {
        a: { command: '~/bin/a', cwd: './data', envFile: '~/.env' },
        b: { command: './b', cwd: '${ROOT}/x' },
      },
    },
  })
  expect((await load(folder)).servers.map(({ connection }) => connection)).toMatchObject([
    { command: folder.at('home/bin/a'), cwd: folder.at('home/data'), envFile: folder.at('home/.env') },
    { command: './b', cwd: '${ROOT}/x' },
  ])
})

it('resolves the paths of the audit log and of the certificate like those of servers, but replaces no reference', async () => {
  const folder = tempFolder()
  folder.write('home/.toolcrib/config.json', {
    audit: { file: '~/log/${day}.jsonl' },
    http: { tls: { cert: './tls.crt', key: '/etc/tls.key' } },
  })
  const { config } = await load(folder)
  expect(config.audit.file).toBe(folder.at('home/log/${day}.jsonl'))
  expect(config.http.tls).toEqual({ cert: folder.at('home/tls.crt'), key: '/etc/tls.key' })
})

it('reports the config of a folder that cannot be entered, and starts nothing without its rules', async () => {
  const folder = tempFolder()
  folder.write('home/.cursor/mcp.json', { mcpServers: { a: { command: 'a' } } })
  symlinkSync(folder.at('home/.toolcrib'), folder.at('home/.toolcrib'))
  const { isValid, origin, problems } = await load(folder)
  expect([isValid, origin]).toEqual([false, { kind: 'user', file: folder.at('home/.toolcrib/config.json') }])
  expect(problems).toContainEqual(expect.objectContaining({ message: 'This user has no access to its folder' }))
})

it('returns every file to watch, including missing files', async () => {
  const folder = tempFolder()
  const file = folder.write('home/.toolcrib/config.json', {
    discovery: { sources: [{ type: 'cursor' }, { type: 'custom', path: 'x.json' }] },
  })
  const { watched } = await load(folder)
  expect(watched).toEqual(
    expect.arrayContaining([
      file,
      folder.at('work/.toolcrib/config.ts'),
      folder.at('home/.cursor/mcp.json'),
      folder.at('home/x.json'),
    ]),
  )
})

it('loadConfig rejects when its signal is aborted', async () => {
  await expect(load(tempFolder(), { signal: AbortSignal.abort() })).rejects.toThrow('aborted')
})
