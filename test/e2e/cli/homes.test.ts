// Every command with a home that is empty, one that cannot be written, and one with every client's config in it.

import { accessSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHome, envOf, type Home, run, serverScript } from './harness.ts'

/** With the exit code that each has where nothing is configured. */
const COMMANDS: readonly (readonly [args: readonly string[], code: number])[] = [
  [['status'], 0],
  [['list', '--status', '--tools'], 0],
  [['search', 'anything'], 2],
  [['tools', 'nothing'], 2],
  [['inspect', 'nothing', 'at-all'], 2],
  [['execute', 'nothing', 'at-all'], 2],
  [['config', 'show'], 0],
  [['config', 'validate'], 0],
  [['config', 'sources'], 0],
  [['config', 'reload'], 2],
  [['import'], 2],
  [['install', 'cursor', '--dry-run'], 0],
  [['uninstall', 'cursor', '--dry-run'], 0],
  [['doctor'], 0],
  [['stats'], 0],
  [['completion', 'bash'], 0],
  [['complete', '--', 'tools', ''], 0],
]

describe('an empty home', () => {
  let home: Home
  beforeAll(() => {
    home = createHome()
  })
  afterAll(() => home.remove())

  it.each(COMMANDS)('lets %j end with exit code %i, with and without --json', async (args, code) => {
    expect((await run(home, args)).code).toBe(code)
    const json = await run(home, withJson(args))
    expect(json.code).toBe(code)
    expect(() => JSON.parse(json.stdout)).not.toThrow()
  })
})

describe('a home that cannot be written', () => {
  const place = readOnlyHome()
  let project: Home
  beforeAll(() => {
    project = createHome()
  })
  afterAll(() => project.remove())

  it.each(COMMANDS)('lets %j end with exit code %i', async (args, code) => {
    const ran = await run({ cwd: project.cwd, env: envOf(place) }, withJson(args))
    expect(ran.code).toBe(code)
    expect(() => JSON.parse(ran.stdout)).not.toThrow()
  })

  it('still lets a tool run, whose server has to be asked what it has first', async () => {
    const files = { command: process.execPath, args: [serverScript('filesystem'), project.cwd] }
    const config = project.write('project/here.json', { discovery: { servers: { files } } })
    project.write('project/a.txt', 'hello')
    const ran = await run({ cwd: project.cwd, env: envOf(place) }, [
      'execute',
      'files:read_text_file',
      'path=a.txt',
      '--config',
      config,
      '--quiet',
    ])
    expect(ran).toMatchObject({ code: 0, stdout: 'hello\n' })
    const found = await run({ cwd: project.cwd, env: envOf(place) }, [
      'search',
      'read file',
      '--config',
      config,
      '--quiet',
    ])
    expect(found.stdout).toContain('files:read_text_file')
  })

  it('says that it cannot be written where something is to be', async () => {
    const ran = await run({ cwd: project.cwd, env: envOf(place) }, ['install', 'cursor', '--yes'])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('was not changed')
  })
})

describe("a home with every client's config", () => {
  let home: Home
  const entry = (name: string) => ({
    [name]: { command: 'run', args: [name], env: { [`${name.toUpperCase()}_TOKEN`]: 'literal-secret' } },
  })
  beforeAll(() => {
    home = createHome()
    const mac = process.platform === 'darwin' ? 'Library/Application Support' : '.config'
    home.write(`${mac}/Claude/claude_desktop_config.json`, { mcpServers: entry('desktop') })
    home.write('.claude.json', { mcpServers: entry('code'), projects: { [home.cwd]: { mcpServers: entry('here') } } })
    home.write('.cursor/mcp.json', { mcpServers: entry('cursor') })
    home.write(`${mac}/Code/User/mcp.json`, '// mine\n{"servers": {"vscode": {"type": "stdio", "command": "run"}}}')
    home.write('.copilot/mcp-config.json', { mcpServers: entry('copilot') })
    home.write('.codeium/windsurf/mcp_config.json', {
      mcpServers: { windsurf: { serverUrl: 'https://example.com/mcp' } },
    })
    home.write('.codex/config.toml', '[mcp_servers.codex]\ncommand = "run"\nenabled_tools = ["a"]\n')
    home.write('.gemini/settings.json', { mcpServers: { gemini: { httpUrl: 'https://example.com/mcp' } } })
    home.write('.config/zed/settings.json', '{"context_servers": {"zed": {"command": {"path": "run", "args": []}}}}')
    home.write('.config/opencode/opencode.json', { mcp: { opencode: { type: 'local', command: ['run'] } } })
    home.write('.docker/mcp-servers.json', { mcpServers: entry('docker') })
  })
  afterAll(() => home.remove())

  const names = [
    'code',
    'codex',
    'copilot',
    'cursor',
    'desktop',
    'docker',
    'gemini',
    'here',
    'opencode',
    'vscode',
    'windsurf',
    'zed',
  ]

  it('is found as a whole, and no secret of it is shown', async () => {
    const { stdout } = await run(home, ['import'])
    expect((await run(home, ['list', '--quiet'])).stdout.trim().split('\n').sort()).toEqual(names)
    expect(stdout).not.toContain('literal-secret')
    expect(stdout).toMatch(/^Found 12 servers in 11 files:/)
  })

  it('lets every command end, and searching leaves those alone that could not be started', async () => {
    for (const [args] of COMMANDS.filter(([[name]]) => name !== 'doctor')) {
      const ran = await run(home, withJson(args))
      expect([0, 2, 3]).toContain(ran.code)
      expect(ran.stdout + ran.stderr).not.toContain('literal-secret')
    }
  }, 90_000)

  it('can be taken over as a whole, with what a client had disabled still disabled', async () => {
    expect((await run(home, ['import', '--write', '--yes'])).code).toBe(0)
    expect((await run(home, ['list', '--quiet'])).stdout.trim().split('\n').sort()).toEqual(names)
    const { toolRules } = JSON.parse((await run(home, ['config', 'show', '--json'])).stdout)
    expect(toolRules).toContainEqual(expect.objectContaining({ server: 'codex', enabled: false }))
  })
})

function withJson(args: readonly string[]): string[] {
  const [first = '', second = '', ...rest] = args
  const isNested = first === 'config'
  return isNested ? [first, second, '--json', ...rest] : [first, '--json', ...args.slice(1)]
}

/** For a user who may write anywhere, a place where nobody can. */
function readOnlyHome(): string {
  const folder = createHome().folder
  const place = join(folder, 'locked')
  mkdirSync(place, { mode: 0o555 })
  try {
    accessSync(place, constants.W_OK)
    return '/sys'
  } catch {
    return place
  }
}
