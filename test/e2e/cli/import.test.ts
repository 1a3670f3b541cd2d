// toolcrib import: what it shows and writes, and that it shows no secret.

import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CURSOR_TOKEN, cursorText } from './client-files.ts'
import { type CliHome, covers, createHome, hasTerminal, run, runOnTerminal } from './harness.ts'

let home: CliHome
const read = (path: string) => readFileSync(join(home.folder, path), 'utf8')
const config = () => JSON.parse(read('.config/toolcrib/config.json'))

beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

describe('import', () => {
  it('import shows the servers of each file with exact command lines and no secret, and changes nothing', async () => {
    covers('CLI-IMPORT')
    home.write('.cursor/mcp.json', cursorText)
    const { stdout, stderr, code } = await run(home, ['import'])
    expect([stderr, code]).toEqual(['', 0])
    expect(stdout).toBe(`Found 2 servers in 1 file:

cursor (~/.cursor/mcp.json)
  ✓ github
    npx -y server-github (variables: GITHUB_TOKEN, LEVEL)
  - off (disabled)
    old

Next: \`toolcrib import --write\` copies your servers into ~/.config/toolcrib/config.json. \`toolcrib install cursor\` puts the gateway into that client in place of its servers.
`)
    expect(existsSync(join(home.folder, '.config'))).toBe(false)
    const json = await run(home, ['import', '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({
      found: [
        {
          client: 'cursor',
          scope: 'user',
          servers: { github: { env: { GITHUB_TOKEN: `\${GITHUB_TOKEN}` } } },
        },
      ],
    })
    expect(json.stdout).not.toContain(CURSOR_TOKEN)
  })

  it('import writes references to the config and values to a private secrets file, which then apply', async () => {
    covers('CLI-IMPORT-SECRETS')
    home.write('.cursor/mcp.json', cursorText)
    const { stdout, code } = await run(home, ['import', '--write', '--yes'])
    expect(code).toBe(0)
    expect(stdout).not.toContain(CURSOR_TOKEN)
    expect(stdout).toMatch(/\n\nNext: `toolcrib install cursor` puts the gateway into that client/)
    expect(config().discovery.servers).toEqual({
      github: {
        command: 'npx',
        args: ['-y', 'server-github'],
        env: { GITHUB_TOKEN: `\${GITHUB_TOKEN}`, LEVEL: 'info' },
      },
      off: { enabled: false, command: 'old' },
    })
    expect(read('.config/toolcrib/secrets.env')).toContain(`GITHUB_TOKEN=${CURSOR_TOKEN}\n`)
    expect(statSync(join(home.folder, '.config/toolcrib/secrets.env')).mode & 0o777).toBe(0o600)
    const again = await run(home, ['import', '--write', '--yes'])
    expect(again.stdout).toContain('Nothing to write')
    const doctor = await run(home, ['doctor', 'github', '--json'])
    expect(doctor.stdout).not.toContain('is not set')
  }, 60_000)

  it('import changes nothing without --yes if there is no terminal', async () => {
    covers('CLI-IMPORT-ASK')
    home.write('.cursor/mcp.json', cursorText)
    const { code, stderr } = await run(home, ['import', '--write'])
    expect(code).toBe(1)
    expect(stderr).toContain('you did not confirm')
    expect(existsSync(join(home.folder, '.config'))).toBe(false)
  })

  it.skipIf(!hasTerminal)('import asks for confirmation on a terminal', async () => {
    covers('CLI-IMPORT-ASK')
    home.write('.cursor/mcp.json', cursorText)
    const declined = await runOnTerminal(home, ['import', '--write'], { input: 'n\n', columns: 200 })
    expect(declined.code).toBe(1)
    expect(declined.stdout).toContain('Write ~/.config/toolcrib/config.json and ~/.config/toolcrib/secrets.env? [y/N]')
    expect(declined.stdout).toContain('Nothing was changed: you did not confirm.')
    expect(declined.stdout).not.toMatch(/Error:|Next:/)
    expect(existsSync(join(home.folder, '.config'))).toBe(false)
    expect((await runOnTerminal(home, ['import', '--write'], { input: 'y\n' })).code).toBe(0)
    expect(Object.keys(config().discovery.servers)).toEqual(['github', 'off'])
  })

  it("import uses a project's file only after its current text is approved", async () => {
    covers('CLI-IMPORT-PROJECT')
    home.write('project/.mcp.json', { mcpServers: { theirs: { command: 'run-me' } } })
    const names = async () => (await run(home, ['list', '--quiet'])).stdout
    expect(await names()).toBe('')
    const shown = await run(home, ['import'])
    expect(shown.stdout).toContain('run-me')
    expect(shown.stderr).toContain('not used until you approve it')
    expect(await names()).toBe('')
    await run(home, ['import', '--yes'])
    expect(await names()).toBe('theirs\n')
    home.write('project/.mcp.json', { mcpServers: { theirs: { command: 'run-me-instead' } } })
    expect(await names()).toBe('')
  }, 60_000)

  it('import says that it found no servers if the only file of a client cannot be read', async () => {
    covers('CLI-IMPORT')
    home.write('.cursor/mcp.json', '{ "mcp')
    expect((await run(home, ['import'])).stdout).toMatch(/^Found no servers:\n\ncursor /)
  })

  it('import suggests --write only until the config has all servers', async () => {
    covers('CLI-IMPORT')
    home.write('.cursor/mcp.json', { mcpServers: { a: { command: 'x' } } })
    expect((await run(home, ['import'])).stdout).toContain('Next: `toolcrib import --write` copies')
    await run(home, ['import', '--write', '--yes'])
    const { stdout } = await run(home, ['import'])
    expect(stdout).toContain('~/.config/toolcrib/config.json already has all servers that can be imported.')
    expect(stdout).toContain('Next: `toolcrib install cursor`')
    expect(stdout).not.toContain('--write')
  })

  it('import names the line and the column of a syntax error in the file of a client', async () => {
    covers('CLI-IMPORT')
    home.write('.codex/config.toml', '[mcp_servers.a]\ncommand = = "x"\n')
    const { stdout } = await run(home, ['import'])
    expect(stdout).toMatch(/error: Not valid TOML: invalid value; a text needs quotes \(line 2, column \d+\)\n/)
  })

  it('import takes only the servers of the clients in --from, and refuses unknown clients', async () => {
    covers('CLI-IMPORT-FROM')
    home.write('.cursor/mcp.json', cursorText)
    home.write('.gemini/settings.json', { mcpServers: { g: { command: 'x' } } })
    await run(home, ['import', '--from', 'gemini', '--write', '--yes'])
    expect(config().discovery).toEqual({ servers: { g: { command: 'x' } } })
    expect((await run(home, ['list', '--quiet'])).stdout).toBe('g\n')
    expect((await run(home, ['import', '--from', 'emacs'])).code).toBe(1)
  })
})
