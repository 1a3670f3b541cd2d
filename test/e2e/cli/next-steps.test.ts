// The next step in errors and screens is a command that a person can type.

import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { number } from '../../../src/cli/output/text.ts'
import { freePort } from '../../fixtures/fleet/redis-server.ts'
import { homeForTest } from '../gateway/home.ts'
import {
  covers,
  createHome,
  ended,
  hasTerminal,
  processesWith,
  run,
  runOnTerminal,
  serverScript,
  start,
  useRealHome,
} from './harness.ts'

const home = useRealHome()

describe('invalid arguments', () => {
  it('token add refuses a name that exists, token revoke one that does not exist, and both print the command to type', async () => {
    expect(await run(home, ['token', 'add', 'bob'])).toMatchObject({ code: 0 })
    expect(await run(home, ['token', 'add', 'bob'])).toMatchObject({
      code: 1,
      stderr:
        "Error: There is already a token 'bob'.\nNext:  Run `toolcrib token revoke bob` first, or choose another name.\n",
    })
    expect(await run(home, ['token', 'revoke', 'bobb'])).toMatchObject({
      code: 1,
      stderr: "Error: There is no token 'bobb'.\nNext:  Did you mean 'bob'? `toolcrib token list` lists the tokens.\n",
    })
    expect(await run(home, ['--json', 'token', 'list'])).toMatchObject({ code: 0 })
  })

  it('a command that needs Redis names Redis and the next step while Redis is out of reach', async () => {
    const address = `redis://127.0.0.1:${await freePort()}`
    const away = homeForTest()
    away.write('gateway.json', { store: address, discovery: { servers: { hub: { url: 'https://hub.example/mcp' } } } })
    const env = { ...away.env, TOOLCRIB_STORE_KEY: 'A'.repeat(43) }
    const type = (...words: readonly string[]) => run({ cwd: away.path, env }, [...words, '--config', away.config])
    const tokens = {
      code: 3,
      stdout: '',
      stderr: `Error: The tokens cannot be read or changed: Redis at ${address}/0 cannot be reached.\nNext:  Nothing was changed. Check the store that \`store\` in the config or TOOLCRIB_STORE names, then run the command again.\n`,
    }
    for (const words of [['list'], ['add', 'bob'], ['revoke', 'bob']])
      expect(await type('token', ...words)).toMatchObject(tokens)
    expect(await type('logout', 'hub')).toMatchObject({
      code: 3,
      stderr: `Error: The login to server 'hub' was not removed: Redis at ${address}/0 cannot be reached.\nNext:  Correct the cause, then run \`toolcrib logout hub --config ~/gateway.json\` again.\n`,
    })
  })

  it.each([
    ['of a pair', ['head=many'], "Field 'head': expected a number, received 'many'"],
    ['of --args', ['--args', '{"path":3}'], "Field 'path': expected string, received number"],
  ])(
    'an invalid argument %s is reported with the typed name of the tool and the command that shows its parameters',
    async (_, words, reason) => {
      covers('CLI-NAMES')
      const { stderr, code } = await run(home, ['execute', 'files:read_text_file', ...words])
      expect(code).toBe(1)
      expect(stderr).toContain(`Invalid input for 'files:read_text_file': ${reason}`)
      expect(stderr).toMatch(/Next: +Run `toolcrib inspect files read_text_file` to see its parameters\./)
    },
  )

  it.each([
    [['search', ''], 'The query is empty.', 'search'],
    [['search', 'x', '--server', ''], 'The value of --server is empty.', 'search'],
    [['tools', ''], 'The name of the server is empty.', 'tools'],
    [['inspect', ''], 'The name of the tool is empty.', 'inspect'],
    [['execute', 'files', ''], 'The name of the tool is empty.', 'execute'],
  ])('%j is refused with the reason and the help command', async (words, what, command) => {
    covers('CLI-NAMES')
    const { stderr, stdout, code } = await run(home, words)
    expect({ stderr, stdout, code }).toEqual({
      stderr: `Error: ${what}\nNext:  Run \`toolcrib ${command} --help\` to see what it takes.\n`,
      stdout: '',
      code: 1,
    })
  })

  it.each([
    [['config', 'show', '--bogus'], 'toolcrib config show --help'],
    [['config', 'nope'], 'toolcrib config --help'],
    [['list', 'nope'], 'toolcrib list --help'],
    [['pins', 'approve'], 'toolcrib pins approve --help'],
    [['token', 'add', 'ada', '--expires', '5'], 'toolcrib token add --help'],
    [['nope'], 'toolcrib --help'],
    [['--bogus'], 'toolcrib --help'],
    [['version'], 'toolcrib --version'],
  ])('%j is refused with the help command of the typed command', async (words, help) => {
    const { stderr, code } = await run(home, words)
    expect(code).toBe(1)
    expect(stderr).toContain(`\`${help}\``)
  })

  it('inspect suggests a name that can be typed for a misspelled tool', async () => {
    covers('CLI-NAMES')
    const { stderr, code } = await run(home, ['inspect', 'read_txt_file'])
    expect(code).toBe(2)
    expect(stderr).toContain("'files:read_text_file'")
    expect(stderr).not.toContain('__')
  })
})

describe('an invalid config', () => {
  it.each([
    [['list'], 'bad.json', '--config bad.json'],
    [['execute', 'files', 'read_text_file'], 'bad.json', '--config bad.json'],
    [['serve', '--explain'], 'my bad.json', "--config 'my bad.json'"],
  ])('%j with an invalid config suggests to validate the same file', async (words, file, flag) => {
    covers('CLI-NAMES')
    for (const name of ['bad.json', 'my bad.json']) home.write(`project/${name}`, '{"discovery": 3}')
    const { stderr, code } = await run(home, [...words, '--config', file])
    expect(code).toBe(2)
    expect(stderr).toContain(`Run \`toolcrib config validate ${flag}\` to see`)
  })
})

describe('a disabled tool', () => {
  it.each(['inspect', 'execute'])(
    '%s of a disabled tool names the rule and the file that contains it',
    async (command) => {
      covers('CLI-DISABLED-RULE')
      const { stderr, code } = await run(home, [command, 'files', 'write_file'])
      expect(code).toBe(4)
      expect(stderr).toContain("'files:write_file' is disabled by rule 1 of toolRules")
      expect(stderr).toContain(
        'Change rule 1 of toolRules in ~/.config/toolcrib/config.json (files: move_*, write_* → ',
      )
    },
  )
})

describe('without any server', () => {
  const empty = createHome()
  afterAll(() => empty.remove())
  it.each([
    [['list'], 0],
    [['search', 'issue'], 2],
    [['tools', 'github'], 2],
    [['inspect', 'github', 'create_issue'], 2],
    [['execute', 'github', 'create_issue'], 2],
    [['doctor'], 0],
    [['doctor', 'github'], 2],
  ])('%j without any server shows how to add servers', async (words, exit) => {
    covers('CLI-NO-SERVERS')
    const { stdout, stderr, code } = await run(empty, words)
    expect(code).toBe(exit)
    expect(stdout + stderr).toContain('Run `toolcrib import` to see the servers of your MCP clients')
    expect(stdout + stderr).toContain('`toolcrib add` to add a server to the config')
  })

  it('search --json without any server contains how to add servers', async () => {
    const { stdout } = await run(empty, ['search', 'issue', '--json'])
    expect(JSON.parse(stdout).reason).toContain('toolcrib import')
  })
})

describe('a config with only disabled servers', () => {
  const off = { files: { command: 'files', enabled: false } }

  it('status, list and doctor say that all servers are disabled, and show how to enable one', async () => {
    const file = home.write('off.json', { discovery: { servers: off } })
    const ask = async (command: string) => (await run(home, [command, '--config', file])).stdout
    expect(await ask('status')).toContain(
      '\nNext: toolcrib enable files --config ~/off.json\n      all configured servers are disabled; this enables one\n',
    )
    for (const command of ['list', 'doctor']) {
      const text = (await ask(command)).replaceAll(/\s+/g, ' ')
      expect(text).toContain(
        'All configured servers are disabled; `toolcrib enable NAME --config ~/off.json` enables one.',
      )
    }
  })
})

describe('a server that cannot be started', () => {
  const memory = { command: process.execPath, args: [serverScript('memory')] }
  const withBroken = { memory: { ...memory, env: { A: 'one' } }, broken: { command: 'no-such-command' } }

  it.skipIf(!hasTerminal)(
    'search names once each server that cannot be started, separate from the results',
    async () => {
      covers('CLI-SEARCH')
      const file = home.write('unasked.json', { discovery: { servers: withBroken } })
      const note = '1 server could not be started: broken. `toolcrib doctor --config ~/unasked.json`\nshows why.'
      for (const query of ['zzzqqq', 'read the graph']) {
        const { stdout } = await runOnTerminal(home, ['search', query, '--config', file], { env: { NO_COLOR: '1' } })
        expect(stdout.match(/could not be started/gi)).toHaveLength(1)
        expect(stdout).toContain(`\n\n${note}\n`)
      }
      const { stdout } = await run(home, ['search', 'zzzqqq', '--config', file, '--json'])
      expect(JSON.parse(stdout)).toMatchObject({
        reason: expect.stringMatching(/^Nothing fits/),
        unreached: ['broken'],
      })
    },
  )

  it('list gives a server that was never started the status unknown', async () => {
    covers('CLI-LIST')
    const file = home.write('fresh.json', { discovery: { servers: { fresh: { ...memory, env: { A: 'two' } } } } })
    const { stdout } = await run(home, ['list', '--status', '--config', file])
    expect(stdout).toContain('? fresh (tools not known yet)\n  Status: Not started yet\n')
    const { servers: listed } = JSON.parse((await run(home, ['list', '--status', '--config', file, '--json'])).stdout)
    expect(listed).toEqual([{ name: 'fresh', status: 'unknown' }])
  })
})

describe('the status screen', () => {
  it('status shows a failed server with its reason, separate from servers that were never started', async () => {
    covers('CLI-STATUS-FAILED')
    const servers = {
      memory: { command: process.execPath, args: [serverScript('memory')] },
      broken: { command: 'no-such-program' },
    }
    const file = home.write('failed.json', { discovery: { servers } })
    const before = await run(home, ['status', '--config', file])
    expect(before.stdout).toContain('0, and 2 servers not started yet')
    expect(before.stdout).toContain('Next: toolcrib doctor --config ~/failed.json\n')
    await run(home, ['search', 'anything', '--config', file])
    const { stdout } = await run(home, ['status', '--config', file])
    expect(stdout).not.toContain('not started yet')
    expect(stdout).toMatch(/\nNot ready\n? +broken: .*no-such-program/)
    expect(stdout).toContain('\nNext: toolcrib doctor broken --config ~/failed.json\n      shows how to fix it\n')
    const { failedServers, unknownServers } = JSON.parse(
      (await run(home, ['status', '--config', file, '--json'])).stdout,
    )
    expect(failedServers).toEqual([{ server: 'broken', reason: expect.stringContaining('no-such-program') }])
    expect(unknownServers).toBe(0)
  })
})

describe('a server that starts slowly', () => {
  const slowly = (limits: object) => ({
    discovery: {
      // Much less than the server needs.
      listWaitMs: 100,
      servers: {
        slow: {
          command: process.execPath,
          args: ['-e', `setTimeout(() => import(${JSON.stringify(serverScript('memory'))}), 1500)`],
          env: { MEMORY_FILE_PATH: `${home.folder}/memory.jsonl` },
        },
      },
    },
    limits,
  })

  it.each([
    [['tools', 'slow'], 'read_graph'],
    [['inspect', 'slow', 'read_graph'], 'Tool: slow:read_graph'],
    [['execute', 'slow', 'read_graph'], '✓ Success'],
    [['execute', 'read_graph'], '✓ Success'],
  ])('%j waits for a server that starts slowly, with and without a cached tool list', async (words, answer) => {
    covers('CLI-SLOW-START')
    const file = home.write('slow.json', slowly({ startTimeoutMs: 60_000 + words.length }))
    const env = { XDG_CACHE_HOME: `${home.folder}/cache-${words.join('-')}` }
    for (const _ of ['unknown', 'known']) {
      const { stdout, stderr, code } = await run(home, [...words, '--config', file], { env })
      expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
      expect(stdout).toContain(answer)
    }
  })

  it('execute waits for a server no longer than startTimeoutMs', async () => {
    covers('CLI-SLOW-START')
    const file = home.write('slower.json', slowly({ startTimeoutMs: 300 }))
    const { stderr, code } = await run(home, ['execute', 'slow', 'read_graph', '--config', file])
    expect(code).toBe(3)
    expect(stderr).toMatch(/Server 'slow' is not available: .*300 ms/)
    expect(stderr).toContain('Next: Run `toolcrib doctor slow --config ~/slower.json` to see all its problems.')
  })
})

describe('Ctrl-C', () => {
  it('Ctrl-C while servers start prints one JSON document with the code CANCELLED', async () => {
    covers('CLI-EXIT-CTRL-C', 'CLI-JSON')
    const sleeping = { command: process.execPath, args: ['-e', 'console.error("up"); setInterval(() => {}, 1000)'] }
    const file = home.write('sleeping.json', { discovery: { servers: { sleeping } } })
    const child = start(home, ['tools', 'sleeping', '--json', '--config', file])
    const answered = ended(child)
    await expect.poll(() => processesWith('console.error("up")').length, { timeout: 60_000 }).toBeGreaterThan(0)
    child.kill('SIGINT')
    const { stdout, code } = await answered
    expect(code).toBe(130)
    expect(JSON.parse(stdout)).toMatchObject({ success: false, error: { code: 'CANCELLED' } })
  })
})

describe('the token count of the full list', () => {
  const inForce = () => JSON.parse(readFileSync(`${home.folder}/.config/toolcrib/config.json`, 'utf8')).discovery

  it('doctor, stats, status and serve --explain show the same token count of the full list, and list the same count of a server', async () => {
    covers('CLI-ONE-FIGURE')
    const json = async (...words: string[]) => JSON.parse((await run(home, [...words, '--json'])).stdout)
    const [status, stats, auto] = [
      await json('status'),
      await json('stats'),
      await json('serve', '--explain', '--strategy', 'auto'),
    ]
    const whole = status.tokens.without
    expect(stats.tokens.fullList).toBe(whole)
    expect(stats.strategy.tokens.individual).toBe(whole)
    expect(auto.tokens.individual).toBe(whole)
    expect(auto.reason).toContain(` cost ${number(whole)} tokens`)
    const inFull = home.write('in-full.json', { discovery: { ...inForce(), strategy: 'individual' } })
    expect((await json('status', '--config', inFull)).tokens).toEqual({ without: whole, with: whole })
    const doctor = await json('doctor')
    expect(doctor.listTokens).toBe(whole)
    const [list, alone] = [await json('list', '--tools'), await json('doctor', 'files')]
    const ofFiles = doctor.servers.find(({ server }: { server: string }) => server === 'files')
    expect(alone.servers[0]).toMatchObject({ tokens: ofFiles.tokens, enabledTokens: ofFiles.enabledTokens })
    expect(list.servers[0]).toMatchObject({ name: 'files', tokens: ofFiles.enabledTokens })
    const counted = stats.servers.find(({ name }: { name: string }) => name === 'files')
    expect(counted.listTokens).toBe(ofFiles.enabledTokens)
  })
})
