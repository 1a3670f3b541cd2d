// toolcrib add, remove, enable and disable with real servers, and a gateway that follows their edits.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startProtectedServer } from '../../../src/sources/upstream/auth/protected-server.fixture.ts'
import { type CliHome, connect, covers, createHome, processesWith, root, run, serverScript } from './harness.ts'
import { namedTools } from './trust.fixture.ts'

let home: CliHome
const read = (path: string) => readFileSync(join(home.folder, path), 'utf8')
const config = () => read('.config/toolcrib/config.json')
const MEMORY = [process.execPath, serverScript('memory')]
const SECRET = 'sk-0123456789abcdefghij'

beforeEach(() => {
  home = createHome()
})
afterEach(async () => {
  expect(processesWith(home.folder)).toEqual([])
  await home.remove()
})

const COMMENTED = `{
  // Mine.
  "discovery": {
    "servers": {
      "off": { "command": "none", "enabled": false } // later
    }
  }
}
`

describe('add', () => {
  it('add says how to set a variable that the entry refers to', async () => {
    covers('CLI-ADD')
    const words = ['add', 'notes', '--yes', '--env', `KEY=$\{UNSET_KEY}`, '--', ...MEMORY]
    const { code, stderr } = await run(home, words)
    expect(code).toBe(3)
    expect(stderr).toContain("the variable 'UNSET_KEY' is not set")
    expect(stderr.replace(/\s+/g, ' ')).toContain('Nothing was written. Add it to ~/.config/toolcrib/secrets.env')
  })

  it('add tries a server, writes it without changing comments, and a running gateway serves it until it is removed', async () => {
    covers('CLI-ADD', 'CLI-ADD-SECRETS', 'CLI-EDIT-SERVER')
    home.write('.config/toolcrib/config.json', COMMENTED)
    const client = await connect(home)
    const served = async () => {
      const { content } = await client.callTool({ name: 'list_mcp_servers', arguments: {} })
      return JSON.stringify(content).includes('notes')
    }
    expect(await served()).toBe(false)
    const added = await run(home, ['add', 'notes', '--yes', '--env', `API_KEY=${SECRET}`, '--', ...MEMORY])
    expect(added).toMatchObject({ code: 0, stderr: '' })
    expect(added.stdout).toMatch(/^'notes' works: 9 tools over protocol \d{4}-\d\d-\d\d\./m)
    expect(added.stdout).not.toContain(SECRET)
    expect(config()).toContain('"off": { "command": "none", "enabled": false }, // later')
    expect(config()).toContain(`"API_KEY": "\${NOTES_API_KEY}"`)
    expect(read('.config/toolcrib/secrets.env')).toContain(`NOTES_API_KEY=${SECRET}\n`)
    expect(statSync(join(home.folder, '.config/toolcrib/secrets.env')).mode & 0o777).toBe(0o600)
    await vi.waitFor(async () => expect(await served()).toBe(true), { timeout: 6_000 })

    const again = await run(home, ['add', 'notes', '--yes', '--', 'other'])
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('Run `toolcrib remove notes` first') })
    const removed = await run(home, ['remove', 'notes', '--yes'])
    expect(removed).toMatchObject({ code: 0, stderr: '' })
    expect(removed.stdout).toContain('Its secret values stay in ~/.config/toolcrib/secrets.env: NOTES_API_KEY\n')
    expect(config()).toBe(COMMENTED)
    await vi.waitFor(async () => expect(await served()).toBe(false), { timeout: 6_000 })
    await client.close()
  }, 60_000)

  it('add writes nothing if the server does not start, and shows its first error line', async () => {
    covers('CLI-ADD-FAILS')
    const crash = join(root, 'build/test/fixtures/upstream/crash-on-start.js')
    const ran = await run(home, ['add', 'bad', '--yes', '--env', `API_KEY=${SECRET}`, '--', process.execPath, crash])
    expect(ran.code).toBe(3)
    expect(ran.stderr).toContain('before it answered: fatal: the key [redacted]')
    expect(ran.stderr).toContain('Nothing was written.')
    expect(existsSync(join(home.folder, '.config'))).toBe(false)
  })

  it('add says that the server lists no tools, and names the command that checks it', async () => {
    covers('CLI-ADD')
    const { command, args } = namedTools()
    const { code, stdout } = await run(home, ['add', 'empty', '--yes', '--', command, ...args])
    expect(code).toBe(0)
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /'empty' works over protocol \d{4}-\d\d-\d\d, but it lists no tools\. Check its entry in the config, then run `toolcrib doctor empty`\. $/,
    )
  })

  it('add writes a server that needs a login, and names the login command', async () => {
    covers('CLI-ADD-LOGIN')
    const { url } = await startProtectedServer()
    const ran = await run(home, ['add', 'remote', url, '--yes', '--json'])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(ran.stdout)).toMatchObject({ written: true, loginCommand: 'toolcrib login remote' })
    expect(JSON.parse(config()).discovery.servers).toEqual({ remote: { type: 'http', url } })
  })
})

it('a new config still serves the servers of clients, and disable switches one of them off', async () => {
  covers('CLI-ADD-NEW', 'CLI-EDIT-CLIENT')
  const theirs = { mcpServers: { one: { command: 'one' }, two: { command: 'two', env: { TWO_TOKEN: SECRET } } } }
  home.write('.cursor/mcp.json', theirs)
  const added = await run(home, ['add', 'three', '--yes', '--no-check', '--', 'three'])
  expect(added).toMatchObject({ code: 0, stderr: '' })
  expect(added.stdout).toContain('Still served from the files of these clients: cursor')
  const refused = await run(home, ['remove', 'two', '--yes'])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('run `toolcrib disable two`') })
  const disabled = await run(home, ['disable', 'two', '--yes'])
  expect(disabled).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(read('.cursor/mcp.json'))).toEqual(theirs)
  expect(config()).not.toContain(SECRET)
  expect(JSON.parse((await run(home, ['list', '--json'])).stdout)).toMatchObject({
    servers: [{ name: 'three' }, { name: 'one' }],
    switchedOff: ['two'],
  })
}, 30_000)
