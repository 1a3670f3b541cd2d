// toolcrib install into a client that already has the gateway: what the user added to our entry stays.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { importers } from '../../../src/config/imports/builtins.ts'
import { clientNames } from '../../../src/setup/known-clients.ts'
import { type CliHome, covers, createHome, main, run } from './harness.ts'

let home: CliHome
const read = (path: string) => readFileSync(join(home.folder, path), 'utf8')
const servers = () => JSON.parse(read('.cursor/mcp.json')).mcpServers

beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

describe('an entry of the gateway', () => {
  it.each(clientNames())(
    'the gateway entry of %s keeps what the user added when install changes its command line',
    async (client) => {
      covers('CLI-INSTALL-EVERY', 'CLI-INSTALL-KEEPS')
      const environment = { home: home.folder, cwd: home.cwd, platform: process.platform, env: {} }
      const [file] = importers.get(client)!.paths(environment)
      const isToml = importers.get(client)!.writer!.format === 'toml'
      expect((await run(home, ['install', client, '--yes'])).code).toBe(0)
      const installed = readFileSync(file!.path, 'utf8')
      const mine = isToml ? 'tool_timeout_sec = 9 # mine\n' : '"timeout": 9, // mine\n'
      const edited = installed.replace(isToml ? 'command =' : /"command":/, (key) => `${mine}${key}`)
      writeFileSync(file!.path, edited)
      const again = await run(home, ['install', client, '--yes'])
      expect(again.stdout).toContain('Nothing to do')
      expect(await run(home, ['install', client, '--yes', '--command', 'toolcrib serve'])).toMatchObject({ code: 0 })
      const changed = readFileSync(file!.path, 'utf8')
      expect(changed).toContain(mine)
      expect(changed).not.toContain(main)
      expect(changed).toMatch(isToml ? /command = "toolcrib"/ : /"toolcrib",/)
      expect((await run(home, ['uninstall', client, '--yes'])).code).toBe(0)
      expect(readFileSync(file!.path, 'utf8')).not.toContain('toolcrib')
      expect(relative(home.folder, file!.path)).not.toMatch(/^\.\./)
    },
  )

  it('install keeps the variables of the gateway entry, and reports that it is disabled', async () => {
    covers('CLI-INSTALL-KEEPS')
    const ours = { disabled: true, command: 'toolcrib', args: ['serve'], env: { LEVEL: 'debug' }, alwaysAllow: ['x'] }
    home.write('.cursor/mcp.json', { mcpServers: { toolcrib: ours } })
    const ran = await run(home, ['install', 'cursor', '--yes'])
    expect(servers().toolcrib).toEqual({ ...ours, command: process.execPath, args: [main, 'serve'] })
    expect(Object.keys(servers().toolcrib)).toEqual(Object.keys(ours))
    expect(ran.stdout).toContain('It is disabled in the file')
  })

  it('install can change a --command several times, and uninstall removes it', async () => {
    covers('CLI-INSTALL-COMMAND', 'CLI-UNINSTALL')
    for (const word of ['one', 'two', 'three', 'four']) {
      expect((await run(home, ['install', 'cursor', '--yes', '--command', `my-wrapper ${word}`])).code).toBe(0)
    }
    expect(servers()).toEqual({ toolcrib: { command: 'my-wrapper', args: ['four'] } })
    expect((await run(home, ['uninstall', 'cursor', '--yes'])).code).toBe(0)
    expect(servers()).toEqual({})
  })
})

describe('a server that only has the name of the gateway', () => {
  it('uninstall does not remove another server with the name of the gateway, and prints what to do by hand', async () => {
    covers('CLI-UNINSTALL')
    home.write('.cursor/mcp.json', { mcpServers: { toolcrib: { command: 'my-own', args: ['precious'] } } })
    const before = read('.cursor/mcp.json')
    const ran = await run(home, ['uninstall', 'cursor', '--yes'])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain("its server 'toolcrib' is not this gateway")
    expect(ran.stderr).toContain('remove it by hand')
    expect(read('.cursor/mcp.json')).toBe(before)
    expect(readdirSync(join(home.folder, '.cursor'))).toEqual(['mcp.json'])
    expect(existsSync(join(home.folder, '.local'))).toBe(false)
  })
})
