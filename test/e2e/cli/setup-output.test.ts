// The output of import and install: needed variables, clients that are left out, and files with one long line.

import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CliHome, covers, createHome, hasTerminal, run, runOnTerminal } from './harness.ts'

let home: CliHome
const read = (path: string) => readFileSync(join(home.folder, path), 'utf8')
const config = () => JSON.parse(read('.config/toolcrib/config.json'))
const reference = (name: string) => `\${${name}}`
const editor = JSON.stringify({
  inputs: [
    { id: 'github-token', type: 'promptString', password: true },
    { id: 'lvl', type: 'promptString', default: 'info' },
  ],
  servers: {
    github: {
      command: 'npx',
      args: ['-y', 'gh'],
      env: { GITHUB_TOKEN: reference('input:github-token'), LEVEL: reference('input:lvl'), X: reference('env:OTHER') },
    },
  },
})
const NEEDED = `The gateway uses these variables and does not get their values from the client:
  GITHUB_TOKEN  github env.GITHUB_TOKEN  not set
  LVL           github env.LEVEL         not set, has a default
  OTHER         github env.X             set here
Add NAME=value lines to ~/.config/toolcrib/secrets.env (readable only by you: chmod 600), or export the variables before the client starts.
`

beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

describe('variables that a client asks for', () => {
  it('install lists the variables that a client asks for, until secrets.env contains them', async () => {
    covers('CLI-INSTALL-VARIABLES')
    home.write('.config/Code/User/mcp.json', editor)
    const env = { OTHER: 'here' }
    const shown = await run(home, ['install', 'vscode', '--dry-run'], { env })
    expect(shown.stdout).toContain(NEEDED)
    expect(shown.stdout).toContain("The editor asks for 'github-token'")
    const { variables } = JSON.parse((await run(home, ['install', 'vscode', '--yes', '--json'], { env })).stdout)
    expect(variables).toEqual([
      { name: 'GITHUB_TOKEN', server: 'github', field: 'env.GITHUB_TOKEN', set: false, optional: false },
      { name: 'LVL', server: 'github', field: 'env.LEVEL', set: false, optional: true },
      { name: 'OTHER', server: 'github', field: 'env.X', set: true, optional: false },
    ])
    home.write('.config/Code/User/mcp.json', editor)
    await run(home, ['uninstall', 'vscode', '--yes'])
    const secrets = home.write('.config/toolcrib/secrets.env', 'GITHUB_TOKEN=a\nLVL=b\nOTHER=c\n')
    chmodSync(secrets, 0o600)
    expect(JSON.parse((await run(home, ['install', 'vscode', '--dry-run', '--json'])).stdout).variables).toEqual([])
  })

  it('import lists the variables that a client asks for, as text and as JSON', async () => {
    covers('CLI-INSTALL-VARIABLES', 'CLI-IMPORT')
    home.write('.config/Code/User/mcp.json', editor)
    const env = { OTHER: 'here' }
    expect((await run(home, ['import'], { env })).stdout).toContain(NEEDED)
    const { variables } = JSON.parse((await run(home, ['import', '--json'], { env })).stdout)
    expect(variables.map(({ name }: { name: string }) => name)).toEqual(['GITHUB_TOKEN', 'LVL', 'OTHER'])
  })

  it.skipIf(!hasTerminal)('install prints needed variables within the width of a terminal', async () => {
    covers('CLI-WIDTH')
    home.write('.config/Code/User/mcp.json', editor)
    const { stdout } = await runOnTerminal(home, ['install', 'vscode', '--dry-run'], { env: { NO_COLOR: '1' } })
    expect(stdout).toContain('input:github-token')
    expect(stdout.split('\n').filter((line) => line.length > 80 && !/^[-+ ] /.test(line))).toEqual([])
  })
})

describe('servers that install does not replace', () => {
  it('install lists the servers that it does not replace, each with the reason, and keeps them in the file', async () => {
    covers('CLI-INSTALL')
    const mcpServers = { a: { command: 'x', what: 1 }, off: { command: 'o', disabled: true }, bad: { foo: 1 } }
    home.write('.cursor/mcp.json', { mcpServers })
    const { stdout } = await run(home, ['install', 'cursor', '--yes'])
    expect(stdout).toContain(`Left in the file because they are disabled: off
Left in the file because the gateway cannot use them: bad
warning: mcpServers.a.what: Unknown key 'what'
warning: mcpServers.bad.foo: Unknown key 'foo'
error: mcpServers.bad: Expected 'command' or 'url', found neither
`)
    expect(Object.keys(JSON.parse(read('.cursor/mcp.json')).mcpServers)).toEqual(['toolcrib', 'off', 'bad'])
  })
})

describe('import --dry-run', () => {
  it.each([[['--dry-run']], [['--write', '--dry-run', '--yes']]])(
    'import shows the change and writes nothing with %j',
    async (flags) => {
      covers('CLI-IMPORT-DRY')
      home.write('.cursor/mcp.json', { mcpServers: { a: { command: 'x' } } })
      home.write('project/.mcp.json', { mcpServers: { theirs: { command: 'run-me' } } })
      const { stdout, code } = await run(home, ['import', ...flags])
      expect(code).toBe(0)
      expect(stdout).toContain('~/.config/toolcrib/config.json (new)\n+ {')
      expect(stdout).toContain('Nothing was changed (--dry-run).\n\nNext: `toolcrib import --write`')
      expect(existsSync(join(home.folder, '.config'))).toBe(false)
      expect(existsSync(join(home.folder, '.local/state/toolcrib/approvals.json'))).toBe(false)
    },
  )
})

describe('import on a machine without clients', () => {
  it('import without clients prints where to write servers, a working example, and how to try the gateway', async () => {
    covers('CLI-IMPORT-NOTHING')
    const { stdout, code } = await run(home, ['import', '--write', '--yes'])
    expect(code).toBe(2)
    expect(stdout).toContain('No client on this machine has MCP servers configured.\n')
    expect(stdout).toContain('write servers into ~/.config/toolcrib/config.json, for example:\n')
    expect(stdout).toContain('`toolcrib serve --http --demo`')
    expect(stdout).not.toContain('Nothing to write')
    const example = /for example:\n([\s\S]*?)\nTo try/.exec(stdout)?.[1] ?? ''
    home.write('.config/toolcrib/config.json', example)
    expect((await run(home, ['list', '--quiet'])).stdout).toBe('files\n')
    expect((await run(home, ['import', '--from', 'cursor'])).stdout).toContain(
      'No MCP servers are configured for cursor on this machine.',
    )
  })
})

describe('the clients of import and install', () => {
  it('import --from copies only the named clients, and names clients with servers that are no longer served', async () => {
    covers('CLI-IMPORT-FROM')
    home.write('.cursor/mcp.json', { mcpServers: { c: { command: 'y' } } })
    home.write('.gemini/settings.json', { mcpServers: { g: { command: 'x' } } })
    const ran = await run(home, ['import', '--from', 'gemini', '--write', '--yes'])
    expect(config().discovery).toEqual({ servers: { g: { command: 'x' } } })
    expect(ran.stdout).toContain(
      'The servers of cursor are not imported, and are no longer served once there is a config.',
    )
    expect((await run(home, ['list', '--quiet'])).stdout).toBe('g\n')
  })

  it('install --with-others gives a client the servers of other clients, and reports it', async () => {
    covers('CLI-INSTALL-OTHERS')
    home.write('.cursor/mcp.json', { mcpServers: { c: { command: 'y' } } })
    home.write('.gemini/settings.json', { mcpServers: { g: { command: 'x' } } })
    const ran = await run(home, ['install', 'gemini', '--yes', '--with-others'])
    expect(ran.stdout).toContain('Still served from the files of these clients: cursor')
    expect(ran.stdout).toContain('gemini also gets these servers of other clients: c (cursor)')
    expect(config().discovery.sources).toEqual([{ type: 'cursor' }])
  })

  it.each([
    ['crsor', "did you mean 'cursor'? The clients are"],
    ['claude', "did you mean 'claude-desktop' or 'claude-code'? The clients are"],
    ['nope', "No client is called 'nope'; the clients are"],
  ])(
    'install, uninstall and import answer the unknown client %s with similar names, if any, and the list of clients',
    async (name, expected) => {
      for (const words of [
        ['install', name],
        ['uninstall', name],
        ['import', '--from', name],
      ]) {
        const ran = await run(home, words)
        expect(ran.code).toBe(1)
        expect(ran.stderr).toContain(expected)
        expect(ran.stderr).toContain("'opencode'")
      }
    },
  )
})

describe('without the name of a client', () => {
  it('install without a client lists the clients with their files and states, and exits with 0', async () => {
    covers('CLI-INSTALL')
    home.write('.cursor/mcp.json', { mcpServers: { a: { command: 'x' }, b: { command: 'y' } } })
    home.write('.gemini/settings.json', { mcpServers: { g: { command: 'x' } } })
    home.write('.codex/config.toml', 'not toml')
    await run(home, ['install', 'gemini', '--yes'])
    const { stdout, code } = await run(home, ['install'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Clients \(1 with the gateway\):\n\n {2}client +file +state\n/)
    expect(stdout).toMatch(/\n {2}cursor +~\/\.cursor\/mcp\.json +2 servers\n/)
    expect(stdout).toMatch(/\n {2}gemini +~\/\.gemini\/settings\.json +has the gateway\n/)
    expect(stdout).toMatch(/\n {2}codex +~\/\.codex\/config\.toml +cannot be read \(line 1, column \d+\)\n/)
    expect(stdout).toMatch(/\n {2}zed +~\/\.config\/zed\/settings\.json +no file\n/)
    expect(stdout).toContain('\nNext: `toolcrib install cursor --dry-run` shows what would change.\n')
    const { clients } = JSON.parse((await run(home, ['install', '--json'])).stdout)
    expect(clients).toContainEqual({
      client: 'cursor',
      file: join(home.folder, '.cursor/mcp.json'),
      state: 'found',
      installed: false,
      servers: 2,
    })
  })

  it('uninstall without a client reports that no client has the gateway, and install --project lists only clients with a project file', async () => {
    covers('CLI-INSTALL')
    const uninstall = await run(home, ['uninstall'])
    expect(uninstall).toMatchObject({ code: 0, stderr: '' })
    expect(uninstall.stdout).toContain('\nNo client has the gateway.\n')
    const project = (await run(home, ['install', '--project'])).stdout
    expect(project).toContain('claude-code')
    expect(project).not.toContain('claude-desktop')
  })
})

describe('a --config file that does not exist', () => {
  it.each([
    [['list']],
    [['search', 'x']],
    [['doctor']],
    [['serve']],
    [['serve', '--explain']],
    [['install', 'cursor', '--yes']],
  ])('%j reports a --config file that does not exist', async (words) => {
    const { stdout, stderr, code } = await run(home, [...words, '--config', 'nope.json'])
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 })
    expect(stderr).toContain(`Error: There is no config file ~/project/nope.json.\n`)
    expect(stderr).toContain('Check the path after --config.')
    expect(existsSync(join(home.folder, '.cursor'))).toBe(false)
  })

  it('config validate reports as an error that the --config file does not exist', async () => {
    const { stdout, code } = await run(home, ['config', 'validate', '--config', 'nope.json'])
    expect(code).toBe(2)
    expect(stdout).toContain('nope.json: There is no such file')
  })

  it('install writes a --config file that does not exist if there are servers to copy', async () => {
    home.write('.cursor/mcp.json', { mcpServers: { a: { command: 'x' } } })
    expect((await run(home, ['install', 'cursor', '--yes', '--config', 'new.json'])).code).toBe(0)
    expect(Object.keys(JSON.parse(read('project/new.json')).discovery.servers)).toEqual(['a'])
  })
})

describe('a client file with one long line', () => {
  it('install shows a file of one long line with line breaks, and keeps it on one line', async () => {
    covers('CLI-INSTALL-DRY')
    const line = '{"mcpServers":{"a":{"command":"x"},"b":{"command":"y","disabled":true}},"theme":"dark"}'
    home.write('.cursor/mcp.json', line)
    const { stdout } = await run(home, ['install', 'cursor', '--yes'])
    expect(stdout).toContain('~/.cursor/mcp.json\n(shown with line breaks; the file keeps its own layout)\n')
    expect(stdout).toMatch(/^- {5}"a": \{\n- {7}"command": "x"$/m)
    expect(stdout).not.toContain(line)
    expect(read('.cursor/mcp.json')).not.toContain('\n')
  })
})
