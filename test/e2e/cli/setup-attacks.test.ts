// install and uninstall over files that are odd, broken, locked or written by two at once: nothing is lost or shown.

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
import { covers, createHome, type Home, run } from './harness.ts'

const SECRET = 's3cr3t-value-that-nobody-may-see'
const sample = `{"mcpServers": {"a": {"command": "x", "env": {"A_TOKEN": "${SECRET}"}}}}`
const hasLinks = process.platform !== 'win32'

let home: Home
let file: string
const read = () => readFileSync(file, 'utf8')
const write = (text: string | Buffer) => writeFileSync(file, text)

beforeEach(() => {
  home = createHome()
  mkdirSync(join(home.folder, '.cursor'))
  file = join(home.folder, '.cursor', 'mcp.json')
})
afterEach(() => home.remove())

/** Installs and takes out again; both must work, show no secret, and leave what was there to the byte. */
async function thereAndBack(): Promise<void> {
  const before = readFileSync(file)
  for (const command of ['install', 'uninstall']) {
    const ran = await run(home, [command, 'cursor', '--yes'])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).not.toContain(SECRET)
    if (command === 'install') expect(read()).toContain('toolcrib')
  }
  expect(readFileSync(file).equals(before)).toBe(true)
}

describe('a file that is odd', () => {
  it.each([
    ['has Windows line ends and a mark at its start', `\uFEFF${sample.replaceAll('{', '{\r\n  ')}\r\n`],
    ['is null', 'null\n'],
    ['is empty', ''],
    [
      'has five megabytes on one line',
      `{"big": ${JSON.stringify(new Array(90_000).fill('x'.repeat(50)))}, ${sample.slice(1)}`,
    ],
    [
      'has keys of the language',
      '{"__proto__": {"mcpServers": {}}, "mcpServers": {"__proto__": {"command": "p"}, "constructor": {"command": "c"}}}',
    ],
  ])('and %s is changed and comes back to the byte', async (_, text) => {
    covers('CLI-INSTALL', 'CLI-UNINSTALL')
    write(text)
    await thereAndBack()
  })

  it('keeps a server in it that no config could hold, and says so', async () => {
    covers('CLI-INSTALL')
    write('{"mcpServers": {"__proto__": {"command": "p"}, "a": {"command": "x"}}}')
    const ran = await run(home, ['install', 'cursor', '--yes'])
    expect(ran.stdout).toContain('Left out, because no config can hold a server of this name: __proto__')
    expect(read()).toContain('"__proto__": {"command": "p"}')
    expect(read()).not.toContain('"a"')
  })

  it.runIf(hasLinks)('and a link stays a link, with the file behind it changed', async () => {
    covers('CLI-INSTALL', 'CLI-UNINSTALL')
    const real = home.write('dotfiles/mcp.json', sample)
    symlinkSync('../dotfiles/mcp.json', file)
    await thereAndBack()
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(readFileSync(real, 'utf8')).toBe(sample)
  })
})

describe('a secret that is no server of the gateway', () => {
  it.each([
    ['on our own entry', { toolcrib: { env: { API_KEY: SECRET }, command: 'toolcrib', args: ['serve'] } }],
    [
      'of an entry that makes no sense',
      { a: { command: 'x' }, b: { url: 'u', command: 'x', env: { B_TOKEN: SECRET } } },
    ],
    [
      'in an argument of one that is off',
      { a: { command: 'x' }, b: { command: 'x', args: ['--api-key', SECRET], disabled: true } },
    ],
  ])('is not shown %s', async (_, mcpServers) => {
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

  it('is not given to another that refers to a variable of that name', async () => {
    covers('CLI-INSTALL')
    write(JSON.stringify({ mcpServers: { untrusted, bank } }))
    expect(await run(home, ['install', 'cursor', '--yes'])).toMatchObject({ code: 0 })
    const { untrusted: other, bank: own } = ownConfig().discovery.servers
    expect(other.env).toEqual({ API_TOKEN: `\${API_TOKEN}` })
    expect(own.env).toEqual({ API_TOKEN: `\${BANK_API_TOKEN}` })
    expect(secretsEnv()).toMatch(/^BANK_API_TOKEN=bankTOKENbbbb$/m)
    expect(secretsEnv()).not.toMatch(/^API_TOKEN=/m)
  })

  it('is not given to one that is in the config already', async () => {
    covers('CLI-IMPORT-SECRETS')
    home.write('.config/toolcrib/config.json', {
      discovery: { servers: { untrusted: { ...untrusted, env: { API_TOKEN: `\${API_TOKEN:-none}` } } } },
    })
    write(JSON.stringify({ mcpServers: { bank } }))
    expect(await run(home, ['import', '--write', '--yes'])).toMatchObject({ code: 0 })
    expect(ownConfig().discovery.servers.bank.env).toEqual({ API_TOKEN: `\${BANK_API_TOKEN}` })
  })
})

describe('a file of secrets that others can read', () => {
  it.runIf(hasLinks)('keeps its values apart from new ones, and is said to be closed now', async () => {
    covers('CLI-INSTALL')
    const secrets = home.write('.config/toolcrib/secrets.env', 'A_TOKEN=older\n')
    chmodSync(secrets, 0o644)
    write(sample)
    const ran = await run(home, ['install', 'cursor', '--yes'])
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('could be read or changed by others; it is yours alone now (mode 0600)')
    expect(statSync(secrets).mode & 0o777).toBe(0o600)
    const now = readFileSync(secrets, 'utf8')
    expect(now).toBe(`A_TOKEN=older\nA_A_TOKEN=${SECRET}\n`)
  })
})

describe('a file that cannot be changed', () => {
  it.each([
    ['[]', 'it should hold an object, and holds an empty list'],
    ['"text"', 'it should hold an object, and holds a string'],
    ['{\n  "mcpServers": {', 'not valid JSON: close brace expected (line 2, column 18)'],
  ])('as %j is left as it is, with the reason', async (text, reason) => {
    write(text)
    for (const command of ['install', 'uninstall']) {
      const ran = await run(home, [command, 'cursor', '--yes'])
      expect(ran.code).toBe(2)
      expect(ran.stderr).toContain(reason)
    }
    expect(read()).toBe(text)
    expect(existsSync(join(home.folder, '.config'))).toBe(false)
  })

  it('as a folder is said to be one', async () => {
    mkdirSync(file)
    const ran = await run(home, ['install', 'cursor', '--yes'])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('it is a directory')
    expect(ran.stderr).toContain('put a file in its place')
  })

  it.runIf(hasLinks)('as a link to itself is said to be one', async () => {
    symlinkSync('mcp.json', file)
    const ran = await run(home, ['install', 'cursor', '--yes'])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('a link that leads to itself')
  })

  it.runIf(hasLinks)('being read-only stays so, and nothing else is written', async () => {
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

describe('what lies beside the file under the name of a copy', () => {
  it.runIf(hasLinks)('and is no file keeps nobody from taking the gateway out', async () => {
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

describe('a file whose copies are gone', () => {
  it('gets no server back, and says so with what the config still has', async () => {
    covers('CLI-UNINSTALL')
    write(sample)
    expect((await run(home, ['install', 'cursor', '--yes'])).code).toBe(0)
    const folder = join(home.folder, '.cursor')
    for (const name of readdirSync(folder)) if (name !== 'mcp.json') rmSync(join(folder, name))
    for (const flags of [['--dry-run'], ['--yes']]) {
      const ran = await run(home, ['uninstall', 'cursor', ...flags])
      expect(ran.code).toBe(0)
      expect(ran.stdout).toContain('There is no copy of ~/.cursor/mcp.json from before the gateway came')
      expect(ran.stdout).toContain("The gateway's config has a: `toolcrib config show --verbose`")
      expect(ran.stdout).not.toContain('in place of no server')
      expect(ran.stdout + ran.stderr).not.toContain(SECRET)
    }
  })
})

describe('two at once', () => {
  it('end with one gateway, one copy of what was there, and every value kept once', async () => {
    covers('CLI-INSTALL')
    write(sample)
    const both = await Promise.all([
      run(home, ['install', 'cursor', '--yes']),
      run(home, ['install', 'cursor', '--yes']),
    ])
    expect(both.map(({ code }) => code)).toContain(0)
    for (const { code, stderr } of both) if (code !== 0) expect(stderr).toContain('somebody else changed it meanwhile')
    expect(both.map(({ stdout, stderr }) => stdout + stderr).join('')).not.toContain(SECRET)
    const copies = readdirSync(join(home.folder, '.cursor')).filter((name) => name !== 'mcp.json')
    expect(copies).toHaveLength(1)
    expect(readFileSync(join(home.folder, '.cursor', copies[0]!), 'utf8')).toBe(sample)
    expect(readFileSync(join(home.folder, '.config/toolcrib/secrets.env'), 'utf8')).toContain(`A_TOKEN=${SECRET}\n`)
    expect((await run(home, ['uninstall', 'cursor', '--yes'])).code).toBe(0)
    expect(read()).toBe(sample)
  })

  it('into two clients give neither server the secret of the other', async () => {
    covers('CLI-INSTALL')
    const server = (value: string) => ({ command: 'x', args: [value], env: { GITHUB_TOKEN: `literal-${value}` } })
    home.write('.cursor/mcp.json', { mcpServers: { c: server('cursor') } })
    home.write('.codeium/windsurf/mcp_config.json', { mcpServers: { w: server('windsurf') } })
    const clients = ['cursor', 'windsurf']
    const both = await Promise.all(clients.map((client) => run(home, ['install', client, '--yes'])))
    expect(both.map(({ code }) => code)).toContain(0)
    const again = both.flatMap(({ code }, at) => (code === 0 ? [] : [clients[at]!]))
    for (const client of again) expect((await run(home, ['install', client, '--yes'])).code).toBe(0)
    const { servers } = JSON.parse(readFileSync(join(home.folder, '.config/toolcrib/config.json'), 'utf8')).discovery
    const kept = parseEnv(readFileSync(join(home.folder, '.config/toolcrib/secrets.env'), 'utf8'))
    const keptFor = (name: string) => kept[/^\$\{(\w+)\}$/.exec(servers[name].env.GITHUB_TOKEN)?.[1] ?? '']
    expect([keptFor('c'), keptFor('w')]).toEqual(['literal-cursor', 'literal-windsurf'])
  })
})
