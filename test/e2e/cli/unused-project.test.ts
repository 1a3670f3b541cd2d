// A project's config that is not used: each command prints the reason, and trust approves no invalid file.

import { createHash } from 'node:crypto'
import { chmodSync, readFileSync, realpathSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { connect, run } from './harness.ts'
import { type MarkedHome, markedHome, namedTools, servers, writeIn } from './trust.fixture.ts'

// Each test runs the program many times.
vi.setConfig({ testTimeout: 240_000 })

const WRONG = servers({ theirs: { comand: 'x' } })
const FAULT = "discovery.servers.theirs.comand: Unknown key 'comand'"

/** Runs a command and returns its output on one line, because output may be wrapped. */
async function outputOf(home: MarkedHome, words: readonly string[]) {
  const { stdout, stderr, code } = await run(home, words)
  return { code, text: (stdout + stderr).replace(/\s+/g, ' ') }
}

/** Writes an approval as an earlier version did; now `trust` refuses a file with an error. */
function approve(home: MarkedHome, file: string): void {
  const sha256 = createHash('sha256').update(readFileSync(file, 'utf8')).digest('hex')
  const approval = { path: realpathSync(file), folder: realpathSync(home.cwd), sha256 }
  chmodSync(home.write('.local/state/toolcrib/approvals.json', [approval]), 0o600)
}

describe('an approved config with an error', () => {
  it('status, list, doctor and trust report an approved config with an error; doctor and config validate fail', async () => {
    const home = markedHome()
    home.write('.config/toolcrib/config.json', { discovery: { servers: { mine: namedTools('a') } } })
    approve(home, writeIn(home.cwd, 'toolcrib.config.json', WRONG))
    for (const [words, code] of [
      [['status'], 0],
      [['list'], 0],
      // The second `list` answers from the cache.
      [['list'], 0],
      [['doctor'], 3],
    ] as const) {
      const ran = await outputOf(home, words)
      expect(ran.text).toContain(`is approved, but it is not used: ${FAULT}`)
      expect([words, ran.code]).toEqual([words, code])
    }
    expect((await outputOf(home, ['doctor'])).text).toContain('Doctor (1 server, 1 error in the configuration):')
    expect(JSON.parse((await run(home, ['doctor', '--json'])).stdout)).toMatchObject({ unhealthy: 0, configErrors: 1 })
    expect(await outputOf(home, ['config', 'validate'])).toMatchObject({
      code: 2,
      text: expect.stringContaining(FAULT),
    })
    const trusted = await outputOf(home, ['trust', '--yes'])
    expect(trusted).toMatchObject({ code: 2, text: expect.stringContaining(`error: ${FAULT}`) })
    expect(trusted.text).not.toContain('from now on')
  })
})

describe('trust exits with 2', () => {
  it('trust exits with 2 for code that returns an invalid config, and stores no approval', async () => {
    const home = markedHome()
    writeIn(home.cwd, 'toolcrib.config.mjs', home.code(JSON.parse(WRONG)))
    const { code, text } = await outputOf(home, ['trust', '--yes'])
    expect(code).toBe(2)
    expect(text).toContain(`error: ${FAULT}`)
    expect(text).not.toContain('✓ Approved')
    expect(text).not.toContain('from now on')
    expect((await run(home, ['trust', '--list', '--quiet'])).stdout).toBe('')
  })

  it('trust exits with 2 for a rule that cannot be read, and prints what it would disable', async () => {
    const home = markedHome()
    const toolRules = [{ pattern: '/del(/', enabled: false }]
    writeIn(home.cwd, 'toolcrib.config.json', servers({ theirs: namedTools('a') }, { toolRules }))
    const { code, text } = await outputOf(home, ['trust', '--yes'])
    expect(code).toBe(2)
    expect(text).toContain('error: discovery.toolRules[0].pattern[0]: Rule 1 cannot be read and disables every tool')
  })
})

describe('a file that trust cannot approve', () => {
  it.each([
    ['has a key that is refused', JSON.stringify({ http: { port: 1 } }), "A project cannot set 'http'"],
    ['cannot be parsed', '{', 'cannot be approved'],
    [
      'has a rule that cannot be read',
      servers({ theirs: { command: 'x' } }, { toolRules: [{ pattern: '/del(/', enabled: false }] }),
      'discovery.toolRules[0].pattern[0]: Rule 1 cannot be read',
    ],
  ])('status and config validate report a file that %s, and do not suggest trust', async (_, content, reason) => {
    const home = markedHome()
    writeIn(home.cwd, 'toolcrib.config.json', content)
    for (const words of [['status'], ['config', 'validate']]) {
      const { text } = await outputOf(home, words)
      expect(text).toContain(reason)
      expect(text).not.toContain('toolcrib trust')
    }
  })

  it.skipIf(process.platform === 'win32')(
    'status, list and doctor report a file that others can write, with the command to type and with ~ in its path',
    async () => {
      const home = markedHome()
      home.write('.config/toolcrib/config.json', { discovery: { servers: { mine: namedTools('a') } } })
      chmodSync(writeIn(home.cwd, 'toolcrib.config.json', servers({ theirs: { command: 'x' } })), 0o664)
      const command = '`chmod go-w ~/project/toolcrib.config.json`'
      // The second `list` answers from the cache.
      for (const words of [['status'], ['list'], ['list'], ['doctor']]) {
        const { text } = await outputOf(home, words)
        expect(text).toContain(`Other users can write to it, so it is not used. Run ${command}`)
        expect(text).not.toContain('is not approved')
      }
    },
  )
})

describe('without any other server', () => {
  it('list, search, tools, execute, inspect and list_mcp_servers name the file that needs an approval if there is no server', async () => {
    const home = markedHome()
    writeIn(home.cwd, 'toolcrib.config.json', servers({ theirs: namedTools('a') }))
    const note = 'toolcrib.config.json is not approved, so it is not used. `toolcrib trust` shows'
    for (const words of [['list'], ['search', 'x'], ['tools', 'x'], ['execute', 'x', 'y'], ['inspect', 'x:y']]) {
      for (const _ of ['from the gateway', 'from the cache']) {
        expect((await outputOf(home, words)).text).toContain(note)
      }
    }
    const client = await connect(home)
    const answer = await client.callTool({ name: 'list_mcp_servers', arguments: {} })
    await client.close()
    expect(JSON.stringify(answer)).toContain(note)
  })

  it('status names the approved config that is in use', async () => {
    const home = markedHome()
    writeIn(home.cwd, 'toolcrib.config.json', servers({ theirs: namedTools('a') }))
    await run(home, ['trust', '--yes'])
    expect((await run(home, ['status'])).stdout).toMatch(
      /Project +~\/project\/toolcrib.config.json \(approved, 1 server\)/,
    )
  })
})
