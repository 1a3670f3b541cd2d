// install and uninstall with unusual, broken, read-only or concurrently written files: no loss, and no secret is shown.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CliHome, covers, createHome, run } from './harness.ts'

const SECRET = 's3cr3t-value-that-nobody-may-see'
const sample = `{"mcpServers": {"a": {"command": "x", "env": {"A_TOKEN": "${SECRET}"}}}}`
const hasLinks = process.platform !== 'win32'

let home: CliHome
let file: string
const read = () => readFileSync(file, 'utf8')
const write = (text: string | Buffer) => writeFileSync(file, text)

beforeEach(() => {
  home = createHome()
  mkdirSync(join(home.folder, '.cursor'))
  file = join(home.folder, '.cursor', 'mcp.json')
})
afterEach(() => home.remove())

/** Installs and uninstalls. Both must succeed and show no secret, and after both the file must have its old bytes. */
async function installAndUninstall(): Promise<void> {
  const before = readFileSync(file)
  for (const command of ['install', 'uninstall']) {
    const ran = await run(home, [command, 'cursor', '--yes'])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).not.toContain(SECRET)
    if (command === 'install') expect(read()).toContain('toolcrib')
  }
  expect(readFileSync(file).equals(before)).toBe(true)
}

describe('an unusual client file', () => {
  it.each([
    ['has Windows line ends and a byte order mark', `\uFEFF${sample.replaceAll('{', '{\r\n  ')}\r\n`],
    ['is null', 'null\n'],
    ['is empty', ''],
    [
      'has five megabytes on one line',
      `{"big": ${JSON.stringify(new Array(90_000).fill('x'.repeat(50)))}, ${sample.slice(1)}`,
    ],
    [
      'has keys such as __proto__ and constructor',
      '{"__proto__": {"mcpServers": {}}, "mcpServers": {"__proto__": {"command": "p"}, "constructor": {"command": "c"}}}',
    ],
  ])('uninstall restores every byte of a file that %s', async (_, text) => {
    covers('CLI-INSTALL', 'CLI-UNINSTALL')
    write(text)
    await installAndUninstall()
  })

  it('install keeps a server with a name that a config cannot contain, and reports it', async () => {
    covers('CLI-INSTALL')
    write('{"mcpServers": {"__proto__": {"command": "p"}, "a": {"command": "x"}}}')
    const ran = await run(home, ['install', 'cursor', '--yes'])
    expect(ran.stdout).toContain('Left out, because a config cannot contain a server with this name: __proto__')
    expect(read()).toContain('"__proto__": {"command": "p"}')
    expect(read()).not.toContain('"a"')
  })

  it.runIf(hasLinks)('install keeps a symbolic link and changes its target', async () => {
    covers('CLI-INSTALL', 'CLI-UNINSTALL')
    const real = home.write('dotfiles/mcp.json', sample)
    symlinkSync('../dotfiles/mcp.json', file)
    await installAndUninstall()
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(readFileSync(real, 'utf8')).toBe(sample)
  })
})

describe('a secret outside of the servers that are replaced', () => {
  it.each([
    ['in our own entry', { toolcrib: { env: { API_KEY: SECRET }, command: 'toolcrib', args: ['serve'] } }],
    ['in an invalid entry', { a: { command: 'x' }, b: { url: 'u', command: 'x', env: { B_TOKEN: SECRET } } }],
    [
      'in an argument of a disabled server',
      { a: { command: 'x' }, b: { command: 'x', args: ['--api-key', SECRET], disabled: true } },
    ],
  ])('install and uninstall do not show a secret %s', async (_, mcpServers) => {
    covers('CLI-INSTALL-DRY')
    write(JSON.stringify({ primaryApiKey: `sk-${SECRET}`, mcpServers, password: SECRET }, null, 1))
    for (const flags of [['--dry-run'], ['--yes']]) {
      const ran = await run(home, ['install', 'cursor', ...flags])
      expect(ran.code).toBe(0)
      expect(ran.stdout).toContain('***')
      expect(ran.stdout + ran.stderr).not.toContain(SECRET)
    }
    const back = await run(home, ['uninstall', 'cursor', '--yes'])
    expect(back.stdout + back.stderr).not.toContain(SECRET)
    expect(read()).toContain(SECRET)
  })
})

describe('the secret of one server', () => {
  const untrusted = { command: 'npx', args: ['a'], env: { API_TOKEN: `\${env:API_TOKEN}` } }
  const bank = { command: 'npx', args: ['b'], env: { API_TOKEN: 'bankTOKENbbbb' } }
  const ownConfig = () => JSON.parse(readFileSync(join(home.folder, '.config/toolcrib/config.json'), 'utf8'))
  const secretsEnv = () => readFileSync(join(home.folder, '.config/toolcrib/secrets.env'), 'utf8')

  it('install does not give the secret of a server to another one that refers to a variable with that name', async () => {
    covers('CLI-INSTALL')
    write(JSON.stringify({ mcpServers: { untrusted, bank } }))
    expect(await run(home, ['install', 'cursor', '--yes'])).toMatchObject({ code: 0 })
    const { untrusted: other, bank: own } = ownConfig().discovery.servers
    expect(other.env).toEqual({ API_TOKEN: `\${API_TOKEN}` })
    expect(own.env).toEqual({ API_TOKEN: `\${BANK_API_TOKEN}` })
    expect(secretsEnv()).toMatch(/^BANK_API_TOKEN=bankTOKENbbbb$/m)
    expect(secretsEnv()).not.toMatch(/^API_TOKEN=/m)
  })

  it('import does not give the secret of a server to one that is already in the config', async () => {
    covers('CLI-IMPORT-SECRETS')
    home.write('.config/toolcrib/config.json', {
      discovery: { servers: { untrusted: { ...untrusted, env: { API_TOKEN: `\${API_TOKEN:-none}` } } } },
    })
    write(JSON.stringify({ mcpServers: { bank } }))
    expect(await run(home, ['import', '--write', '--yes'])).toMatchObject({ code: 0 })
    expect(ownConfig().discovery.servers.bank.env).toEqual({ API_TOKEN: `\${BANK_API_TOKEN}` })
  })
})

describe('a secrets file that others can read', () => {
  it.runIf(hasLinks)(
    'a secrets file that others can read keeps its values, gets new names for new values, and is made private',
    async () => {
      covers('CLI-INSTALL')
      const secrets = home.write('.config/toolcrib/secrets.env', 'A_TOKEN=older\n')
      chmodSync(secrets, 0o644)
      write(sample)
      const ran = await run(home, ['install', 'cursor', '--yes'])
      expect(ran.code).toBe(0)
      expect(ran.stderr).toMatch(/Other users could read or change .*secrets\.env; now only you can \(mode 0600\)/)
      expect(statSync(secrets).mode & 0o777).toBe(0o600)
      const now = readFileSync(secrets, 'utf8')
      expect(now).toBe(`A_TOKEN=older\nA_A_TOKEN=${SECRET}\n`)
    },
  )
})

describe('a client file that cannot be changed', () => {
  it.each([
    ['[]', 'it should contain an object, but contains an empty list'],
    ['"text"', 'it should contain an object, but contains a string'],
    ['{\n  "mcpServers": {', 'not valid JSON: close brace expected (line 2, column 18)'],
  ])('a client file with %j is not changed, and the reason is printed', async (text, reason) => {
    write(text)
    for (const command of ['install', 'uninstall']) {
      const ran = await run(home, [command, 'cursor', '--yes'])
      expect(ran.code).toBe(2)
      expect(ran.stderr).toContain(reason)
    }
    expect(read()).toBe(text)
    expect(existsSync(join(home.folder, '.config'))).toBe(false)
  })

  it('install reports that the client file is a folder', async () => {
    mkdirSync(file)
    const ran = await run(home, ['install', 'cursor', '--yes'])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('it is a directory')
    expect(ran.stderr).toContain('replace it with a file')
  })

  it.runIf(hasLinks)('install reports that the client file is a link to itself', async () => {
    symlinkSync('mcp.json', file)
    const ran = await run(home, ['install', 'cursor', '--yes'])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('a link that leads to itself')
  })

  it.runIf(hasLinks)('a read-only client file stays as it is, and no other file is written', async () => {
    write(sample)
    chmodSync(file, 0o444)
    const ran = await run(home, ['install', 'cursor', '--yes'])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('it is read-only')
    expect(read()).toBe(sample)
    expect(statSync(file).mode & 0o777).toBe(0o444)
    expect(readdirSync(join(home.folder, '.cursor'))).toEqual(['mcp.json'])
    expect(existsSync(join(home.folder, '.config'))).toBe(false)
  })
})

describe('a backup path beside the client file', () => {
  it.runIf(hasLinks)('a folder, pipe or link with the name of a backup does not stop uninstall', async () => {
    covers('CLI-UNINSTALL')
    write(sample)
    expect((await run(home, ['install', 'cursor', '--yes'])).code).toBe(0)
    mkdirSync(`${file}.toolcrib-backup-99990101T000000000Z`)
    expect(spawnSync('mkfifo', [`${file}.toolcrib-backup-99990102T000000000Z`]).status).toBe(0)
    symlinkSync('mcp.json.toolcrib-backup-99990102T000000000Z', `${file}.toolcrib-backup-99990103T000000000Z`)
    expect(await run(home, ['uninstall', 'cursor', '--yes'])).toMatchObject({ code: 0, stderr: '' })
    expect(read()).toBe(sample)
  })
})

describe('a client file without backups', () => {
  it('uninstall without backups restores no server, and lists the servers of the config', async () => {
    covers('CLI-UNINSTALL')
    write(sample)
    expect((await run(home, ['install', 'cursor', '--yes'])).code).toBe(0)
    const folder = join(home.folder, '.cursor')
    for (const name of readdirSync(folder)) if (name !== 'mcp.json') rmSync(join(folder, name))
    for (const flags of [['--dry-run'], ['--yes']]) {
      const ran = await run(home, ['uninstall', 'cursor', ...flags])
      expect(ran.code).toBe(0)
      expect(ran.stdout).toContain('No server is restored: there is no backup of ~/.cursor/mcp.json from before')
      expect(ran.stdout).toContain("The gateway's config contains a. `toolcrib config show --verbose`")
      expect(ran.stdout).not.toContain('had replaced no server')
      expect(ran.stdout + ran.stderr).not.toContain(SECRET)
    }
  })
})

describe('two installs at the same time', () => {
  it('two installs at the same time write one gateway, one backup, and every secret value once', async () => {
    covers('CLI-INSTALL')
    write(sample)
    const both = await Promise.all([
      run(home, ['install', 'cursor', '--yes']),
      run(home, ['install', 'cursor', '--yes']),
    ])
    expect(both.map(({ code }) => code)).toContain(0)
    for (const { code, stderr } of both)
      if (code !== 0) expect(stderr).toContain('another program has changed it in the meantime')
    expect(both.map(({ stdout, stderr }) => stdout + stderr).join('')).not.toContain(SECRET)
    const copies = readdirSync(join(home.folder, '.cursor')).filter((name) => name !== 'mcp.json')
    expect(copies).toHaveLength(1)
    expect(readFileSync(join(home.folder, '.cursor', copies[0]!), 'utf8')).toBe(sample)
    expect(read().split('"toolcrib"')).toHaveLength(2)
    const secrets = readFileSync(join(home.folder, '.config/toolcrib/secrets.env'), 'utf8')
    expect(secrets).toContain(`A_TOKEN=${SECRET}\n`)
    expect(secrets.split(SECRET)).toHaveLength(2)
    expect((await run(home, ['uninstall', 'cursor', '--yes'])).code).toBe(0)
    expect(read()).toBe(sample)
  })

  it('two installs into two clients give neither server the secret of the other', async () => {
    covers('CLI-INSTALL')
    const server = (value: string) => ({ command: 'x', args: [value], env: { GITHUB_TOKEN: `literal-${value}` } })
    home.write('.cursor/mcp.json', { mcpServers: { c: server('cursor') } })
    home.write('.codeium/windsurf/mcp_config.json', { mcpServers: { w: server('windsurf') } })
    const clients = ['cursor', 'windsurf']
    const both = await Promise.all(clients.map((client) => run(home, ['install', client, '--yes', '--with-others'])))
    expect(both.map(({ code }) => code)).toContain(0)
    const again = both.flatMap(({ code }, at) => (code === 0 ? [] : [clients[at]!]))
    for (const client of again) {
      expect((await run(home, ['install', client, '--yes', '--with-others'])).code).toBe(0)
    }
    const { servers } = JSON.parse(readFileSync(join(home.folder, '.config/toolcrib/config.json'), 'utf8')).discovery
    const stored = parseEnv(readFileSync(join(home.folder, '.config/toolcrib/secrets.env'), 'utf8'))
    const storedFor = (name: string) => stored[/^\$\{(\w+)\}$/.exec(servers[name].env.GITHUB_TOKEN)?.[1] ?? '']
    expect([storedFor('c'), storedFor('w')]).toEqual(['literal-cursor', 'literal-windsurf'])
  })
})
