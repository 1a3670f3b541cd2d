import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { tempFolder } from '../../config/temp-folder.fixture.ts'
import type { Caller, CommandContext } from '../../core/call.ts'
import { createMemoryStore } from '../../storage/memory.ts'
import { contextOf } from '../source.fixture.ts'
import { saveManifest } from './manifest.ts'
import { DEADLINE_MS, fixture, isAlive, signal, sourceOf, until, withEnv } from './upstream.fixture.ts'

const linesOf = (file: string) => readFileSync(file, 'utf8').trim().split('\n')
const scratchFile = (name: string) => tempFolder().at(name)

describe('a call to a server that cannot start', () => {
  it('reports why a server cannot start, its output without secrets, and the time of the next attempt', async () => {
    const { source, watchdog } = sourceOf(withEnv(fixture('crash-on-start'), { API_KEY: 'sk-not-for-you' }))
    const result = await source.call('any', {}, contextOf())
    expect(result.error).toMatchObject({
      code: 'SERVER_UNAVAILABLE',
      retryable: true,
      details: { server: 'tested', tool: 'any', retryAfterMs: expect.any(Number) },
    })
    expect(result.error?.message).toBe(
      "Server 'tested' is not available: it exited with code 3 before it answered; it printed: fatal: the key [redacted] was refused",
    )
    expect(result.error?.suggestion).toMatch(/^Call again in 1 s at the earliest/)
    const { length } = watchdog.seen
    // The circuit breaker is open: the next call is refused without a start.
    expect(await source.call('any', {}, contextOf())).toMatchObject({ error: { code: 'SERVER_UNAVAILABLE' } })
    expect(watchdog.seen).toHaveLength(length)
  })

  it('names the command or the folder that is missing', async () => {
    const missing = { ...fixture('hang'), command: 'toolcrib-no-such-command' }
    expect((await sourceOf(missing).source.call('any', {}, contextOf())).error?.message).toContain(
      "the command 'toolcrib-no-such-command' was not found",
    )
    const nowhere = { ...fixture('hang'), cwd: '/toolcrib/no/such/folder' }
    expect((await sourceOf(nowhere).source.call('any', {}, contextOf())).error?.message).toContain(
      "the folder '/toolcrib/no/such/folder' does not exist",
    )
  })

  it('a call fails with the problem in the configuration of its server', async () => {
    const resolve = () => {
      throw new Error('the variable GITHUB_TOKEN is not set')
    }
    const { source, watchdog } = sourceOf(fixture('changing-list'), { resolve })
    expect((await source.call('any', {}, contextOf())).error?.message).toContain('GITHUB_TOKEN is not set')
    expect(watchdog.seen).toEqual([])
  })

  it('ends a hanging start after its timeout', async () => {
    const { source, watchdog } = sourceOf(fixture('hang'), { options: { startTimeoutMs: 1_500, probeTimeoutMs: 500 } })
    const { error } = await source.call('any', {}, contextOf())
    expect(error?.message).toMatch(/did not answer in 1500 ms; it printed: hanging as \d+/)
    expect(watchdog.seen.filter(isAlive)).toEqual([])
  })

  it('limits how long a caller waits for a start', async () => {
    const { source } = sourceOf(fixture('hang'), { options: { startWaitMs: 50 } })
    expect((await source.call('any', {}, contextOf())).error?.message).toContain('it is still starting')
    expect(source.state().state).toBe('starting')
  })

  it('limits how long a caller waits for a list', async () => {
    const { source } = sourceOf(fixture('hang', 'list'), { options: { startWaitMs: 500 } })
    expect((await source.call('any', {}, contextOf())).error?.message).toContain('it is still starting')
    expect(source.state().state).toBe('starting')
  })

  it('does not queue answers for a server that sends requests without end and does not read', async () => {
    const { source } = sourceOf(fixture('hang', 'asks'))
    await source.list(signal)
    await until(() => /the client stopped reading|the client read everything/.test(source.stderr()))
    expect(source.stderr()).toContain('the client stopped reading')
  })

  it('fails a call when the server cannot list its tools, and does not start the server again for a while', async () => {
    const { source, states, problems } = sourceOf(withEnv(fixture('no-list'), { KEY: 'sk-1234567890' }))
    const reason = 'its tools could not be listed: key [redacted] is refused'
    expect(await source.call('any', {}, contextOf())).toMatchObject({
      error: { code: 'SERVER_UNAVAILABLE', message: expect.stringContaining(reason) },
    })
    expect(source.state()).toMatchObject({ state: 'failed', reason: expect.stringContaining(reason) })
    await source.call('any', {}, contextOf())
    expect(states.map(({ state }) => state)).toEqual(['starting', 'failed'])
    // The state contains the reason, so it is not reported as a problem too.
    expect(problems).toEqual([])
  })

  it('removes secrets from the error of a refused call', async () => {
    const config = { tools: [{ name: 'any', description: 'Declared.' }] }
    const { source } = sourceOf(withEnv(fixture('no-list'), { KEY: 'sk-1234567890' }), { config })
    const { error } = await source.call('any', {}, contextOf())
    expect(JSON.stringify(error)).not.toContain('sk-1234567890')
  })

  it('cancels a call when its caller cancels it, and continues the start', async () => {
    const { source } = sourceOf(fixture('hang'))
    const caller = new AbortController()
    const call = source.call('any', {}, contextOf({ signal: caller.signal }))
    await until(() => source.state().state === 'starting')
    caller.abort()
    expect(await call).toMatchObject({ error: { code: 'CANCELLED' } })
    expect(source.state().state).toBe('starting')
  })
})

describe('a call to a server that dies', () => {
  it('a call fails with how the server ended and is not repeated, and the server can be started again', async () => {
    const calls = scratchFile('calls')
    const { source } = sourceOf(withEnv(fixture('crash-mid-call'), { CALLS_FILE: calls }))
    const result = await source.call('crash', {}, contextOf())
    expect(result.error).toMatchObject({
      code: 'SERVER_LOST',
      message: "Server 'tested' was lost while 'crash' was running: it exited with code 7",
      details: { server: 'tested', tool: 'crash', stderr: 'about to die in crash' },
    })
    expect(result.error).not.toHaveProperty('retryable')
    expect(source.state()).toMatchObject({ state: 'known', reason: 'it exited with code 7' })
    expect((await source.call('stay', {}, contextOf())).success).toBe(true)
    expect(linesOf(calls)).toEqual(['crash', 'stay'])
  })

  it.each(['crash-reading', 'crash-again'])(
    'repeats a call once if the tool %s declares that it is safe',
    async (name) => {
      const calls = scratchFile('calls')
      const { source } = sourceOf(withEnv(fixture('crash-mid-call'), { CALLS_FILE: calls }))
      expect(await source.call(name, {}, contextOf())).toMatchObject({ error: { code: 'SERVER_LOST' } })
      expect(linesOf(calls)).toEqual([name, name])
    },
  )
})

/** The context of a client that answers questions. `asked` has their methods. */
function answeringContext() {
  const caller: Caller = { principal: 'one', era: 'legacy', transport: 'stdio', capabilities: { elicitation: {} } }
  const asked: string[] = []
  const onServerRequest: CommandContext['onServerRequest'] = async ({ method }) => {
    asked.push(method)
    return { action: 'accept', content: { name: 'Ada', town: 'London' } }
  }
  return { context: contextOf({ caller, onServerRequest }), asked }
}

describe('the protocol era of a server', () => {
  it('starts a legacy server only once, even if it would exit after a probe of its era', async () => {
    const starts = scratchFile('starts')
    const connection = withEnv(fixture('dies-on-probe'), { STARTS_FILE: starts })
    const { source } = sourceOf(connection)
    expect((await source.call('hello', {}, contextOf())).data).toBe('hello')
    expect(linesOf(starts)).toHaveLength(1)
  })

  it('initializes a second process of a server that is cached as modern and was replaced by a legacy one', async () => {
    const { source, store } = sourceOf(fixture('dies-on-probe'), { options: { backgroundTries: 0 } })
    await source.ensure(signal)
    const manifest = await source.manifest()
    if (manifest === undefined) throw new Error('The server has no manifest.')
    await saveManifest(store, { ...manifest, era: 'modern', eraAt: Date.now() })
    const downgraded = sourceOf(fixture('dies-on-probe'), { store })
    expect((await downgraded.source.call('hello', {}, contextOf())).data).toBe('hello')
    expect(downgraded.watchdog.seen).toHaveLength(2)
  })

  it('uses a cached modern era of a process until it is too old, and keeps its date', async () => {
    const store = createMemoryStore()
    let time = 1_000
    const { source, watchdog } = sourceOf(fixture('modern'), { store, now: () => time, options: { eraTtlMs: 500 } })
    await source.ensure(signal)
    // The server refuses `initialize`, so it is started again.
    expect(watchdog.seen).toHaveLength(2)
    expect((await source.manifest())?.eraAt).toBe(1_000)
    const restartAt = async (at: number) => {
      time = at
      await source.stop()
      await source.ensure(signal)
      await vi.waitUntil(async () => (await source.manifest())?.fetchedAt === at, { timeout: DEADLINE_MS })
      return (await source.manifest())?.eraAt
    }
    expect(await restartAt(1_400)).toBe(1_000)
    expect(watchdog.seen).toHaveLength(3)
    expect(await restartAt(1_600)).toBe(1_600)
    expect(watchdog.seen).toHaveLength(5)
  })

  it('finds the modern era of a cached legacy server that was upgraded and refuses the legacy handshake', async () => {
    const { source, store } = sourceOf(fixture('modern'))
    await source.ensure(signal)
    const manifest = await source.manifest()
    if (manifest === undefined) throw new Error('The server has no manifest.')
    await saveManifest(store, { ...manifest, era: 'legacy', eraAt: Date.now() })
    const upgraded = sourceOf(fixture('modern'), { store })
    expect(await upgraded.source.call('add', { a: 1, b: 2 }, contextOf())).toMatchObject({ data: { sum: 3 } })
    await vi.waitUntil(async () => (await upgraded.source.manifest())?.era === 'modern', { timeout: DEADLINE_MS })
  })

  it('uses the modern era of a server that supports both eras after the server has sent a question', async () => {
    const { source, watchdog } = sourceOf(fixture('modern', 'both'))
    const { context, asked } = answeringContext()
    expect((await source.call('elicit', {}, context)).success).toBe(true)
    expect(asked).toHaveLength(1)
    expect(await source.manifest()).toMatchObject({ era: 'legacy', asks: true })
    await source.stop()
    expect((await source.call('elicit', {}, context)).success).toBe(true)
    await vi.waitUntil(async () => (await source.manifest())?.era === 'modern', { timeout: DEADLINE_MS })
    expect(watchdog.seen).toHaveLength(2)
  })

  it('needs only one process per start of a legacy server that has sent a question, although its era is probed first', async () => {
    const { source, watchdog } = sourceOf(fixture('asks'))
    const { context } = answeringContext()
    for (const starts of [1, 2, 3]) {
      expect((await source.call('interview', {}, context)).success).toBe(true)
      expect(watchdog.seen).toHaveLength(starts)
      await source.stop()
    }
    expect(await source.manifest()).toMatchObject({ era: 'legacy', asks: true })
  })

  it('finds the era of a server that supports only the modern protocol', async () => {
    const { source, watchdog } = sourceOf(fixture('modern'))
    expect(await source.call('add', { a: 1, b: 2 }, contextOf())).toMatchObject({ data: { sum: 3 } })
    expect(await source.manifest()).toMatchObject({ era: 'modern', instructions: 'Only the newest protocol.' })
    // The server was started again after it had refused `initialize`.
    expect(watchdog.seen).toHaveLength(2)
  })
})
