// toolcrib install and uninstall: what they change and keep, and that they show no secret.

import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { importers } from '../../../src/config/imports/builtins.ts'
import { clientNames } from '../../../src/setup/known-clients.ts'
import { CURSOR_TOKEN, cursorText } from './client-files.ts'
import {
  type CliHome,
  connect,
  covers,
  createHome,
  ended,
  hasTerminal,
  main,
  printed,
  run,
  serverScript,
} from './harness.ts'

let home: CliHome
const read = (path: string) => readFileSync(join(home.folder, path), 'utf8')
const config = () => JSON.parse(read('.config/toolcrib/config.json'))

beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

describe('install', () => {
  it('install shows the change and writes nothing with --dry-run', async () => {
    covers('CLI-INSTALL-DRY')
    home.write('.cursor/mcp.json', cursorText)
    const { stdout, code } = await run(home, ['install', 'cursor', '--dry-run'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\+ +"toolcrib": \{$/m)
    expect(stdout).toMatch(/^- +"github": .*"GITHUB_TOKEN": "\*\*\*"/m)
    expect(stdout).not.toContain(CURSOR_TOKEN)
    expect(read('.cursor/mcp.json')).toBe(cursorText)
    expect(existsSync(join(home.folder, '.config'))).toBe(false)
    expect((await run(home, ['install', 'cursor'])).code).toBe(1)
    expect(read('.cursor/mcp.json')).toBe(cursorText)
  })

  it('install replaces the enabled servers with the gateway, keeps a backup, and uninstall restores the file', async () => {
    covers('CLI-INSTALL', 'CLI-UNINSTALL')
    home.write('.cursor/mcp.json', cursorText)
    home.write('.gemini/settings.json', { mcpServers: { g: { command: 'x' } } })
    const before = (await run(home, ['list', '--quiet'])).stdout
    const installed = await run(home, ['install', 'cursor', '--yes', '--with-others', '--json'])
    expect(JSON.parse(installed.stdout)).toMatchObject({ written: true, replaces: ['github'], withOthers: true })
    expect(read('.cursor/mcp.json')).toContain('"off": {"command": "old", "disabled": true}')
    expect(read('.cursor/mcp.json')).not.toContain('"github"')
    // The gateway still serves every server that was served before, and never itself.
    expect((await run(home, ['list', '--quiet'])).stdout.split('\n').sort()).toEqual(before.split('\n').sort())
    const copies = readdirSync(join(home.folder, '.cursor')).filter((name) => name.includes('.toolcrib-backup-'))
    expect(copies).toHaveLength(1)
    expect(read(`.cursor/${copies[0]}`)).toBe(cursorText)
    expect((await run(home, ['install', 'cursor', '--yes'])).stdout).toContain('Nothing to do')
    expect((await run(home, ['uninstall', 'cursor', '--yes'])).code).toBe(0)
    expect(read('.cursor/mcp.json')).toBe(cursorText)
    expect((await run(home, ['uninstall', 'cursor', '--yes'])).stdout).toContain('Nothing to do')
  }, 60_000)

  it('uninstall restores the servers even if the file was edited since', async () => {
    covers('CLI-UNINSTALL')
    home.write('.cursor/mcp.json', cursorText)
    await run(home, ['install', 'cursor', '--yes'])
    home.write('.cursor/mcp.json', read('.cursor/mcp.json').replace('"off":', '"new": {"command": "n"}, "off":'))
    await run(home, ['uninstall', 'cursor', '--yes'])
    const back = read('.cursor/mcp.json')
    for (const name of ['github', 'new', 'off', CURSOR_TOKEN]) expect(back).toContain(name)
    expect(back).not.toContain('toolcrib')
  })

  it('uninstall keeps later edits: added servers, removed servers and other settings', async () => {
    covers('CLI-UNINSTALL', 'CLI-INSTALL-COMMAND')
    home.write('.cursor/mcp.json', cursorText)
    await run(home, ['install', 'cursor', '--yes'])
    const edited = JSON.parse(read('.cursor/mcp.json').replace('// mine', ''))
    home.write('.cursor/mcp.json', {
      other: 1,
      mcpServers: { toolcrib: edited.mcpServers.toolcrib, later: { command: 'l' } },
    })
    // The second install replaces the servers that were added after the first.
    await run(home, ['install', 'cursor', '--yes', '--command', 'npx -y "toolcrib" serve'])
    const servers = () => JSON.parse(read('.cursor/mcp.json')).mcpServers
    expect(servers()).toEqual({ toolcrib: { command: 'npx', args: ['-y', 'toolcrib', 'serve'] } })
    const ran = await run(home, ['uninstall', 'cursor', '--yes', '--json'])
    expect(JSON.parse(ran.stdout)).toMatchObject({ written: true, restores: ['later', 'github'] })
    expect(Object.keys(servers())).toEqual(['later', 'github'])
    expect(JSON.parse(read('.cursor/mcp.json')).other).toBe(1)
  }, 60_000)

  it('install writes a command that starts this program, and a client that runs it is served', async () => {
    covers('CLI-INSTALL-COMMAND')
    const files = { command: process.execPath, args: [serverScript('filesystem'), home.cwd] }
    home.write('.cursor/mcp.json', { mcpServers: { files } })
    expect((await run(home, ['install', 'cursor', '--yes'])).code).toBe(0)
    const { toolcrib } = JSON.parse(read('.cursor/mcp.json')).mcpServers
    expect(toolcrib).toEqual({ command: process.execPath, args: [main, 'serve'] })
    const client = await connect(home, toolcrib)
    const found = await client.callTool({ name: 'list_mcp_servers', arguments: {} })
    expect(JSON.stringify(found.content)).toContain('files')
    expect(JSON.stringify(found.content)).not.toContain('toolcrib')
    await client.close()
  }, 60_000)

  it("install replaces Claude Code's servers for this project, keeps those of other projects, and uninstall restores them", async () => {
    covers('CLI-INSTALL', 'CLI-UNINSTALL')
    const before = {
      mcpServers: { all: { command: 'a' } },
      projects: {
        [home.cwd]: { mcpServers: { here: { command: 'h', env: { API_KEY: CURSOR_TOKEN } } }, history: [1] },
        '/elsewhere': { mcpServers: { there: { command: 't' } } },
      },
    }
    home.write('.claude.json', before)
    const shown = await run(home, ['install', 'claude-code', '--dry-run'])
    expect(shown.stdout).not.toContain(CURSOR_TOKEN)
    await run(home, ['install', 'claude-code', '--yes'])
    expect(JSON.parse(read('.claude.json'))).toEqual({
      mcpServers: { toolcrib: { type: 'stdio', command: process.execPath, args: [main, 'serve'] } },
      projects: { ...before.projects, [home.cwd]: { mcpServers: {}, history: [1] } },
    })
    expect(Object.keys(config().discovery.servers).sort()).toEqual(['all', 'here'])
    await run(home, ['uninstall', 'claude-code', '--yes'])
    expect(JSON.parse(read('.claude.json'))).toEqual(before)
  }, 60_000)

  it("install refuses 'custom', which is a file type and not a client, and lists the clients", async () => {
    covers('CLI-INSTALL-EVERY')
    const ran = await run(home, ['install', 'custom'])
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain("'custom' is a type of config file and not a client")
    for (const name of clientNames()) expect(ran.stderr).toContain(`'${name}'`)
    expect((await run(home, ['install', 'cursor', '--command', ' '])).code).toBe(1)
  })

  it("install writes the project's file with --project, and the project's config beside it", async () => {
    covers('CLI-INSTALL-PROJECT')
    home.write('project/.mcp.json', { mcpServers: { theirs: { command: 'run-me' } } })
    expect((await run(home, ['install', 'claude-code', '--project', '--yes'])).code).toBe(0)
    expect(JSON.parse(read('project/.mcp.json')).mcpServers).toEqual({
      toolcrib: { type: 'stdio', command: process.execPath, args: [main, 'serve'] },
    })
    expect(JSON.parse(read('project/.toolcrib/config.json')).discovery.servers).toEqual({
      theirs: { command: 'run-me' },
    })
    expect((await run(home, ['install', 'claude-desktop', '--project', '--yes'])).code).toBe(1)
  })

  it('install refuses an unknown client, and a file that cannot be parsed', async () => {
    const unknown = await run(home, ['install', 'crsor'])
    expect(unknown.code).toBe(1)
    expect(unknown.stderr).toContain("did you mean 'cursor'?")
    home.write('.cursor/mcp.json', '{ "mcpServers": ')
    expect((await run(home, ['install', 'cursor', '--yes'])).code).toBe(2)
    expect(read('.cursor/mcp.json')).toBe('{ "mcpServers": ')
  })

  it.each(clientNames())(
    'install creates the file of %s with our entry, and uninstall removes the entry',
    async (client) => {
      covers('CLI-INSTALL-EVERY')
      const environment = { home: home.folder, cwd: home.cwd, platform: process.platform, env: {} }
      const [file] = importers.get(client)!.paths(environment)
      expect((await run(home, ['install', client, '--yes'])).code).toBe(0)
      expect(readFileSync(file!.path, 'utf8')).toContain('toolcrib')
      expect((await run(home, ['uninstall', client, '--yes'])).code).toBe(0)
      expect(readFileSync(file!.path, 'utf8')).not.toContain('toolcrib')
    },
  )

  it.each(clientNames())(
    'uninstall restores the exact text of the user and project file of %s',
    async (client) => {
      covers('CLI-INSTALL-EVERY', 'CLI-INSTALL-PROJECT')
      for (const scope of ['user', 'project'] as const) {
        const { paths, writer } = importers.get(client)!
        const environment = { home: home.folder, cwd: home.cwd, platform: process.platform, env: {} }
        const file = paths(environment).find((one) => one.scope === scope)?.path
        const flags = scope === 'project' ? ['--project', '--yes'] : ['--yes']
        if (file === undefined) {
          expect((await run(home, ['install', client, ...flags])).code).toBe(1)
          continue
        }
        const text = sampleOf(client, writer!.format)
        home.write(relative(home.folder, file), text)
        expect(await run(home, ['install', client, ...flags])).toMatchObject({ code: 0, stderr: '' })
        expect(readFileSync(file, 'utf8')).not.toContain('fronted')
        expect(readFileSync(file, 'utf8')).toContain(main)
        expect(await run(home, ['uninstall', client, ...flags])).toMatchObject({ code: 0, stderr: '' })
        expect(readFileSync(file, 'utf8')).toBe(text)
      }
    },
    60_000,
  )
})

describe('a client file that other programs write', () => {
  it.runIf(hasTerminal)(
    'a client file that is edited while a question is open keeps the edit, and no other file is written',
    async () => {
      covers('CLI-INSTALL', 'CLI-UNINSTALL')
      const theirs = JSON.stringify({ mcpServers: { theirs: { command: 't' } }, precious: true })
      home.write('.cursor/mcp.json', cursorText)
      expect(await editedMeanwhile(['install', 'cursor'], '.cursor/mcp.json', theirs)).toBe(2)
      expect(existsSync(join(home.folder, '.config'))).toBe(false)
      expect((await run(home, ['install', 'cursor', '--yes'])).code).toBe(0)
      expect(await editedMeanwhile(['uninstall', 'cursor'], '.cursor/mcp.json', theirs)).toBe(2)
      const own = JSON.stringify({ discovery: { servers: { mine: { command: 'm' } } } })
      home.write('.cursor/mcp.json', cursorText)
      expect(await editedMeanwhile(['import', '--write'], '.config/toolcrib/config.json', own)).toBe(2)
    },
    60_000,
  )

  it.each([
    ['another program', { command: 'my-own', args: ['precious'] }],
    ['another address', { url: 'https://example.com/mcp' }],
  ])('install keeps a server with our name that is %s', async (_, toolcrib) => {
    home.write('.cursor/mcp.json', { mcpServers: { toolcrib, a: { command: 'x' } } })
    const before = read('.cursor/mcp.json')
    const ran = await run(home, ['install', 'cursor', '--yes'])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toMatch(/its server 'toolcrib' is not this gateway/)
    expect(read('.cursor/mcp.json')).toBe(before)
    expect(readdirSync(join(home.folder, '.cursor'))).toEqual(['mcp.json'])
    expect(existsSync(join(home.folder, '.config'))).toBe(false)
  })

  it('install accepts a new --command in place of an earlier one', async () => {
    covers('CLI-INSTALL-COMMAND')
    home.write('.cursor/mcp.json', cursorText)
    for (const command of ['my-wrapper serve', 'my-wrapper serve --more']) {
      expect((await run(home, ['install', 'cursor', '--yes', '--command', command])).code).toBe(0)
    }
    expect((await run(home, ['uninstall', 'cursor', '--yes'])).code).toBe(0)
    expect(read('.cursor/mcp.json')).not.toContain('my-wrapper')
    expect(read('.cursor/mcp.json')).toContain('"github"')
  })

  it('uninstall restores the servers if every backup has a server with our name', async () => {
    covers('CLI-UNINSTALL')
    const servers = { toolcrib: { command: 'my-own', args: ['precious'] }, a: { command: 'x' } }
    home.write('.cursor/mcp.json.toolcrib-backup-20260101T000000000Z', { mcpServers: servers })
    const own = { command: 'node', args: [main, 'serve'] }
    home.write('.cursor/mcp.json', { mcpServers: { toolcrib: own }, later: true })
    const ran = await run(home, ['uninstall', 'cursor', '--yes', '--json'])
    expect(JSON.parse(ran.stdout).restores).toEqual(['toolcrib', 'a'])
    expect(JSON.parse(read('.cursor/mcp.json'))).toEqual({ mcpServers: servers, later: true })
  })

  it('uninstall restores servers that a second install replaced, even if there was no file before the first', async () => {
    covers('CLI-UNINSTALL')
    await run(home, ['install', 'cursor', '--yes'])
    const { toolcrib } = JSON.parse(read('.cursor/mcp.json')).mcpServers
    home.write('.cursor/mcp.json', { mcpServers: { toolcrib, later: { command: 'l' } } })
    await run(home, ['install', 'cursor', '--yes'])
    expect(JSON.parse(read('.cursor/mcp.json')).mcpServers).toEqual({ toolcrib })
    await run(home, ['uninstall', 'cursor', '--yes'])
    expect(JSON.parse(read('.cursor/mcp.json')).mcpServers).toEqual({ later: { command: 'l' } })
  })

  it.each([
    ['null', 'null'],
    ['[]', 'an empty list'],
    ['"x"', 'a string'],
  ])('install refuses a file with %s in place of its servers', async (value, found) => {
    const text = `{"mcpServers": ${value}}`
    const file = home.write('.cursor/mcp.json', text)
    const ran = await run(home, ['install', 'cursor', '--yes'])
    expect(ran.code).toBe(2)
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toContain(`'mcpServers' should be an object of servers, but is ${found}`)
    expect(ran.stderr).toContain(relative(home.folder, file))
    expect(read('.cursor/mcp.json')).toBe(text)
  })

  it('install does not change a file that is not UTF-8', async () => {
    const file = home.write('.cursor/mcp.json', '')
    const bytes = Buffer.from('{"mcpServers": {"a": {"command": "x"}}, "name": "Ren\u00e9"}', 'latin1')
    writeFileSync(file, bytes)
    const ran = await run(home, ['install', 'cursor', '--yes'])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('is not UTF-8')
    expect(readFileSync(file)).toEqual(bytes)
    expect(existsSync(join(home.folder, '.config'))).toBe(false)
  })
})

/** Edits the file while the question waits, answers yes, checks that the edit stays, and returns the exit code. */
async function editedMeanwhile(args: readonly string[], path: string, text: string): Promise<number | null> {
  const words = [process.execPath, main, ...args].map((word) => `'${word}'`)
  const child = spawn('script', ['-qec', words.join(' '), '/dev/null'], { cwd: home.cwd, env: home.env })
  const ran = ended(child)
  await printed(child, '[y/N]')
  const before = readdirSync(dirname(home.write(path, text)))
  child.stdin.write('y\n')
  const { code, stdout } = await ran
  child.stdin.end()
  expect(stdout).toContain('meantime')
  expect(read(path)).toBe(text)
  expect(readdirSync(dirname(join(home.folder, path)))).toEqual(before)
  return code
}

/** A config with one server in the client's own format. */
function sampleOf(client: string, format: 'json' | 'toml'): string {
  const { writer } = importers.get(client)!
  const entry = writer!.entry({ command: 'run', args: ['fronted'] })
  if (format === 'toml') return `[mcp_servers.mine]\ncommand = "run"\nargs = ["fronted"]\n`
  const [section] = writer!.sections({}, { cwd: home.cwd, platform: process.platform })
  const document = section.reduceRight<object>((inner, key) => ({ [key]: inner }), { mine: entry })
  return `${JSON.stringify(document, null, 2)}\n`
}
