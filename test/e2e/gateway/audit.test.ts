// The audit log: one line for every attempted call, without values, and no secrets in any file or answer.

import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { covers, gatewayForTest, type RunningGateway, useClient } from './harness.ts'
import { homeForTest } from './home.ts'
import { fixtureServer, missing, withEnv } from './servers.ts'

const soon = { interval: 20, timeout: 10_000 }
const LOG = 'state/toolcrib/audit.jsonl'

interface Line {
  readonly server: string
  readonly tool: string
  readonly outcome: string
  readonly [key: string]: unknown
}
const linesOf = ({ home }: RunningGateway) => home.lines(LOG).map((line) => JSON.parse(line) as Line)

describe('an attempted call', () => {
  const token = 'token-of-alice-0123456789'
  const { gateway, client } = useClient(
    {
      door: 'http',
      env: { ALICE: token },
      config: {
        http: { tokens: { alice: `\${ALICE}` } },
        discovery: {
          listWaitMs: 30_000,
          servers: {
            talkative: { ...fixtureServer('talkative'), timeoutMs: 200 },
            patient: fixtureServer('talkative'),
            notes: fixtureServer('notes'),
            diary: fixtureServer('notes', 'diary'),
            gone: { ...missing, tools: [{ name: 'knock' }] },
          },
          toolRules: [{ pattern: ['*nonsense*'], enabled: false }],
        },
      },
    },
    { token },
  )

  it('each attempted call writes one line with its outcome to the audit log', async () => {
    covers('AU-1', 'XT-6')
    const text = 'walnut'
    const attempts = [
      [{ server: 'notes', tool: 'add', arguments: { text } }, 'ok'],
      [{ tool: 'talkative:fail', arguments: { text } }, 'TOOL_EXECUTION_ERROR'],
      [{ tool: 'notes:add', arguments: { wrong: text } }, 'VALIDATION_ERROR'],
      [{ server: 'nowhere', tool: 'add', arguments: { text } }, 'SERVER_NOT_FOUND'],
      [{ server: 'notes', tool: 'subtract', arguments: { text } }, 'TOOL_NOT_FOUND'],
      [{ tool: 'add', arguments: { text } }, 'TOOL_AMBIGUOUS'],
      [{ tool: 'talkative:nonsense', arguments: { text } }, 'TOOL_DISABLED'],
      [{ tool: 'knock', arguments: { text } }, 'SERVER_UNAVAILABLE'],
      [{ tool: 'talkative:slow', arguments: { text } }, 'TIMEOUT'],
    ] as const
    // A search and a request for details are not attempted calls.
    await client().ask('search_tools', { query: text })
    await client().ask('get_tool_details', { tool: 'notes:add' })
    for (const [args] of attempts) await client().run(args)
    await expect
      .poll(() => linesOf(gateway()).map(({ outcome }) => outcome), soon)
      .toEqual(attempts.map(([, outcome]) => outcome))
    const lines = linesOf(gateway())
    expect(lines.map(({ server, tool }) => [server, tool])).toEqual([
      ['notes', 'add'],
      ['talkative', 'fail'],
      ['notes', 'add'],
      ['nowhere', 'add'],
      ['notes', 'subtract'],
      ['', 'add'],
      ['talkative', 'nonsense'],
      ['gone', 'knock'],
      ['talkative', 'slow'],
    ])
    for (const line of lines) {
      expect(line).toMatchObject({
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        caller: { principal: 'alice', transport: 'http', era: 'legacy' },
        durationMs: expect.any(Number),
        arguments: {
          bytes: expect.any(Number),
          hash: expect.stringMatching(/^[0-9a-f]{32}$/),
          shape: expect.any(Object),
        },
        result: { bytes: expect.any(Number), blocks: expect.any(Number) },
      })
    }
  })

  it('a cancelled call writes one line to the audit log', async () => {
    covers('AU-1')
    const giveUp = new AbortController()
    const held = client().run({ server: 'patient', tool: 'slow' }, { signal: giveUp.signal })
    const running = async () => (await client().run({ server: 'patient', tool: 'cancelled' })).structuredContent
    await expect.poll(running, soon).toMatchObject({ result: { running: 1 } })
    giveUp.abort()
    await expect(held).rejects.toThrow()
    const ofSlow = () => linesOf(gateway()).filter(({ server, tool }) => server === 'patient' && tool === 'slow')
    await expect.poll(ofSlow, soon).toMatchObject([{ outcome: 'CANCELLED' }])
  })

  it('a line of the audit log has the shape and the hash of the arguments, but not their values', async () => {
    covers('AU-2')
    const before = linesOf(gateway()).length
    for (const text of ['hazelnut', 'hazelnut', 'chestnut']) {
      await client().run({ tool: 'notes:add', arguments: { text, waitMs: 1 } })
    }
    await expect.poll(() => linesOf(gateway()).length, soon).toBe(before + 3)
    const added = linesOf(gateway())
      .slice(before)
      .map((line) => line.arguments as { hash: string; shape: object })
    expect(added.map(({ shape }) => shape)).toEqual(Array(3).fill({ text: 'string', waitMs: 'number' }))
    expect(added[0]?.hash).toBe(added[1]?.hash)
    expect(added[0]?.hash).not.toBe(added[2]?.hash)
    expect(gateway().home.lines(LOG).join('\n')).not.toMatch(/walnut|hazelnut|chestnut/)
    expect(statSync(gateway().home.at(LOG)).mode & 0o777).toBe(0o600)
  })
})

describe('the audit log', () => {
  it('the audit log is rotated when it is full, and contains values with audit.values', async () => {
    covers('AU-2', 'AU-3')
    const gateway = await gatewayForTest({
      config: {
        audit: { values: true },
        limits: { maxAuditBytes: 4_000 },
        discovery: { listWaitMs: 30_000, servers: { notes: fixtureServer('notes') } },
      },
    })
    const client = await gateway.connect()
    for (let turn = 0; turn < 20; turn++) await client.run({ tool: 'add', arguments: { text: `walnut ${turn}` } })
    const sizes = () =>
      gateway.home
        .files(gateway.home.state)
        .filter((file) => /audit\.jsonl/.test(file))
        .map((file) => statSync(file).size)
    await expect.poll(() => sizes().length, soon).toBe(2)
    // One more line may be written when the log is full.
    expect(Math.max(...sizes())).toBeLessThan(4_000 + 1_000)
    await expect.poll(() => gateway.home.lines(LOG).join('\n'), soon).toContain('walnut 19')
  })

  it.each(['stdio', 'http'] as const)(
    'the audit log has a line for every call when the gateway ends right after the calls, over %s',
    async (door) => {
      covers('AU-1')
      const servers = { notes: fixtureServer('notes') }
      const gateway = await gatewayForTest({
        home: homeForTest(),
        door,
        config: { discovery: { listWaitMs: 30_000, servers } },
      })
      const client = await gateway.connect()
      const texts = Array.from({ length: 30 }, (_, turn) => `walnut ${turn}`)
      await Promise.all(texts.map((text) => client.run({ tool: 'add', arguments: { text } })))
      await gateway.close()
      expect(linesOf(gateway).map(({ outcome }) => outcome)).toEqual(texts.map(() => 'ok'))
    },
  )
})

describe('the value of a reference', () => {
  const SECRET = 'sk-planted-7f3a9c2e51'
  // A server that repeats the authorization header in its error.
  const echoingServer = createServer((request, response) => {
    response.writeHead(401, { 'content-type': 'text/plain' })
    response.end(`No entry with ${request.headers.authorization}`)
  })
  beforeAll(() => new Promise<void>((resolve) => echoingServer.listen(0, '127.0.0.1', resolve)))
  afterAll(() => new Promise((resolve) => echoingServer.close(resolve)))

  it('the value of a reference reaches only its server, and no file, answer or error', async () => {
    covers('AU-4')
    const { port } = echoingServer.address() as AddressInfo // it listens on a port
    const key = `\${PLANTED}`
    const home = homeForTest()
    const gateway = await gatewayForTest({
      home,
      door: 'http',
      env: { PLANTED: SECRET },
      config: {
        audit: { values: true },
        discovery: {
          listWaitMs: 30_000,
          servers: {
            box: withEnv(fixtureServer('toolbox'), { API_KEY: key }),
            crashes: { ...withEnv(fixtureServer('crash-on-start'), { API_KEY: key }), tools: [{ name: 'never' }] },
            wall: {
              connection: {
                type: 'http',
                url: `http://127.0.0.1:${port}/mcp?key=${key}`,
                headers: { Authorization: `Bearer ${key}` },
              },
              tools: [{ name: 'enter' }],
            },
          },
        },
      },
    })
    const client = await gateway.connect()
    // The redacted text shows that the server got the value.
    const leaked = await client.run({ tool: 'leak' })
    expect(JSON.stringify(leaked.content)).toContain('The key [redacted] was refused')
    const answers = [
      await client.ask('execute_tool', { tool: 'never' }),
      await client.ask('execute_tool', { tool: 'enter' }),
      await client.ask('execute_tool', { tool: 'die' }),
      await client.ask('execute_tool', { tool: 'box:pid', arguments: { [SECRET]: SECRET } }),
      await client.ask('execute_tool', { tool: SECRET, arguments: {} }),
      await client.ask('list_mcp_servers'),
      await client.ask('search_tools', { query: 'box' }),
      await client.ask('get_tool_details', { tool: 'leak', schema: true }),
    ].map((answer) => JSON.stringify(answer))
    expect(answers[0]).toMatch(/the key \[redacted\] was refused/)
    // This answer is skipped, because it repeats the tool name that the caller sent.
    for (const answer of answers.toSpliced(4, 1)) expect(answer).not.toContain(SECRET)
    await expect.poll(() => gateway.home.lines(LOG).length, soon).toBe(7)
    await gateway.close()
    for (const text of [gateway.stdout, gateway.stderr]) expect(text).not.toContain(SECRET)
    const kept = [...home.files(home.state), ...home.files(home.cache)]
    expect(kept.length).toBeGreaterThan(2)
    expect(kept.filter((file) => readFileSync(file, 'utf8').includes(SECRET))).toEqual([])
  })
})
