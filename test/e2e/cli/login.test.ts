// Logging in and out on the command line, with a real authorization server and a browser without a window.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { onOneLine } from '../../../src/core/text.ts'
import {
  type ProtectedServer,
  type ProtectedServerOptions,
  startProtectedServer,
} from '../../../src/sources/upstream/auth/protected-server.fixture.ts'
import { visit } from '../../fixtures/browser.ts'
import { browser, type CliHome, createHome, ended, printed, run, serverScript, start } from './harness.ts'

interface LoginSetup {
  readonly home: CliHome
  readonly server: ProtectedServer
}

async function setUp(options: ProtectedServerOptions = {}): Promise<LoginSetup> {
  const server = await startProtectedServer(options)
  const home = createHome()
  onTestFinished(() => home.remove())
  home.env.BROWSER = browser
  home.write('.config/toolcrib/config.json', {
    discovery: {
      servers: {
        remote: { url: server.url },
        local: { command: process.execPath, args: [serverScript('memory')] },
      },
    },
  })
  return { home, server }
}

const execute = ({ home }: LoginSetup, tool = 'read', ...flags: readonly string[]) =>
  run(home, ['execute', 'remote', tool, '--args', '{}', ...flags])

describe('toolcrib login', () => {
  it('login prints the address, opens the browser, and stores a login that other commands use', async () => {
    const at = await setUp()
    const login = await run(at.home, ['login', 'remote'])
    expect(login).toMatchObject({ code: 0, stdout: "Logged in to 'remote' with the scope read. It has 4 tools.\n" })
    expect(login.stderr).toContain(`${at.server.authorization.issuer}/auth?`)
    const done = await execute(at)
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('did read') })
    const folder = join(at.home.folder, '.local/state/toolcrib/logins')
    const files = readdirSync(folder)
    expect(files).toHaveLength(1)
    expect(files.map((file) => statSync(join(folder, file)).mode & 0o777)).toEqual([0o600])
  })

  it('login takes the address that the user pastes with --no-browser, and asks again after a wrong one', async () => {
    const at = await setUp()
    const child = start(at.home, ['login', 'remote', '--no-browser', '--json'], { env: { BROWSER: 'no-such-program' } })
    const ending = ended(child)
    const text = await printed(child, 'Redirected address', 'stderr')
    const address = /^http\S+\/auth\?\S+$/m.exec(text)?.[0] ?? ''
    const redirect = new URL(new URL(address).searchParams.get('redirect_uri') ?? '')
    const { addresses } = await visit(address, { stopsAt: ({ host }) => host === redirect.host })
    const redirected = addresses.at(-1) ?? ''
    child.stdin?.write(`${redirected.replace('127.0.0.1', 'evil.example.com')}\n`)
    await printed(child, 'not the address of the redirect', 'stderr')
    child.stdin?.write(`${redirected}\n`)
    const { code, stdout } = await ending
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ server: 'remote', isRenewable: true, tools: 4 })
  })

  it('login shows the address if no browser can be started', async () => {
    const at = await setUp()
    const child = start(at.home, ['login', 'remote', '--quiet'], { env: { BROWSER: 'no-such-program' } })
    const ending = ended(child)
    const text = await printed(child, '/auth?', 'stderr')
    await visit(/^http\S+\/auth\?\S+$/m.exec(text)?.[0] ?? (await printed(child, '\n\n', 'stderr')).trim())
    expect((await ending).code).toBe(0)
  })

  it('login fails with the reason if the login is not possible', async () => {
    const at = await setUp({ withoutRegistration: true })
    const login = await run(at.home, ['login', 'remote', '--json'])
    expect(login.code).toBe(3)
    expect(JSON.parse(login.stdout)).toMatchObject({
      success: false,
      error: { code: 'LOGIN_FAILED', message: expect.stringContaining('set auth.clientId') },
    })
  })

  it.each([
    ['remot', 2, "Did you mean 'remote'?"],
    ['local', 1, "'local' is a program that runs on this machine"],
  ])('login explains why there is no login to %s', async (name, code, text) => {
    const at = await setUp()
    const ran = await run(at.home, ['login', name])
    expect(ran).toMatchObject({ code, stderr: expect.stringContaining(text) })
  })
})

describe('a server without a login', () => {
  it('doctor, list, status, search, tools and execute report a missing login with the login command', async () => {
    const at = await setUp()
    const command = 'toolcrib login remote'
    const done = await execute(at)
    expect(done).toMatchObject({ code: 2, stderr: expect.stringContaining('needs login') })
    expect(done.stderr).toContain(command)
    const doctor = await run(at.home, ['doctor', 'remote'])
    expect(doctor).toMatchObject({ code: 3, stdout: expect.stringContaining(`Next: Run \`${command}\``) })
    const ask = (...words: readonly string[]) => run(at.home, words)
    const [list, status, search, tools] = await Promise.all([
      ask('list'),
      ask('status'),
      ask('search', 'anything'),
      ask('tools', 'remote', '--json'),
    ])
    for (const { stdout } of [list, status]) {
      expect(stdout).toContain('needs login')
      expect(stdout).toContain(command)
    }
    expect(status.stdout).toContain(`Next: ${command}\n`)
    expect(search.stderr).toBe(`1 server needs login: run \`${command}\`.\n`)
    expect(tools.code).toBe(2)
    expect(JSON.parse(tools.stdout)).toMatchObject({
      error: { code: 'AUTH_REQUIRED', suggestion: `Run \`${command}\`.`, details: { command } },
    })
    await run(at.home, ['login', 'remote'])
    for (const words of [['list'], ['status'], ['doctor', 'remote']]) {
      expect((await run(at.home, words)).stdout).not.toContain('needs login')
    }
  })

  it('the reason of a missing login names the login command with --config of the command that prints it', async () => {
    const { home, server } = await setUp()
    const file = home.write('other.json', { discovery: { servers: {} } })
    await run(home, ['add', 'remote', server.url, '--yes', '--config', file])
    const commands = [
      ['list'],
      ['list', '--json'],
      ['status'],
      ['status', '--json'],
      ['doctor', 'remote'],
      ['doctor', 'remote', '--json'],
      ['tools', 'remote'],
      ['tools', 'remote', '--json'],
      ['execute', 'remote', 'read'],
    ]
    for (const words of commands) {
      const { stdout, stderr } = await run(home, [...words, '--config', file])
      const named = (stdout + stderr).match(/run `toolcrib login remote[^`]*`/gi) ?? []
      expect(named, words.join(' ')).not.toEqual([])
      for (const one of named) expect(one, words.join(' ')).toMatch(/`toolcrib login remote --config ~\/other\.json`/)
    }
    // The stored reason has no --config: another command with another config prints it too.
    expect((await run(home, ['list'])).stdout).toContain('run `toolcrib login remote`\n')
  })
})

describe('toolcrib logout', () => {
  it('login and logout with --principal are refused for a server that is only in the file of a client', async () => {
    const { home, server } = await setUp()
    home.write('.cursor/mcp.json', { mcpServers: { elsewhere: { url: server.url } } })
    for (const command of ['login', 'logout']) {
      const refused = await run(home, [command, 'elsewhere', '--principal', 'bob'])
      expect(refused.code).toBe(1)
      expect(onOneLine(refused.stderr)).toContain("'elsewhere' is not in the config, but in a file of cursor")
    }
    expect(await run(home, ['logout', 'elsewhere'])).toMatchObject({
      code: 0,
      stdout: "There is no login to 'elsewhere'.\n",
    })
  })

  it('logout removes the login, so that the next call needs one', async () => {
    const at = await setUp()
    await run(at.home, ['login', 'remote'])
    expect((await execute(at)).code).toBe(0)
    const logout = await run(at.home, ['logout', 'remote'])
    expect(logout).toMatchObject({ code: 0, stdout: expect.stringContaining("Logged out of 'remote'") })
    expect(readdirSync(join(at.home.folder, '.local/state/toolcrib/logins'))).toEqual([])
    const after = await execute(at, 'read', '--json')
    expect(JSON.parse(after.stdout)).toMatchObject({ success: false, error: { code: 'AUTH_REQUIRED' } })
  })

  it('list shows that a server needs a login directly after `add` and after `logout`, and no longer after the next login', async () => {
    const at = await setUp()
    const list = async () => (await run(at.home, ['list'])).stdout
    const needed = (name: string, tools: string) =>
      `✗ ${name} (${tools})\n  Reason: it needs login: run \`toolcrib login ${name}\`\n`
    expect(await run(at.home, ['add', 'other', at.server.url, '--yes'])).toMatchObject({ code: 0 })
    expect(await list()).toContain(needed('other', 'tools not known yet'))
    await run(at.home, ['login', 'other'])
    expect(await list()).toContain('✓ other (4 tools)')
    await run(at.home, ['logout', 'other'])
    expect(await list()).toContain(needed('other', '4 tools'))
    await run(at.home, ['login', 'other'])
    expect(await list()).toContain('✓ other (4 tools)')
  })
})

describe('the tokens of a login', () => {
  it('processes that need the tokens at the same time renew them once', async () => {
    const at = await setUp({ lifetimeSeconds: 3_600 })
    await run(at.home, ['login', 'remote'])
    await at.server.authorization.revoke(at.server.tokens.at(-1) ?? '')
    const ran = await Promise.all(Array.from({ length: 3 }, () => execute(at)))
    expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual(Array(3).fill([0, '']))
    const refreshes = at.server.authorization.tokenRequests.filter((one) => one.get('grant_type') === 'refresh_token')
    expect(refreshes).toHaveLength(1)
  })

  it('the tokens of a login appear in no output, and in no file except the stored login', async () => {
    const at = await setUp()
    const login = await run(at.home, ['login', 'remote', '--verbose'])
    const commands = [
      ['config', 'show', '--verbose'],
      ['list', '--status'],
      ['status', '--verbose'],
      ['doctor', 'remote', '--verbose'],
      ['inspect', 'remote', 'read'],
      ['execute', 'remote', 'leak', '--args', '{}', '--verbose'],
    ]
    const outputs = [login, ...(await Promise.all(commands.map((words) => run(at.home, words))))]
    const folder = join(at.home.folder, '.local/state/toolcrib/logins')
    const [file = ''] = readdirSync(folder)
    const { tokens } = JSON.parse(readFileSync(join(folder, file), 'utf8')).value
    const secrets = [
      tokens.access_token,
      tokens.refresh_token,
      ...at.server.authorization.tokenRequests.flatMap(codesIn),
    ]
    expect(secrets.every((secret) => typeof secret === 'string' && secret.length > 20)).toBe(true)
    const texts = [
      ...outputs.flatMap(({ stdout, stderr }) => [stdout, stderr]),
      ...readdirSync(at.home.folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.parentPath !== folder)
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
    ]
    for (const secret of secrets) expect(texts.filter((text) => text.includes(secret))).toEqual([])
  })
})

function codesIn(request: URLSearchParams): readonly string[] {
  return ['code', 'code_verifier'].flatMap((key) => request.get(key) ?? [])
}
