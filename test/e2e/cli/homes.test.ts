// Runs many commands with an empty home, with a home that cannot be written, and with the configs of all clients.

import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientFixtures, SECRET } from './client-files.ts'
import { covers, createHome, envOf, main, printed, run, serverScript, start, stopped } from './harness.ts'

/** The commands, with the exit code of each if nothing is configured. */
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
  [['add', 'one', '--dry-run', '--', 'none'], 0],
  [['disable', 'nothing'], 2],
  [['import'], 2],
  [['install', 'cursor', '--dry-run'], 0],
  [['uninstall', 'cursor', '--dry-run'], 0],
  [['doctor'], 0],
  [['stats'], 0],
  [['completion', 'bash'], 0],
  [['complete', '--', 'tools', ''], 0],
]

describe.concurrent('with an empty home', () => {
  const home = createHome()
  afterAll(() => home.remove())

  it.each(COMMANDS)('%j ends with exit code %i in an empty home, with and without --json', async (args, code) => {
    covers('CLI-HOME-EMPTY')
    expect((await run(home, args)).code).toBe(code)
    const json = await run(home, withJson(args))
    expect(json.code).toBe(code)
    expect(() => JSON.parse(json.stdout)).not.toThrow()
  })
})

describe.concurrent.each(lockedHomes())('with a home that cannot be written (%s)', (_, path) => {
  const project = createHome()
  const locked = { cwd: project.cwd, env: envOf(path) }
  afterAll(() => project.remove())

  it.each(COMMANDS)(
    '%j --json prints JSON and ends with exit code %i in a home that cannot be written',
    async (args, code) => {
      covers('CLI-HOME-LOCKED')
      const ran = await run(locked, withJson(args))
      expect(ran.code).toBe(code)
      expect(() => JSON.parse(ran.stdout)).not.toThrow()
    },
  )

  it('execute runs a tool and search finds it in a home that cannot be written', async () => {
    covers('CLI-HOME-LOCKED')
    const files = { command: process.execPath, args: [serverScript('filesystem'), project.cwd] }
    const config = project.write('project/here.json', { discovery: { servers: { files } } })
    project.write('project/a.txt', 'hello')
    const ran = await run(locked, ['execute', 'files:read_text_file', 'path=a.txt', '--config', config, '--quiet'])
    expect(ran).toMatchObject({ code: 0, stdout: 'hello\n' })
    const found = await run(locked, ['search', 'read file', '--config', config, '--quiet'])
    expect(found.stdout).toContain('files:read_text_file')
  })

  it('serve --http listens in a home that cannot be written, and reports that its token is not stored', async () => {
    covers('CLI-HOME-LOCKED')
    const child = start(locked, ['serve', '--http', '--port', '0', '--json'])
    const reported = printed(child, 'cannot be used', 'stderr')
    const served = JSON.parse(await printed(child, '}\n'))
    // The output is not a terminal, so it does not contain the token either.
    expect(served).toMatchObject({ token: null, mcp: expect.stringContaining('/mcp') })
    expect(served).not.toHaveProperty('tokenFile')
    expect(await reported).toContain('http.tokens')
    expect(await stopped(child, 'SIGTERM')).toBe(0)
  })

  it('install reports that it did not change a file in a home that cannot be written', async () => {
    covers('CLI-HOME-LOCKED')
    const ran = await run(locked, ['install', 'cursor', '--yes'])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('was not changed')
  })
})

describe('with a home that has the config of every client', () => {
  const home = createHome()
  const platform = process.platform === 'darwin' || process.platform === 'win32' ? process.platform : 'linux'
  const names = clientFixtures.flatMap(({ servers }) => servers).sort()
  beforeAll(() => {
    for (const { user, text } of clientFixtures) home.write(user[platform], text(home.cwd))
  })
  afterAll(() => home.remove())

  it('import finds the servers of all clients and shows no secret', async () => {
    covers('CLI-HOME-CLIENTS')
    const { stdout } = await run(home, ['import'])
    expect((await run(home, ['list', '--quiet'])).stdout.trim().split('\n').sort()).toEqual(names)
    expect(stdout).not.toContain(SECRET)
    expect(stdout).toMatch(/^Found 12 servers in 11 files:/)
  })

  it('commands other than doctor end with 0, 2 or 3, print JSON, and show no secret of the configs of clients', async () => {
    covers('CLI-HOME-CLIENTS')
    for (const [args] of COMMANDS.filter(([[name]]) => name !== 'doctor')) {
      const ran = await run(home, withJson(args))
      expect([0, 2, 3]).toContain(ran.code)
      expect(() => JSON.parse(ran.stdout)).not.toThrow()
      expect(ran.stdout + ran.stderr).not.toContain(SECRET)
    }
  })

  it('import --write copies the servers of all clients, and tools that a client disables stay disabled', async () => {
    covers('CLI-HOME-CLIENTS')
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

/** No user can create a folder below a file; a folder without permissions stops every user except root. */
function lockedHomes(): (readonly [what: string, path: string])[] {
  const { folder } = createHome()
  writeFileSync(join(folder, 'file'), '')
  const locked = join(folder, 'locked')
  mkdirSync(locked, { mode: 0o555 })
  return [
    ['below a file', join(folder, 'file', 'home')],
    isWritable(locked) ? ['of the kernel', '/sys'] : ['without rights', locked],
    // Node's recursive mkdir never ends in this folder.
    ...(existsSync('/proc/sys') ? [['in which no folder can be created', '/proc/sys'] as const] : []),
  ]
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

// Only root can start a process as another user.
it.skipIf(process.getuid?.() !== 0).each([['--version'], ['status'], ['list']])(
  'runs %s for a user without a home folder, such as that of some containers',
  (...args) => {
    // A number without an entry in /etc/passwd.
    const options = { env: { PATH: process.env.PATH }, cwd: '/', uid: 54_321, gid: 54_321, encoding: 'utf8' } as const
    expect(spawnSync(process.execPath, [main, ...args], options)).toMatchObject({ status: 0, stderr: '' })
  },
)
