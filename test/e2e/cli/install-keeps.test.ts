// install keeps every server of a client working, and gives no client servers unasked. --purge removes our folders.

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startProtectedServer } from '../../../src/sources/upstream/auth/protected-server.fixture.ts'
import { CURSOR_TOKEN } from './client-files.ts'
import {
  browser,
  type CliHome,
  connect,
  covers,
  createHome,
  ended,
  hasTerminal,
  printed,
  run,
  runOnTerminal,
  serverScript,
  start,
} from './harness.ts'

let home: CliHome
const read = (path: string) => readFileSync(join(home.folder, path), 'utf8')
const config = () => JSON.parse(read('.config/toolcrib/config.json'))
const serversOf = (path: string) => JSON.parse(read(path)).mcpServers
const flowing = (text: string) => text.replaceAll(/\s+/g, ' ')

beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

/** The names of the backups beside the file of Cursor. */
const backups = () => readdirSync(join(home.folder, '.cursor')).filter((name) => name !== 'mcp.json')

it('servers that would stop working stay in the client, one of them moves after a login, and uninstall --purge removes our folders', async () => {
  covers('CLI-INSTALL-STAYS', 'CLI-PURGE')
  const server = await startProtectedServer()
  const program = { command: 'run', env: { API_TOKEN: CURSOR_TOKEN } }
  const mcpServers = {
    program,
    bound: { command: 'run', args: ['${workspaceFolder}'] },
    remote: { url: server.url },
  }
  const original = `${JSON.stringify({ mcpServers, theme: 'dark' }, null, 4)}\n`
  chmodSync(home.write('.cursor/mcp.json', original), 0o644)
  home.write('.gemini/settings.json', '{}')

  const first = await run(home, ['install', 'cursor', '--yes'])
  const left = 'Stays in the client: bound, because only the client knows its open folder (${workspaceFolder}).'
  const login =
    'Stays in the client: remote, because it needs a login. Run `toolcrib login remote`, then `toolcrib install cursor` again.'
  // In the plan and in the result.
  for (const text of [left, login]) expect(flowing(first.stdout).split(text)).toHaveLength(3)
  expect(Object.keys(serversOf('.cursor/mcp.json'))).toEqual(['toolcrib', 'bound', 'remote'])
  expect(Object.keys(config().discovery.servers)).toEqual(['program'])

  const logged = await run(home, ['login', 'remote'], { env: { BROWSER: browser } })
  expect(logged).toMatchObject({ code: 0, stdout: expect.stringContaining("Logged in to 'remote'") })
  const second = JSON.parse((await run(home, ['install', 'cursor', '--yes', '--json'])).stdout)
  expect(second).toMatchObject({ replaces: ['remote'], stays: [{ server: 'bound', command: null }] })
  expect(config().discovery.servers.remote).toEqual({ type: 'http', url: server.url })

  const gateway = start(home, ['serve', '--http', '--port', '0', '--json'])
  const ending = ended(gateway)
  await printed(gateway, '}\n')
  const ran = await run(home, ['uninstall', '--all', '--purge', '--yes'])
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  expect(read('.cursor/mcp.json')).toBe(original)
  expect(statSync(join(home.folder, '.cursor/mcp.json')).mode & 0o777).toBe(0o644)
  expect((await ending).code).toBe(0)
  expect(ran.stdout).toContain(`Ended the gateway with the process id ${gateway.pid}.`)
  for (const folder of ['.local/state', '.cache', '.config']) {
    expect(readdirSync(join(home.folder, folder))).toEqual([])
    expect(ran.stdout).toContain(`Removed ~/${folder}/toolcrib`)
  }
  expect(read('.gemini/settings.json')).toBe('{}')
  expect(backups()).toHaveLength(3)
  for (const name of backups()) {
    expect(ran.stdout).toContain(`  ~/.cursor/${name}\n`)
    expect(statSync(join(home.folder, '.cursor', name)).mode & 0o777).toBe(0o600)
  }
  expect(ran.stdout).not.toContain(CURSOR_TOKEN)
}, 90_000)

it('uninstall --purge removes nothing if the file of a client cannot be restored, and is refused without --all', async () => {
  covers('CLI-PURGE')
  home.write('.cursor/mcp.json', { mcpServers: { a: { command: 'x' } } })
  await run(home, ['install', 'cursor', '--yes'])
  home.write('.cursor/mcp.json', `${read('.cursor/mcp.json')} broken`)
  const ran = await run(home, ['uninstall', '--all', '--purge', '--yes'])
  expect(ran.code).toBe(2)
  expect(flowing(ran.stdout)).toContain('Nothing was removed, because not every client is restored')
  const installed = read('.cursor/mcp.json').replace(' broken', '')
  // The same if the broken file no longer contains the gateway, and if there is no backup.
  for (const text of ['{ "mcpServers": { broken', installed]) {
    home.write('.cursor/mcp.json', text)
    if (text === installed) for (const name of backups()) rmSync(join(home.folder, '.cursor', name))
    const again = await run(home, ['uninstall', '--all', '--purge', '--yes'])
    expect(again).toMatchObject({ code: 2, stdout: expect.stringContaining('Nothing was removed') })
    if (text === installed)
      expect(flowing(again.stdout)).toContain(
        '/.cursor/mcp.json has no backup, so its servers may exist only in the config. Run `toolcrib uninstall cursor`, write',
      )
    expect(read('.cursor/mcp.json')).toBe(text)
  }
  expect(existsSync(join(home.folder, '.local/state/toolcrib/installed.json'))).toBe(true)
  expect(config().discovery.servers).toEqual({ a: { command: 'x' } })
  const alone = await run(home, ['uninstall', '--purge', '--yes'])
  expect(alone).toMatchObject({ code: 1, stderr: expect.stringContaining('--all') })
}, 60_000)

it('uninstall does not miss servers of a client that had no file before install, and --purge removes the gateway from it', async () => {
  covers('CLI-INSTALL-OTHERS', 'CLI-PURGE')
  home.write('.cursor/mcp.json', { mcpServers: { c: { command: 'c' } } })
  const install = () => run(home, ['install', 'gemini', '--with-others', '--yes'])
  expect(flowing((await install()).stdout)).toContain('`toolcrib uninstall gemini` removes it again.')
  // The second install finds the file, which only contains the gateway.
  await install()
  const { stdout } = await run(home, ['uninstall', 'gemini', '--yes'])
  expect(stdout).toContain('The gateway is removed from gemini; there is no server to restore.')
  expect(stdout).not.toContain('No server is restored')
  expect(flowing(stdout)).toContain(
    'Left in place: ~/.gemini/settings.json (created by `toolcrib install`), ~/.config/toolcrib/config.json (the config of the gateway)',
  )
  await install()
  const purged = await run(home, ['uninstall', '--all', '--purge', '--yes'])
  expect(purged.code).toBe(0)
  expect(serversOf('.gemini/settings.json')).toEqual({})
}, 60_000)

it('install warns that the gateway of a client without servers would be empty', async () => {
  covers('CLI-INSTALL-OTHERS')
  home.write('.cursor/mcp.json', { mcpServers: { c: { command: 'c' } } })
  home.write('.gemini/settings.json', { mcpServers: {} })
  const warning =
    'This gateway would have no servers: run `toolcrib install gemini --with-others` instead to give it the servers of your other clients.'
  const written =
    'This gateway would have no servers: run `toolcrib uninstall gemini`, then `toolcrib install gemini --with-others`, to give it the servers of your other clients.'
  const install = async (...words: string[]) => flowing((await run(home, ['install', ...words])).stdout)
  expect(await install('gemini', '--dry-run')).toContain(warning)
  expect(await install('cursor', '--yes')).not.toContain('no servers')
  expect(await install('gemini', '--dry-run')).toContain(warning)
  expect(await install('gemini', '--with-others', '--dry-run')).not.toContain('no servers')
  const installed = await install('gemini', '--yes')
  expect(installed).toContain(written)
  expect(installed.split('toolcrib uninstall gemini`, then')).toHaveLength(2)
  await run(home, ['uninstall', 'gemini', '--yes'])
  expect(await install('gemini', '--with-others', '--yes')).toContain(
    'gemini also gets these servers of other clients: c',
  )
}, 60_000)

it('a client gets the servers of other clients only with --with-others, and otherwise a config of its own', async () => {
  covers('CLI-INSTALL-OTHERS')
  const files = { command: process.execPath, args: [serverScript('filesystem'), home.cwd] }
  home.write('.cursor/mcp.json', { mcpServers: { c: { command: 'c' } } })
  const gemini = JSON.stringify({ mcpServers: { files } })
  home.write('.gemini/settings.json', gemini)
  const first = await run(home, ['install', 'cursor', '--yes'])
  expect(flowing(first.stdout)).toContain('cursor does not get these servers of other clients: files (gemini).')
  expect(config()).toEqual({ discovery: { servers: { c: { command: 'c' } } } })

  const installed = JSON.parse((await run(home, ['install', 'gemini', '--yes', '--json'])).stdout)
  const own = join(home.folder, '.config/toolcrib/config.gemini.json')
  expect(installed).toMatchObject({ config: own, others: [{ server: 'c', client: 'cursor' }], withOthers: false })
  expect(Object.keys(config().discovery.servers)).toEqual(['c'])
  const client = await connect(home, serversOf('.gemini/settings.json').toolcrib)
  const { content } = await client.callTool({ name: 'list_mcp_servers', arguments: {} })
  await client.close()
  expect(JSON.stringify(content)).toContain('files')
  expect(JSON.stringify(content)).not.toContain('\\"c\\"')
  expect((await run(home, ['install', 'gemini', '--yes'])).stdout).toContain('Nothing to do')

  const refused = await run(home, ['install', 'gemini', '--yes', '--with-others'])
  expect(flowing(refused.stderr)).toContain('Run `toolcrib uninstall gemini` first')
  await run(home, ['uninstall', 'gemini', '--yes'])
  expect(read('.gemini/settings.json')).toBe(gemini)
  await run(home, ['install', 'gemini', '--yes', '--with-others'])
  expect(Object.keys(config().discovery.servers)).toEqual(['c', 'files'])
}, 60_000)

it.runIf(hasTerminal)('install asks on a terminal whether a client gets the servers of other clients', async () => {
  covers('CLI-INSTALL-OTHERS')
  home.write('.gemini/settings.json', { mcpServers: { g: { command: 'g' } } })
  const typed = [['Give them to cursor too? [y/N]', 'y\n'] as const, ['mcp.json? [y/N]', 'y\n'] as const]
  const ran = await runOnTerminal(home, ['install', 'cursor'], { typed, env: { NO_COLOR: '1' }, columns: 200 })
  expect(ran.stdout).toContain('cursor does not have these servers of other clients: g (gemini).')
  expect(ran.stdout).toContain('cursor also gets these servers of other clients: g (gemini)')
  expect(config().discovery.sources).toEqual([{ type: 'gemini' }])
})

it('import does not copy a server that depends on the open folder of its client, and names it with the reason', async () => {
  covers('CLI-IMPORT')
  const bound = { command: 'run', args: ['${workspaceFolder}'] }
  home.write('.cursor/mcp.json', { mcpServers: { bound, free: { command: 'x' } } })
  const ran = await run(home, ['import', '--write', '--yes', '--json'])
  const reason = 'only the client knows its open folder (${workspaceFolder})'
  const { added, notTaken } = JSON.parse(ran.stdout)
  expect(added).toEqual(['free'])
  expect(notTaken).toMatchObject([{ server: 'bound', client: 'cursor', reason }])
  expect(Object.keys(config().discovery.servers)).toEqual(['free'])
})

it.each([
  ['import', []],
  ['import --dry-run', ['--dry-run']],
  ['import --write', ['--write', '--yes']],
])(
  '%s gives a server that depends on the open folder of its client no check mark, and the reason',
  async (_, flags) => {
    covers('CLI-IMPORT')
    const bound = { command: 'run', args: ['${workspaceFolder}'] }
    home.write('.cursor/mcp.json', { mcpServers: { bound, free: { command: 'x' } } })
    const { stdout } = await run(home, ['import', ...flags])
    expect(stdout).toContain('  - bound (not imported)\n')
    expect(stdout).toContain('  ✓ free\n')
    const reason = 'only the client knows its open folder (${workspaceFolder})'
    expect(stdout.split(`Not imported: bound of cursor (${reason})\n`)).toHaveLength(2)
  },
)

it('import names the reason even if there is no server that it can import', async () => {
  covers('CLI-IMPORT')
  home.write('.cursor/mcp.json', { mcpServers: { bound: { command: 'run', args: ['${workspaceFolder}'] } } })
  const { stdout } = await run(home, ['import', '--write', '--yes'])
  expect(stdout).toContain('Not imported: bound of cursor (only the client knows its open folder')
  expect(stdout).toContain('Nothing to write: these servers cannot be imported.')
})
