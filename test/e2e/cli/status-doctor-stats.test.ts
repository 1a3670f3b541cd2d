// The status screen, doctor, stats, completion and serve.

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect, covers, createHome, hasTerminal, main, root, run, runOnTerminal, useRealHome } from './harness.ts'

const home = useRealHome()

describe('toolcrib without a command', () => {
  it('toolcrib without a command serves a client that started it', async () => {
    covers('CLI-STDIO')
    const client = await connect(home)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('search_tools')
    await client.callTool({ name: 'search_tools', arguments: { query: 'read a file' } })
    await client.callTool({
      name: 'execute_tool',
      arguments: { tool: 'files:read_text_file', arguments: { path: 'notes.txt' } },
    })
    await client.callTool({
      name: 'execute_tool',
      arguments: { tool: 'files:read_text_file', arguments: { path: 'none.txt' } },
    })
    await client.close()
  })

  it.skipIf(!hasTerminal)(
    'toolcrib without a command shows a person the configuration, the saved tokens and the next command',
    async () => {
      covers('CLI-STATUS')
      const { stdout, code } = await runOnTerminal(home, [], { env: { NO_COLOR: '1' } })
      expect(code).toBe(0)
      expect(stdout).toMatch(/Toolcrib \d+\.\d+\.\d+\n/)
      expect(stdout).toMatch(/Servers {2}2 \(2 from config\)\n/)
      expect(stdout).toMatch(/Tokens {3}[\d,]+ without Toolcrib, \d+ with it \(\d+% less\)/)
      expect(stdout).toMatch(/Next: toolcrib \w+/)
    },
  )

  it('toolcrib --json prints the status as JSON', async () => {
    const { stdout, code } = await run(home, ['--json'])
    expect(code).toBe(0)
    const shown = JSON.parse(stdout)
    expect(shown).toMatchObject({ servers: 2, sources: [{ source: 'config', servers: 2 }], gateways: [] })
    expect(shown.tokens.without).toBeGreaterThan(shown.tokens.with)
  })
})

describe('stats', () => {
  it('stats counts calls, errors, latency and saved tokens', async () => {
    covers('CLI-STATS', 'CLI-STATS-CALLS')
    const { stdout, code } = await run(home, ['stats', '--json'])
    expect(code).toBe(0)
    const { tokens, strategy, calls, servers, tools } = JSON.parse(stdout)
    expect(tokens.surface).toBe(strategy.listTokens)
    expect(calls).toMatchObject({ calls: 2, errors: 1 })
    expect(servers).toEqual([
      expect.objectContaining({ name: 'files', calls: 2, errors: 1, inForce: true }),
      expect.objectContaining({ name: 'everything', calls: 0, inForce: true }),
    ])
    expect(tools[0]).toMatchObject({ name: 'files:read_text_file', calls: 2, errors: 1 })
    // There is one session so far: the tokens of the rows and 2 tokens for the brackets add up to the whole list.
    for (const rows of [servers, tools]) {
      const sum = rows.reduce((total: number, row: { baselineTokens: number }) => total + row.baselineTokens, 0)
      expect(sum + 2).toBe(tokens.baseline)
    }
    expect(tokens.answersByTool).toEqual([{ tool: 'search_tools', answers: 1, tokens: tokens.answers }])
    expect(tokens.answerCount).toBe(1)
    expect(tokens.saved).toBe(tokens.baseline - tokens.surface - tokens.answers)
    expect(tokens.baseline).toBe(tokens.fullList)
    expect(tokens.breakEvenLooks).toBe(Math.floor((tokens.fullList - tokens.surface) / tokens.answers))
    const { stdout: text } = await run(home, ['stats'])
    expect(text).toMatch(/^Stats \(1 session, 2 calls\):\n/)
    expect(text).toMatch(/Saved +[\d,]+ \(\d+\.\d%\)\n {2}Break-even: /)
  })

  it('stats counts calls of unknown names in one row, and not as servers or tools', async () => {
    covers('CLI-STATS-CALLS')
    const other = createHome()
    onTestFinished(() => other.remove())
    other.write('.config/toolcrib/config.json', { discovery: { servers: { it: { command: 'no-such-program' } } } })
    const outcomes = ['SERVER_NOT_FOUND', 'TOOL_NOT_FOUND', 'TOOL_NOT_FOUND', 'ok']
    const calls = ['itt:read', ':rea', 'it:rea', 'it:read'].map((id, at) => {
      const [server, tool] = id.split(':')
      return JSON.stringify({ event: 'call', server, tool, outcome: outcomes[at], durationMs: 5 })
    })
    other.write('.local/state/toolcrib/audit.jsonl', `${calls.join('\n')}\n`)
    const { stdout } = await run(other, ['stats', '--json'])
    const document = JSON.parse(stdout)
    expect(document.calls).toEqual({ calls: 4, errors: 3, medianMs: 5, p95Ms: 5 })
    expect(document.unknownNames).toMatchObject({ calls: 3, errors: 3 })
    expect(document.servers).toMatchObject([{ name: 'it', calls: 1 }])
    expect(document.tools).toMatchObject([{ name: 'it:read', calls: 1 }])
    const text = (await run(other, ['stats'])).stdout
    expect(text).toMatch(/\n {2}unknown names +3 +3 +5 ms +5 ms +- +-\n/)
    expect(text).not.toMatch(/itt|rea\b|\(none\)/)
    expect(text).toContain('No client has listed the tools of these servers yet. Run `toolcrib install`')
  })

  it('stats and eval show the next step in an empty home', async () => {
    const empty = createHome()
    onTestFinished(() => empty.remove())
    for (const command of ['stats', 'eval']) {
      expect((await run(empty, [command])).stdout).toContain('Run `toolcrib import` to see the servers')
    }
  })
})

describe('stats with another config', () => {
  it('stats counts no session and no token of servers that the config does not have', async () => {
    covers('CLI-STATS-FORCE')
    const other = home.write('other.json', {
      discovery: { servers: { else: { command: 'x', tools: [{ name: 'a', description: 'b' }] } } },
    })
    const { stdout } = await run(home, ['stats', '--config', other, '--json'])
    const { tokens, servers } = JSON.parse(stdout)
    expect(tokens).toMatchObject({ baseline: 0, surface: 0, answers: 0, saved: 0, breakEvenLooks: null })
    expect(servers).toEqual([
      expect.objectContaining({ name: 'files', inForce: false, listTokens: 0 }),
      expect.objectContaining({ name: 'else', inForce: true, calls: 0, baselineTokens: 0 }),
    ])
    const text = (await run(home, ['stats', '--config', other])).stdout
    expect(text).toMatch(/^Stats \(0 sessions, 2 calls\):\n/)
    expect(text).toMatch(/files \(not in use now\) +2 /)
  })
})

describe('doctor', () => {
  it.each([
    ['a token of `toolcrib token add`', {}, true],
    ['a company login', { oauth: { issuer: 'https://login.example.com', audience: 'toolcrib', scopes: {} } }, false],
  ])('doctor names shared servers if clients connect with %s', async (_, http, withToken) => {
    const other = createHome()
    onTestFinished(() => other.remove())
    const servers = { it: { command: 'no-such-program' } }
    other.write('.config/toolcrib/config.json', { http, discovery: { servers } })
    if (withToken) {
      expect((await run(other, ['doctor'])).stdout).not.toContain('one process or connection for all people')
      expect((await run(other, ['token', 'add', 'ada'])).code).toBe(0)
    }
    expect((await run(other, ['doctor'])).stdout).toContain('one process or connection for all people')
  })

  it('doctor shows times, tools, tokens and protocol of a healthy server', async () => {
    covers('CLI-DOCTOR')
    const { stdout, code } = await run(home, ['doctor', 'files'])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^Doctor \(1 server, all healthy\):\n\n✓ files \(stdio\)\n {2}started in .+, listed in .+, 14 tools \(12 enabled\), [\d,]+ tokens \([\d,]+ for enabled tools\), protocol 2025-11-25, 6 environment variables\n {2}Variables: HOME, LANG, PATH, TERM, TOOLCRIB_WITHIN, USERPROFILE\n$/,
    )
  })

  it('doctor shows the problem, the output and the fix for each server that does not work, with exit code 3', async () => {
    covers('CLI-DOCTOR-FAULTS')
    const crash = join(root, 'build/test/fixtures/upstream/crash-on-start.js')
    const config = home.write('sick.json', {
      discovery: {
        servers: {
          absent: { command: 'no-such-program' },
          unset: { command: process.execPath, env: { TOKEN: `\${NOT_SET_ANYWHERE}` } },
          crash: { command: process.execPath, args: [crash], env: { API_KEY: 'a-key-that-is-secret' } },
          files: {
            command: process.execPath,
            args: [join(root, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js'), home.cwd],
          },
        },
      },
    })
    const { stdout, code } = await run(home, ['doctor', '--config', config])
    expect(code).toBe(3)
    expect(stdout).toContain('Doctor (4 servers, 3 with a problem):')
    expect(stdout).toContain(
      "Problem: the command 'no-such-program' was not found\n  Next: Install it, or correct 'command'",
    )
    expect(stdout).toContain(
      "Problem: the variable 'NOT_SET_ANYWHERE' is not set\n  Next: Add it to ~/.config/toolcrib/secrets.env as NOT_SET_ANYWHERE=value (readable only by you: chmod 600), export it, or give a default",
    )
    expect(stdout).toMatch(
      /✗ crash \(stdio\)\n {2}Command: .*\n {2}It printed: fatal: the key \[redacted\].*\n {2}Problem: .*exit.*\n {2}Next: .*\n {2}Its output:\n {4}fatal: the key \[redacted\]/,
    )
    expect(stdout).toContain('✓ files (stdio)')
    const json = await run(home, ['doctor', 'absent', '--config', config, '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({
      unhealthy: 1,
      servers: [{ server: 'absent', ok: false, faults: [{}] }],
    })
    expect((await run(home, ['doctor', 'nobody'])).code).toBe(2)
  }, 60_000)

  it('doctor and status report unknown keys, and doctor skips only a server with a misspelt `enabled`', async () => {
    const config = home.write('unknown-key.json', {
      discovery: {
        servers: { odd: { command: 'no-such-program', comand: 1 }, unsure: { command: 'x', enabld: true } },
      },
    })
    const doctor = await run(home, ['doctor', '--config', config])
    expect(doctor.code).toBe(3)
    expect(doctor.stdout).toContain('Doctor (1 server, 1 with a problem, 2 errors in the configuration):')
    expect(doctor.stdout).toContain(
      "✗ odd (stdio)\n  Command: no-such-program\n  Problem: the command 'no-such-program'",
    )
    const error =
      "Error: ~/unknown-key.json discovery.servers.odd.comand: Unknown key 'comand'. Did you mean 'command'?\n"
    expect(doctor.stdout).toContain(error)
    // The misspelt `enabled` of this server cannot be read, so the server is not started.
    expect(doctor.stdout).not.toContain('unsure (stdio)')
    const status = await run(home, ['status', '--config', config])
    expect(status.code).toBe(2)
    expect(status.stdout).toContain(error)
    expect(status.stdout).toContain('Next: toolcrib config validate --config ~/unknown-key.json\n')
  })

  it('doctor names the field in the file of a client that refers to an unset variable', async () => {
    const own = createHome()
    own.write('.cursor/mcp.json', {
      mcpServers: {
        linear: { url: 'http://127.0.0.1:9/mcp', headers: { Authorization: `Bearer \${env:LINEAR_KEY}` } },
      },
    })
    const { stdout } = await run(own, ['doctor', 'linear'])
    await own.remove()
    expect(stdout).toContain(
      "Problem: the variable 'LINEAR_KEY' is not set; 'headers.Authorization' in ~/.cursor/mcp.json (mcpServers.linear) refers to it",
    )
  })
})

describe('completion', () => {
  it('completion prints a script for bash, zsh and fish, and refuses other shells', async () => {
    covers('CLI-COMPLETION')
    for (const shell of ['bash', 'zsh', 'fish']) {
      expect((await run(home, ['completion', shell])).stdout).toContain('toolcrib complete --')
    }
    expect((await run(home, ['completion', 'tcsh'])).code).toBe(1)
  })

  it.each([
    [['sea'], 'search\n'],
    [['tools', ''], 'files\neverything\n'],
    [['inspect', 'files', 'read_t'], 'read_text_file\n'],
    [['execute', 'files:read_t'], 'files:read_text_file\n'],
    [['search', 'x', '--server', 'e'], 'everything\n'],
    [['config', 'v'], 'validate\n'],
    [['install', 'cu'], 'cursor\n'],
    [['list', '--st'], '--status\n'],
    [['serve', '--strategy', 'ca'], 'categories\ncapabilities\n'],
    [['wrap', '--strategy', 'la'], 'lazy\n'],
    [['example', '--strategy', ''], 'individual\ngrouped\nlazy\n'],
    [['serve', '--listing', 'h'], 'hidden\nhybrid\n'],
    [['import', '--from', 'cursor', 'wi'], 'windsurf\n'],
    [['eval', '--ranker', 'bm25f', 'w'], 'words\n'],
    [['tools', '--config', ''], ''],
    [['tools', '--config', '../.config/toolcrib/config.json', 'e'], 'everything\n'],
  ])('complete answers %j with the possible words', async (words, expected) => {
    covers('CLI-COMPLETION')
    expect((await run(home, ['complete', '--', ...words])).stdout).toBe(expected)
  })

  it('the bash script completes words with a colon, at which bash splits', async () => {
    const { stdout: script } = await run(home, ['completion', 'bash'])
    const file = join(home.folder, 'complete.sh')
    writeFileSync(
      file,
      `toolcrib() { '${process.execPath}' '${main}' "$@"; }
${script}
COMP_LINE='toolcrib inspect files:read_t'; COMP_POINT=\${#COMP_LINE}; _toolcrib; echo "\${COMPREPLY[@]}"
`,
    )
    const { stdout } = spawnSync('bash', [file], { cwd: home.cwd, env: home.env, encoding: 'utf8' })
    expect(stdout).toBe('read_text_file\n')
  })
})

describe('serve', () => {
  it.each([
    [{ LAZY_MODE: 'on' }, [], 'manage_tools'],
    [{ TOOL_LOADING: 'lazy', LAZY_MODE: '1' }, [], 'list_tool_categories'],
    [{ LAZY_MODE: 'true' }, ['--strategy', 'gateway'], 'execute_tool'],
  ])('serve with the environment %j and the flags %j lists %s', async (switches, flags, tool) => {
    covers('CLI-SERVE')
    const client = await connect(home, { command: process.execPath, args: [main, 'serve', ...flags] }, switches)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain(tool)
    await client.close()
  })

  it.each(['serve', 'wrap'])('%s logs on stderr which variable chose the strategy', async (command) => {
    covers('CLI-SERVE', 'CLI-STDERR')
    const args = command === 'serve' ? ['serve'] : ['wrap', '--', process.execPath, main, 'serve', '--demo']
    const { stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
      cwd: home.cwd,
      env: { ...home.env, LAZY_MODE: 'false' },
      input: '',
      encoding: 'utf8',
    })
    expect(stdout).toBe('')
    expect(stderr).toContain("toolcrib: strategy 'individual', because the environment has LAZY_MODE=false\n")
  })

  it.skipIf(!hasTerminal).each([
    ['serve', []],
    ['wrap', ['--', process.execPath, main, 'serve', '--demo']],
  ])('%s tells a person who started it on a terminal what it waits for, wrapped at words', async (command, words) => {
    covers('CLI-SERVE', 'CLI-STDERR')
    const typed = [['Ctrl-C', '\u0003']] as const
    const { stdout } = await runOnTerminal(home, [command, ...words], { columns: 60, typed })
    expect(stdout).toMatch(/^toolcrib: waiting for an MCP client on stdin[\s\S]*--http[\s\S]*Ctrl-C to end\r?\n/m)
    expect(stdout.split(/\r?\n/).filter((line) => line.length > 60)).toEqual([])
  })

  it.skipIf(!hasTerminal)('serve --http wraps the cost of its list at words on a narrow terminal', async () => {
    covers('CLI-SERVE')
    const typed = [['Tokens a client pays', '\u0003']] as const
    const words = ['serve', '--http', '--demo', '--port', '0']
    const { stdout } = await runOnTerminal(home, words, { columns: 60, typed })
    const [, after = ''] = stdout.split('Stop with Ctrl-C.')
    expect(after).toContain('Tokens a client pays for the list of tools: ')
    expect(after.split(/\r?\n/).filter((line) => line.length > 60)).toEqual([])
    expect(after).not.toContain('o200k')
  })

  it.each([
    [['serve', '--http', '--port', 'many'], 1],
    [['serve', '--http', '--no-auth', '--host', '0.0.0.0'], 1],
    [['serve', '--strategy', 'nothing'], 1],
  ])('%j is refused with exit code %i, and prints only to stderr', async (args, code) => {
    covers('CLI-SERVE', 'CLI-STDERR')
    const ran = await run(home, args)
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(ran.stderr).toMatch(/^Error: .+\nNext: /m)
  })
})

it('status names the file of a client that cannot be read, and its line, and does not claim that no client has the gateway', async () => {
  covers('CLI-STATUS')
  const other = createHome()
  onTestFinished(() => other.remove())
  other.write('.config/toolcrib/config.json', {})
  other.write('.cursor/mcp.json', '{ "mcp')
  const { stdout } = await run(other, ['status'])
  expect(stdout).toMatch(/Clients +cursor: ~\/\.cursor\/mcp\.json cannot be read \(line 1, column 3\)\n/)
  expect(JSON.parse((await run(other, ['status', '--json'])).stdout).unreadableClients).toEqual([
    { client: 'cursor', file: join(other.folder, '.cursor/mcp.json') },
  ])
})
