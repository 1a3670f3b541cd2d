// Sessions of legacy clients: their owners, their end and their maximum number.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { success } from '../core/result.ts'
import { withResolvers } from '../core/waiting.ts'
import { commandReturning, createHolding, openDoor, until, within } from './door.fixture.ts'
import { ask, begin, initialize, type RawSession, startSession, toolCall } from './raw-client.fixture.ts'

const ALICE = 'alice-0123456789abcdef'
const BOB = 'bob-0123456789abcdefgh'
const auth = { tokens: { alice: ALICE, bob: BOB } }
const as = (token: string) => ({ authorization: `Bearer ${token}` })

const whoami = commandReturning('who-am-i', ({ caller }) => success(caller.sessionId))
const contexts = [{ name: 'sales' }, { name: 'support' }]

afterEach(() => {
  vi.useRealTimers()
})

/** Stops intervals and the date until the test advances them. Sockets still work. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: 1_000_000 })
}

async function isAlive(session: RawSession): Promise<boolean> {
  const { status } = await session.ask({ jsonrpc: '2.0', id: 'ping', method: 'ping' })
  if (status !== 200 && status !== 404) throw new Error(`Unexpected answer to a ping: ${status}`)
  return status === 200
}

async function contextOf(session: RawSession): Promise<unknown> {
  const { messages } = await session.ask(toolCall('afd-context-list'))
  return messages.at(-1)?.result?.structuredContent?.data
}

describe('a session', () => {
  it('creates a new session for each initialize, and gives its id to handlers', async () => {
    const { port, front } = await openDoor({ commands: [whoami] })
    const sessions = await Promise.all(Array.from({ length: 5 }, () => startSession(port)))
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(5)
    expect(front.listeners).toBe(5)
    for (const session of sessions) {
      const { messages } = await session.ask(toolCall('who-am-i'))
      expect(messages.at(-1)?.result?.structuredContent?.data).toBe(session.id)
    }
  })

  it('refuses a second initialize in a session', async () => {
    const { port } = await openDoor()
    const session = await startSession(port)
    expect((await session.ask(initialize())).status).toBe(400)
    expect(await isAlive(session)).toBe(true)
  })

  it.each(['unknown', '../x', '__proto__', 'x'.repeat(8_000), '00000000-0000-4000-8000-000000000000'])(
    'answers 404 for every method when the session is unknown (case %#)',
    async (id) => {
      const { port } = await openDoor()
      const headers = { 'mcp-session-id': id }
      for (const method of ['POST', 'GET', 'DELETE']) {
        const answer = await ask(port, {
          method,
          headers,
          ...(method === 'POST' ? { body: toolCall('text-echo') } : {}),
        })
        expect(answer.status).toBe(404)
      }
    },
  )

  it('answers 404 for a session of another principal, for a call, a stream and a delete', async () => {
    const { port } = await openDoor({ auth })
    const session = await startSession(port, as(ALICE))
    const own = { ...as(BOB), 'mcp-session-id': session.id }
    for (const method of ['POST', 'GET', 'DELETE']) {
      const body = method === 'POST' ? { body: toolCall('text-echo') } : {}
      const answer = await ask(port, { method, headers: own, ...body })
      const stranger = await ask(port, { method, headers: { ...own, 'mcp-session-id': 'unknown' }, ...body })
      expect([answer.status, answer.text]).toEqual([404, stranger.text])
    }
    expect(await isAlive(session)).toBe(true)
  })

  it('gives each session its own context, which ends with the session', async () => {
    const { port, front } = await openDoor({ contexts })
    const [first, second] = [await startSession(port), await startSession(port)]
    await first.ask(toolCall('afd-context-enter', { context: 'sales' }))
    expect(await contextOf(first)).toMatchObject({ active: 'sales' })
    expect(await contextOf(second)).toMatchObject({ active: null })
    expect((await first.end()).status).toBe(200)
    expect(front.ended).toEqual([first.id])
    expect(front.listeners).toBe(1)
    expect(await isAlive(first)).toBe(false)
    expect((await first.end()).status).toBe(404)
    expect(await isAlive(second)).toBe(true)
  })

  it('aborts the calls and streams of a session when it ends, and no others', async () => {
    const holding = createHolding()
    const { port } = await openDoor({ commands: [holding.command] })
    const [first, second] = [await startSession(port), await startSession(port)]
    const stream = await first.stream()
    const [mine, theirs] = [first.begin(toolCall('job-hold', { of: 1 })), second.begin(toolCall('job-hold', { of: 2 }))]
    const calls = [await holding.next(), await holding.next()].sort((a, b) => Number(a.input.of) - Number(b.input.of))
    await first.end()
    await within(2_000, 'the call aborts', calls[0]?.aborted ?? Promise.reject())
    await within(2_000, 'its answer and the stream end', Promise.all([mine.ended, stream.ended]))
    expect(calls[1]?.context.signal.aborted).toBe(false)
    calls[1]?.finish(success('theirs'))
    const answer = await theirs.find(({ id }) => id === 1)
    expect(answer.result?.structuredContent?.data).toBe('theirs')
  })
})

describe('the maximum number of sessions', () => {
  it('makes room for a new session by ending the one that has been idle longest', async () => {
    stopClock()
    const { port, front } = await openDoor({ maxSessions: 3 })
    const sessions: RawSession[] = []
    for (let i = 0; i < 3; i++) {
      vi.advanceTimersByTime(1_000)
      sessions.push(await startSession(port))
    }
    const [first, second, third] = sessions as [RawSession, RawSession, RawSession] // three sessions were started above
    vi.advanceTimersByTime(1_000)
    await isAlive(first)
    vi.advanceTimersByTime(1_000)
    const fourth = await startSession(port)
    expect(front.ended).toEqual([second.id])
    for (const session of [first, third, fourth]) expect(await isAlive(session)).toBe(true)
    expect(await isAlive(second)).toBe(false)
  })

  it('refuses a new session when every session has an open stream or a call in flight', async () => {
    const holding = createHolding()
    const { port } = await openDoor({ maxSessions: 2, commands: [holding.command] })
    const [listening, calling] = [await startSession(port), await startSession(port)]
    const stream = await listening.stream()
    const pending = calling.begin(toolCall('job-hold'))
    const call = await holding.next()
    const refused = await ask(port, { body: initialize() })
    expect(refused.status).toBe(503)
    expect(refused.messages[0]?.error?.data).toMatchObject({ code: 'TOO_MANY_SESSIONS' })
    expect(call.context.signal.aborted).toBe(false)
    call.finish()
    await pending.ended
    // This session is idle now; the other one still has its stream.
    await until('a new session is accepted', async () => (await ask(port, { body: initialize() })).status === 200)
    expect(await isAlive(listening)).toBe(true)
    stream.hangUp()
  })

  it('does not end a session with a call in flight that has released its connection', async () => {
    const holding = createHolding()
    const { port } = await openDoor({ maxSessions: 1, commands: [holding.command] })
    const session = await startSession(port)
    const pending = session.begin(toolCall('job-hold'))
    const call = await holding.next()
    call.context.releaseConnection?.()
    await within(2_000, 'the connection is released', pending.ended)
    expect((await ask(port, { body: initialize() })).status).toBe(503)
    expect(call.context.signal.aborted).toBe(false)
  })

  it('ends an idle session of another principal only after one minute', async () => {
    stopClock()
    const { port, front } = await openDoor({ maxSessions: 2, auth })
    const [first, second] = [await startSession(port, as(ALICE)), await startSession(port, as(ALICE))]
    vi.advanceTimersByTime(30_000)
    expect((await ask(port, { body: initialize(), headers: as(BOB) })).status).toBe(503)
    await isAlive(second)
    vi.advanceTimersByTime(31_000)
    await startSession(port, as(BOB))
    expect(front.ended).toEqual([first.id])
    expect(await isAlive(second)).toBe(true)
  })

  it('refuses sessions of a principal that has 90 % of them open, and still accepts another principal', async () => {
    const { port } = await openDoor({ maxSessions: 20, auth })
    const streams = []
    for (let i = 0; i < 18; i++) streams.push(await (await startSession(port, as(BOB))).stream())
    const refused = await ask(port, { body: initialize(), headers: as(BOB) })
    expect(refused.status).toBe(503)
    expect(refused.messages[0]?.error?.message).toContain('it allows 20, and 18 of them for one login')
    expect(await isAlive(await startSession(port, as(ALICE)))).toBe(true)
    for (const stream of streams) stream.hangUp()
  })

  it('lets clients without a login use the whole maximum, because they are all one principal', async () => {
    const { port } = await openDoor({ maxSessions: 10 })
    const streams = []
    for (let i = 0; i < 10; i++) streams.push(await (await startSession(port)).stream())
    const refused = await ask(port, { body: initialize() })
    expect(refused.status).toBe(503)
    expect(refused.messages[0]?.error?.message).toMatch(/it allows 10$/)
    for (const stream of streams) stream.hangUp()
  })

  it('does not exceed the maximum when many clients start at the same moment', async () => {
    const { promise: gate, resolve: acceptAll } = withResolvers()
    let asked = 0
    // All token checks end at the same moment, as with a remote lookup.
    const verify = async (token: string) => {
      asked++
      await gate
      return token
    }
    const { port, front } = await openDoor({ maxSessions: 5, auth: { verify } })
    const coming = Array.from({ length: 40 }, (_, i) =>
      ask(port, { body: initialize(), headers: as(`user-${i}-0123456789`) }),
    )
    await until('all requests have arrived', () => asked === 40)
    acceptAll()
    const answers = await Promise.all(coming)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    // No client has sent notifications/initialized yet.
    expect(front.listeners).toBe(0)
  })
})

describe('an idle session', () => {
  it('ends an unused session after sessionIdleMs, not earlier', async () => {
    stopClock()
    const { port, front } = await openDoor({ sessionIdleMs: 60_000 })
    const [idle, used] = [await startSession(port), await startSession(port)]
    vi.advanceTimersByTime(50_000)
    await isAlive(used)
    expect(front.ended).toEqual([])
    vi.advanceTimersByTime(30_000)
    expect(front.ended).toEqual([idle.id])
    expect(await isAlive(used)).toBe(true)
    vi.advanceTimersByTime(80_000)
    expect(front.ended).toEqual([idle.id, used.id])
    expect(front.listeners).toBe(0)
  })

  it('keeps a session with an open stream or a call in flight', async () => {
    stopClock()
    const holding = createHolding()
    const { port, front } = await openDoor({ sessionIdleMs: 60_000, commands: [holding.command] })
    const [listening, calling] = [await startSession(port), await startSession(port)]
    const stream = await listening.stream()
    const pending = calling.begin(toolCall('job-hold'))
    const call = await holding.next()
    vi.advanceTimersByTime(600_000)
    expect(front.ended).toEqual([])
    call.finish()
    await pending.ended
    stream.hangUp()
    await stream.ended
    await isAlive(calling)
    await until('both idle sessions end', () => {
      vi.advanceTimersByTime(60_000)
      return front.ended.length === 2
    })
  })

  it('keeps a session with a call in flight that has released its connection', async () => {
    stopClock()
    const holding = createHolding()
    const { port, front } = await openDoor({ sessionIdleMs: 60_000, commands: [holding.command] })
    const session = await startSession(port)
    const pending = session.begin(toolCall('job-hold'))
    const call = await holding.next()
    call.context.releaseConnection?.()
    await pending.ended
    vi.advanceTimersByTime(600_000)
    expect(front.ended).toEqual([])
    expect(call.context.signal.aborted).toBe(false)
  })

  it('does not keep a session open for a call after its client hung up', async () => {
    stopClock()
    const holding = createHolding()
    const { port, front } = await openDoor({ sessionIdleMs: 60_000, commands: [holding.command] })
    const session = await startSession(port)
    const pending = begin(port, { body: toolCall('job-hold'), headers: { 'mcp-session-id': session.id } })
    const call = await holding.next()
    pending.hangUp()
    await call.aborted
    await until('the idle session ends', () => {
      vi.advanceTimersByTime(80_000)
      return front.ended.length === 1
    })
  })
})
