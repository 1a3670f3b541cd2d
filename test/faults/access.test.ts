// Rows 13 and 14 of docs/security.md: requests from other sites, without a valid token, or for a session, a call or a
// result of another client.

import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { ask, initialize, modern, type RawRequest, startSession, toolCall } from '../../src/front/raw-client.fixture.ts'
import { mainPath } from '../e2e/gateway/harness.ts'
import { homeForTest, useHome } from '../e2e/gateway/home.ts'
import { hostile, isLong, report, useFaultGateway } from './harness.ts'
import { rawCaller } from './raw-calls.ts'

const ALICE = 'token-of-alice-0123456789'
const BOB = 'token-of-bob-0123456789ab'
const CAROL = 'token-of-carol-0123456789'
const DAVE = 'token-of-dave-0123456789a'
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const tokens = { alice: `\${ALICE}`, bob: `\${BOB}`, dave: { token: `\${DAVE}`, expires: '2020-01-31' } }
const home = useHome()
const metrics = { enabled: true }

const gateway = useFaultGateway({
  home,
  door: 'http',
  env: { ALICE, BOB, CAROL, DAVE },
  config: { http: { metrics, tokens: { ...tokens, carol: `\${CAROL}` } } },
  servers: {
    hostile: hostile('plain', { HOSTILE_LOG: home.at('hostile.log') }),
    // Starts only for a call, because its tools are known.
    asleep: { ...hostile('plain', { HOSTILE_LOG: home.at('asleep.log') }), tools: [{ name: 'fine' }] },
  },
})

const routes: readonly (readonly [string, RawRequest])[] = [
  ['GET /health', { method: 'GET', path: '/health' }],
  ['GET /ready', { method: 'GET', path: '/ready' }],
  ['GET /mcp', { method: 'GET' }],
  ['DELETE /mcp', { method: 'DELETE' }],
  ['POST /mcp, legacy', { body: initialize() }],
  ['POST /mcp, modern', modern(toolCall('execute_tool', { tool: 'asleep:fine' }))],
  ['POST /mcp, modern search', modern(toolCall('search_tools', { query: 'fine', server: 'asleep' }))],
  ['GET /metrics', { method: 'GET', path: '/metrics' }],
  ['HEAD /mcp', { method: 'HEAD' }],
  ['OPTIONS /mcp', { method: 'OPTIONS' }],
  ['GET /nowhere', { method: 'GET', path: '/nowhere' }],
]
const withHeaders = (wanted: RawRequest, headers: RawRequest['headers']) => ({
  ...wanted,
  headers: { ...wanted.headers, ...headers },
})

/** Fails if the gateway starts a process during `work`, or has started the server `asleep` before. */
async function expectNoStart(work: () => Promise<void>): Promise<void> {
  const client = await gateway().connect({ token: ALICE })
  await client.run({ server: 'hostile', tool: 'fine' })
  const before = gateway().processes()
  await work()
  expect(home.lines('asleep.log')).toEqual([])
  expect(
    gateway()
      .processes()
      .filter((pid) => !before.includes(pid)),
  ).toEqual([])
}

const HOSTS = [
  'evil.example',
  'evil.example:3100',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'localhost.',
  'a.localhost',
  '0.0.0.0',
  '[::]',
  '[::2]',
  '127.0.0.1@evil.example',
  'evil.example@127.0.0.1',
  '128.0.0.1',
  '192.168.1.2',
  '[::ffff:8.8.8.8]',
  'localhost,evil.example',
]
const ORIGINS = [
  'http://evil.example',
  'https://evil.example',
  'http://localhost.evil.example',
  'http://127.0.0.1.evil.example',
  'null',
  'file://',
  'not an origin',
  'http://localhost@evil.example',
  'http://evil.example:3100',
  'chrome-extension://abc',
  'http://[::2]',
  'http://0.0.0.0',
  'data:text/html,x',
  'http://192.168.1.2',
  'http://10.0.0.1',
]

describe('row 13', () => {
  it('row 13: 30 variants of Host and Origin are refused on every route except /health and /ready, even with a valid token, and start no process', async () => {
    expect(HOSTS.length + ORIGINS.length).toBe(30)
    await expectNoStart(async () => {
      // /health and /ready return only their state, and answer load balancers with any Host.
      for (const [route, wanted] of routes.filter(([name]) => !/health|ready/.test(name))) {
        for (const host of HOSTS) {
          const { status, headers } = await ask(gateway().port, withHeaders(wanted, { ...bearer(ALICE), host }))
          expect([400, 403], `${route} with the Host ${host}`).toContain(status)
          expect(headers).not.toHaveProperty('mcp-session-id')
        }
        for (const origin of ORIGINS) {
          const { status } = await ask(gateway().port, withHeaders(wanted, { ...bearer(ALICE), origin }))
          expect(status, `${route} with the Origin ${origin}`).toBe(403)
        }
      }
    })
  })

  it('row 13: a missing, wrong, malformed or expired token is refused with 401 on /mcp and /metrics, and starts no process', async () => {
    const wrong = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      'bearer',
      `Basic ${ALICE}`,
      ALICE,
      `Bearer ${ALICE}x`,
      `Bearer ${ALICE.slice(0, -1)}`,
      `Bearer ${ALICE.toUpperCase()}`,
      `Bearer ${ALICE}, Bearer ${BOB}`,
      `Bearer "${ALICE}"`,
      `Bearer ${'x'.repeat(5_000)}`,
      `Token ${ALICE}`,
      `Bearer ${DAVE}`,
    ]
    await expectNoStart(async () => {
      for (const [route, wanted] of routes.filter(
        ([route]) => / \/(mcp|metrics)/.test(route) && !route.startsWith('OPTIONS'),
      )) {
        for (const authorization of wrong) {
          const { status, text } = await ask(gateway().port, withHeaders(wanted, { authorization }))
          expect(status, `${route} with ${authorization}`).toBe(401)
          expect(text).not.toContain(ALICE)
        }
      }
    })
  })

  it('row 13: a call with a valid token starts the server, and a request with the token gets the metrics', async () => {
    const call = modern(toolCall('execute_tool', { tool: 'asleep:fine' }))
    gateway().attempted(1)
    const { messages } = await ask(gateway().port, withHeaders(call, bearer(ALICE)))
    expect(messages[0]?.result?.structuredContent).toMatchObject({ success: true })
    expect(home.lines('asleep.log').some((line) => line.startsWith('start'))).toBe(true)
    const page = { method: 'GET', path: '/metrics', headers: bearer(ALICE) }
    expect((await ask(gateway().port, page)).text).toContain('toolcrib_logins_refused_total')
  })

  it('row 13: a token that is removed from the config is refused, even in a session that it has opened', async () => {
    const session = await startSession(gateway().port, bearer(CAROL))
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    expect((await session.ask(list)).status).toBe(200)
    gateway().edit(gateway().configWith({ http: { metrics, tokens } }))
    await expect
      .poll(async () => (await ask(gateway().port, { body: initialize(), headers: bearer(CAROL) })).status)
      .toBe(401)
    expect((await session.ask(list)).status).toBe(401)
    gateway().edit(gateway().configWith({ http: { metrics, tokens: { ...tokens, carol: `\${CAROL}` } } }))
    await expect
      .poll(async () => (await ask(gateway().port, { body: initialize(), headers: bearer(CAROL) })).status)
      .toBe(200)
  })

  it('row 13: a gateway with --no-auth does not listen on an address that other machines can reach', () => {
    const home = homeForTest()
    home.write('gateway.json', { discovery: { servers: {} } })
    for (const host of ['0.0.0.0', '::']) {
      const args = [mainPath(), 'serve', '--http', '--no-auth', '--host', host, '--port', '0', '--config', home.config]
      const { status, stdout, stderr } = spawnSync(process.execPath, args, {
        env: home.env,
        encoding: 'utf8',
        timeout: 20_000,
      })
      expect(status).toBe(1)
      expect(stdout).not.toContain('Listening')
      expect(stderr).toContain('--no-auth works only on a loopback address')
    }
  })
})

describe('row 14', () => {
  it('row 14: a client cannot send a request in the session of another client, open its stream or end it', async () => {
    const hers = await startSession(gateway().port, bearer(ALICE))
    const his = { ...bearer(BOB), 'mcp-session-id': hers.id, 'mcp-protocol-version': '2025-11-25' }
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    for (const wanted of [
      { body: list },
      { method: 'GET', headers: { accept: 'text/event-stream' } },
      { method: 'DELETE' },
    ]) {
      const { status } = await ask(gateway().port, withHeaders(wanted, his))
      expect([403, 404]).toContain(status)
    }
    expect((await hers.ask(list)).status).toBe(200)
    await hers.end()
  })

  it('row 14: a client cannot cancel the call of another by its request id', async () => {
    const [hers, his] = [
      await startSession(gateway().port, bearer(ALICE)),
      await startSession(gateway().port, bearer(BOB)),
    ]
    const answer = hers.begin(toolCall('execute_tool', { tool: 'hostile:wait', arguments: { ms: 400 } }, 'same'))
    gateway().attempted(1)
    await expect.poll(() => home.lines('hostile.log').filter((line) => line.startsWith('call wait'))).toHaveLength(1)
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'same' } }
    await his.ask(cancelled)
    const { result } = await answer.find(({ id }) => id === 'same')
    expect(result?.structuredContent).toMatchObject({ success: true })
    await Promise.all([hers.end(), his.end()])
  })

  it('row 14: a client cannot read the rest of a result that was cut for another', async () => {
    const [hers, his] = [await gateway().connect({ token: ALICE }), await gateway().connect({ token: BOB })]
    const { _meta = {} } = await hers.run({ server: 'hostile', tool: 'long', arguments: { marker: 'alice' } })
    const cut: unknown = _meta['toolcrib/result']
    expect(cut).toMatchObject({ handle: expect.any(String) })
    const { handle } = cut as { handle: string } // as just checked
    expect(await his.ask('execute_tool', { handle, offset: 0 })).toMatchObject({ error: { code: 'HANDLE_NOT_FOUND' } })
    expect(JSON.stringify(await hers.run({ handle, offset: 0 }))).toContain('alice alice')
  })

  const CALLS = isLong ? 100_000 : 10_000
  it(`row 14: of ${CALLS} interleaved calls with equal ids and progress tokens, every answer and notification reaches its own client`, {
    timeout: 600_000,
  }, async () => {
    const clients = await Promise.all(
      [ALICE, BOB].map(async (token) => {
        const session = await startSession(gateway().port, bearer(token))
        return {
          session,
          marker: token,
          caller: rawCaller(gateway().port, { ...bearer(token), 'mcp-session-id': session.id }, 16),
        }
      }),
    )
    let [wrong, notifications] = [0, 0]
    const one = async ({ caller, marker }: (typeof clients)[number], id: number) => {
      // Every 20th call has progress, which comes as notifications with the same token.
      const isSlow = id % 20 === 0
      const tool = isSlow ? 'steps' : 'echo'
      const body = toolCall('execute_tool', { server: 'hostile', tool, arguments: { marker } }, id, {
        progressToken: 'p',
      })
      const { messages } = await caller.send(body)
      const other = clients.find((client) => client.marker !== marker)?.marker ?? ''
      const isOwn = messages.at(-1)?.id === id && JSON.stringify(messages.at(-1)).includes(marker)
      if (!isOwn || JSON.stringify(messages).includes(other)) wrong++
      notifications += messages.length - 1
    }
    const before = performance.now()
    const perClient = CALLS / clients.length
    await Promise.all(
      clients.flatMap((client) =>
        Array.from({ length: 16 }, async (_, lane) => {
          for (let id = lane; id < perClient; id += 16) await one(client, id)
        }),
      ),
    )
    gateway().attempted(CALLS)
    report(
      `row 14: ${CALLS} calls in ${Math.round(performance.now() - before)} ms with ${notifications} notifications, ${wrong} misdelivered`,
    )
    expect(wrong).toBe(0)
    expect(notifications).toBeGreaterThan(CALLS / 20)
    for (const { session, caller } of clients) {
      caller.close()
      await session.end()
    }
  })
})
