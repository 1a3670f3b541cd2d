// The config commands, and running gateways that reload their configuration.

import type { ChildProcess } from 'node:child_process'
import { chmodSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endChild } from '../gateway/processes.ts'
import { type CliHome, covers, createHome, printed, realConfig, root, run, start } from './harness.ts'

let home: CliHome
let config: string

beforeAll(async () => {
  home = createHome()
  config = realConfig(home)
  await run(home, ['tools', 'files'])
})
afterAll(() => home.remove())

const cli = (...args: readonly string[]) => run(home, ['config', ...args])

describe('config show', () => {
  it('config show prints the configuration in force in a fixed format', async () => {
    covers('CLI-CONFIG-SHOW')
    const { stdout, code } = await cli('show')
    expect(code).toBe(0)
    expect(
      stdout
        .replace(config, '<config>')
        .replace(/\d+ total/, 'N total')
        .replace(/\d+ enabled,/, 'N enabled,'),
    ).toBe(
      `MCP Discovery Configuration:

File: ~/.config/toolcrib/config.json
Status: Enabled
Cache: Enabled (TTL: 3600s)

Sources (0)

Tool Rules (2):
  1. files: move_*, write_* → disabled, tags: [changes]
  2. files: read_* → tags: [reads]

Servers: 2 configured, 0 connected (no gateway is running)
Tools: N total, N enabled, and 1 server has not listed its tools
`,
    )
    expect(JSON.parse((await cli('show', '--json')).stdout)).toMatchObject({
      origin: 'user',
      enabled: true,
      cache: { enabled: true, ttl: 3600 },
      toolRules: [{ server: 'files', enabled: false }, {}],
      servers: { configured: 2, connected: 0, unasked: 1 },
      tools: { total: expect.any(Number), enabled: expect.any(Number) },
    })
  })

  it('config show prints sources and rules in a fixed format', async () => {
    covers('CLI-CONFIG-SHOW')
    const other = createHome()
    other.write('.docker/mcp-servers.json', { mcpServers: { github: { command: 'docker' } } })
    other.write(
      '.config/toolcrib/config.yaml',
      `discovery:
  sources:
    - type: docker-mcp
      path: '~/.docker/mcp-servers.json'
    - type: windsurf
      path: '~/.windsurf/mcp.json'
  toolRules:
    - pattern: ['*github*', '/issue/']
      enabled: true
      tags: ['github', 'issues']
    - pattern: ['*dangerous*', '*delete*']
      enabled: false
      tags: ['dangerous']
`,
    )
    const { stdout, code } = await run(other, ['config', 'show'])
    expect(code).toBe(0)
    expect(stdout).toContain(`Sources (2):
  ✓ docker-mcp (~/.docker/mcp-servers.json)
  ✗ windsurf (~/.windsurf/mcp.json) - not found

Tool Rules (2):
  1. *github*, /issue/ → enabled, tags: [github, issues]
  2. *dangerous*, *delete* → disabled, tags: [dangerous]

Servers: 1 configured, 0 connected (no gateway is running)
Tools: not known, 1 server has not listed its tools
`)
    await other.remove()
  })

  it('config show, validate and sources print no secret, even with --verbose or --json', async () => {
    const secret = 'ghp_0123456789abcdefghij'
    const file = home.write('secret.json', {
      discovery: {
        servers: {
          a: { command: 'x', args: ['--token', secret, `--api-key=${secret}`], env: { GITHUB_TOKEN: secret } },
          b: {
            url: `https://user:${secret}@example.com/mcp?api_key=${secret}`,
            headers: { Authorization: `Bearer ${secret}` },
          },
        },
      },
      http: { tokens: { alice: secret } },
    })
    for (const args of [
      ['show', '--verbose'],
      ['show', '--json'],
      ['validate', '--verbose'],
      ['sources', '--json'],
    ]) {
      const { stdout, stderr } = await cli(...args, '--config', file)
      expect(stdout, args.join(' ')).not.toBe('')
      expect(stdout + stderr).not.toContain(secret)
    }
  })
})

describe('config validate', () => {
  it('config validate reports a valid configuration with 0 errors and 0 warnings', async () => {
    expect((await cli('validate')).stdout).toBe('✓ The configuration is valid (0 errors, 0 warnings)\n')
  })

  it('config validate reports every error with its path and exit code 2, and warns about rules that never decide', async () => {
    covers('CLI-CONFIG-VALIDATE')
    const wrong = home.write('wrong.json', { discovery: { servers: { a: { comand: 'x' } }, cache: { ttl: 'long' } } })
    const ran = await cli('validate', '--config', wrong)
    expect(ran.code).toBe(2)
    expect(ran.stdout).toMatch(/^✗ The configuration is not valid \(\d errors/)
    for (const path of ['discovery.cache.ttl', 'discovery.servers.a.comand', 'discovery.servers.a']) {
      expect(ran.stdout).toContain(` ${path}: `)
    }
    expect(JSON.parse((await cli('validate', '--config', wrong, '--json')).stdout)).toMatchObject({ valid: false })
    const odd = home.write('odd.json', {
      discovery: {
        servers: { files: { command: process.execPath, args: ['-e', '0'], tools: [{ name: 'read_file' }] } },
        toolRules: [
          { pattern: 'read_*', enabled: true },
          { pattern: 'read_file', enabled: false },
        ],
      },
    })
    const warned = await cli('validate', '--config', odd)
    expect(warned.code).toBe(0)
    expect(warned.stdout).toContain('Rule 2 never decides')
  })
})

describe('references to variables', () => {
  const reference = (name: string) => `\${${name}}`
  const servers = {
    gh: { command: 'x', args: ['--key', reference('FIRST_UNSET')], env: { TOKEN: reference('SECOND_UNSET') } },
    fine: { command: 'x', env: { A: reference('THIRD_UNSET:-a'), B: reference('HOME') } },
    off: { command: 'x', env: { A: reference('FOURTH_UNSET') }, enabled: false },
  }

  it('config validate says first to add an unset variable to secrets.env, as doctor does', async () => {
    covers('CLI-VALIDATE-UNSET')
    const file = home.write('unset-one.json', { discovery: { servers: { gh: servers.gh } } })
    expect((await cli('validate', '--config', file)).stdout).toContain(
      'refers to it. Add it to ~/.config/toolcrib/secrets.env as SECOND_UNSET=value (readable only by you: chmod 600), export it, or give a default as in ',
    )
  })

  it('config validate reports unset variables with file and path, in the config and in the files of clients', async () => {
    covers('CLI-VALIDATE-UNSET')
    const theirs = home.write('gemini.json', { mcpServers: { g: { command: 'x', args: ['$GEMINI_UNSET'] } } })
    const file = home.write('unset.json', {
      discovery: { servers, sources: [{ type: 'gemini', path: './gemini.json' }] },
      http: { tokens: { alice: reference('ALICE_UNSET') } },
    })
    const ran = await cli('validate', '--config', file, '--json')
    expect(ran.code).toBe(0)
    const { warnings, valid } = JSON.parse(ran.stdout)
    expect(valid).toBe(true)
    const reported = warnings.map((one: Record<string, string>) => [
      one.file,
      one.path,
      /'(\w+)'/.exec(one.message ?? '')?.[1],
    ])
    expect(reported).toEqual([
      [file, 'discovery.servers.gh.args[1]', 'FIRST_UNSET'],
      [file, 'discovery.servers.gh.env.TOKEN', 'SECOND_UNSET'],
      [theirs, 'mcpServers.g', 'GEMINI_UNSET'],
      [file, 'http.tokens.alice', 'ALICE_UNSET'],
    ])
  })

  it.each([['pins'], ['token']])('%s list resolves a reference in `store`', async (command) => {
    const given = home.write('store.json', { store: reference('STORE_KIND'), discovery: { servers: {} } })
    const list = (env: Record<string, string>) =>
      run({ ...home, env: { ...home.env, ...env } }, [command, 'list', '--config', given])
    expect((await list({ STORE_KIND: 'file' })).code).toBe(0)
    const unset = await list({})
    expect(unset.code).not.toBe(0)
    expect(unset.stderr).toContain('STORE_KIND')
  })

  it.each([['memory'], [reference('STORE_KIND')]])(
    'token add refuses the store %j, because each process has its own memory',
    async (store) => {
      const given = home.write('memory.json', { store, discovery: { servers: {} } })
      const env = { ...home.env, STORE_KIND: 'memory' }
      const { code, stdout, stderr } = await run({ ...home, env }, ['token', 'add', 'ada', '--config', given])
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain('each process has its own memory, so a gateway would not know the token')
    },
  )

  it('the error about unset variables names secrets.env, and values in that file take effect at once', async () => {
    covers('CLI-UNSET-FILE')
    const env = { API_KEY: reference('FIRST_UNSET'), OTHER: reference('SECOND_UNSET') }
    const box = { command: process.execPath, args: [join(root, 'build/test/fixtures/upstream/toolbox.js')], env }
    const file = home.write('unset.json', { discovery: { servers: { box } } })
    const wanted =
      "the variables 'FIRST_UNSET', 'SECOND_UNSET' are not set; add them to ~/.config/toolcrib/secrets.env as NAME=value lines"
    for (const words of [
      ['tools', 'box'],
      ['inspect', 'box', 'pid'],
      ['execute', 'box', 'pid'],
    ]) {
      const { stderr, code } = await run(home, [...words, '--config', file])
      expect(code).toBe(3)
      expect(stderr).toContain(wanted)
    }
    await run(home, ['search', 'box', '--config', file])
    chmodSync(home.write('.config/toolcrib/secrets.env', 'FIRST_UNSET=a\nSECOND_UNSET=b\n'), 0o600)
    const found = await run(home, ['search', 'pid of the box', '--config', file])
    rmSync(join(home.folder, '.config/toolcrib/secrets.env'))
    expect(found.stdout).toContain('box:pid')
  })

  it('list marks a server that has an unset variable with a cross, as it marks a failed start', async () => {
    covers('CLI-LIST-MARK')
    const broken = { command: 'no-such-program' }
    const file = home.write('unset.json', { discovery: { servers: { ...servers, broken } } })
    await run(home, ['search', 'anything', '--config', file])
    const { stdout } = await run(home, ['list', '--status', '--config', file])
    expect(stdout).toContain(
      "✗ gh (tools not known yet)\n  Status: Disconnected\n  Reason: the variables 'FIRST_UNSET', 'SECOND_UNSET' are not set\n",
    )
    expect(stdout).toMatch(/✗ broken \(tools not known yet\)\n {2}Status: Disconnected\n {2}Reason: .*no-such-program/)
    expect(JSON.parse((await run(home, ['list', '--config', file, '--json'])).stdout).servers[0]).toMatchObject({
      name: 'gh',
      status: 'disconnected',
    })
  })
})

describe('config sources', () => {
  it('config sources lists the files that servers come from, and the files that were not found', async () => {
    covers('CLI-CONFIG-SOURCES')
    const empty = createHome()
    empty.write('.cursor/mcp.json', { mcpServers: { a: { command: 'x' }, b: { command: 'y' } } })
    const { stdout } = await run(empty, ['config', 'sources'])
    expect(stdout).toContain('Configuration sources (1 in use):')
    expect(stdout).toContain('✓ cursor (~/.cursor/mcp.json) - 2 servers')
    expect(stdout).toContain('✗ windsurf (~/.codeium/windsurf/mcp_config.json) - not found')
    await empty.remove()
  })
})

describe('config reload', () => {
  const gateways: ChildProcess[] = []
  afterAll(async () => {
    for (const gateway of gateways) await endChild(gateway, 'SIGTERM')
  })

  it('config reload exits with 2 if no gateway is running', async () => {
    covers('CLI-RELOAD-ALL')
    const ran = await cli('reload')
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('No gateway of this user is running')
  })

  it('config reload reaches every running gateway over stdio and HTTP, and reports a config that was refused', async () => {
    covers('CLI-CONFIG-RELOAD', 'CLI-RELOAD-ALL', 'CLI-LIST-STATUS')
    const http = start(home, ['serve', '--http', '--port', '0'])
    const stdio = start(home, [])
    gateways.push(http, stdio)
    await printed(http, 'Listening on')
    const folder = join(home.folder, '.local/state/toolcrib/gateways')
    await expect
      .poll(() => readdirSync(folder).filter((name) => name.endsWith('.json')).length, { timeout: 20_000 })
      .toBe(2)
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0)

    const reloaded = await cli('reload', '--json')
    expect(reloaded.code).toBe(0)
    const { gateways: reloads } = JSON.parse(reloaded.stdout)
    expect(reloads.map(({ pid }: { pid: number }) => pid).sort()).toEqual([http.pid, stdio.pid].sort())
    expect(reloads).toEqual([expect.objectContaining({ applied: true }), expect.objectContaining({ applied: true })])

    expect((await run(home, ['list', '--status'])).stdout).toMatch(/Status: (?:Connected|Known)/)

    home.write('.config/toolcrib/config.json', '{')
    const refused = await cli('reload')
    expect(refused.code).toBe(2)
    expect(refused.stdout).toMatch(/✗ Gateway \d+: did not apply the configuration\n {2}error: .*: .*Not valid JSON/)
    realConfig(home)

    http.kill('SIGKILL')
    await new Promise((resolve) => http.once('close', resolve))
    const left = JSON.parse((await cli('reload', '--json')).stdout)
    expect(left.gateways.map(({ pid }: { pid: number }) => pid)).toEqual([stdio.pid])
    stdio.stdin?.end()
    expect(await new Promise((resolve) => stdio.once('close', resolve))).toBe(0)
    expect((await cli('reload')).code).toBe(2)
    expect(readdirSync(folder).filter((name) => name.endsWith('.json'))).toEqual([])
  }, 90_000)
})
