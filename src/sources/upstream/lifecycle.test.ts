import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLifecycle, NotRunning, type Running, type ServerState } from './lifecycle.ts'
import { createStartLimiter } from './start-limiter.ts'

const { signal } = new AbortController()

class FakeServer implements Running {
  readonly closed: Promise<string>
  timesClosed = 0
  die: (how: string) => void = () => {}

  constructor() {
    this.closed = new Promise((resolve) => {
      this.die = resolve
    })
  }

  async close() {
    this.timesClosed++
    this.die('closed')
  }
}

/** A lifecycle with starts that the test controls. */
function lifecycleOf(script: (attempt: number, signal: AbortSignal) => Promise<FakeServer>, idleMs = 0) {
  const states: ServerState[] = []
  let attempts = 0
  const lifecycle = createLifecycle<FakeServer>({
    start: (aborting) => script(++attempts, aborting),
    limiter: createStartLimiter(),
    idleMs: () => idleMs,
    backoffMs: 1_000,
    maxBackoffMs: 3_000,
    now: Date.now,
    random: () => 1,
    onState: (state) => states.push(state),
  })
  return { lifecycle, states, attempts: () => attempts }
}
const namesOf = (states: readonly ServerState[]) => states.map(({ state }) => state)
const failing = () => Promise.reject(new Error('no key'))

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a lifecycle', () => {
  it('starts a server once for all callers that need it at the same time', async () => {
    const { lifecycle, states, attempts } = lifecycleOf(async () => new FakeServer())
    const [one, two] = await Promise.all([lifecycle.ensure(signal), lifecycle.ensure(signal, true)])
    expect(one).toBe(two)
    expect(await lifecycle.ensure(signal)).toBe(one)
    expect(attempts()).toBe(1)
    expect(namesOf(states)).toEqual(['starting', 'connected'])
  })

  it('continues the start of a server when one caller gives up', async () => {
    let finish: (server: FakeServer) => void = () => {}
    const { lifecycle } = lifecycleOf(
      () =>
        new Promise((resolve) => {
          finish = resolve
        }),
    )
    const leaving = new AbortController()
    const [gone, staying] = [lifecycle.ensure(leaving.signal), lifecycle.ensure(signal)]
    leaving.abort(new Error('bye'))
    await expect(gone).rejects.toThrow('bye')
    finish(new FakeServer())
    expect(await staying).toBe(lifecycle.running)
  })

  it('waits after a failed start, and twice as long after the next one, up to maxBackoffMs', async () => {
    const { lifecycle, attempts } = lifecycleOf(failing)
    const refusal = async () => {
      const error = await lifecycle.ensure(signal).catch((reason: unknown) => reason)
      if (!(error instanceof NotRunning)) throw new Error('The start was not refused.')
      return error
    }
    expect(await refusal()).toMatchObject({ message: 'no key', retryAfterMs: 1_000 })
    vi.advanceTimersByTime(600)
    expect(await refusal()).toMatchObject({ message: 'no key', retryAfterMs: 400 })
    expect(attempts()).toBe(1)
    expect(lifecycle.state()).toMatchObject({ state: 'failed', reason: 'no key' })
    vi.advanceTimersByTime(400)
    expect(await refusal()).toMatchObject({ retryAfterMs: 2_000 })
    vi.advanceTimersByTime(2_000)
    expect(await refusal()).toMatchObject({ retryAfterMs: 3_000 })
    expect(attempts()).toBe(3)
  })

  it('starts a server at once after the reason of its failure was removed', async () => {
    const { lifecycle, attempts } = lifecycleOf((attempt) =>
      attempt === 1 ? failing() : Promise.resolve(new FakeServer()),
    )
    await expect(lifecycle.ensure(signal)).rejects.toMatchObject({ retryAfterMs: 1_000 })
    lifecycle.endPause()
    expect(await lifecycle.ensure(signal)).toBe(lifecycle.running)
    expect(attempts()).toBe(2)
  })

  it('keeps the state of a failed server during a retry', async () => {
    const attempts = [failing, () => new Promise<FakeServer>(() => {})]
    const { lifecycle, states } = lifecycleOf((attempt) => attempts[attempt - 1]?.() ?? failing())
    await expect(lifecycle.ensure(signal)).rejects.toThrow('no key')
    vi.advanceTimersByTime(1_000)
    void lifecycle.ensure(signal)
    expect(namesOf(states)).toEqual(['starting', 'failed'])
    expect(lifecycle.state()).toMatchObject({ state: 'failed', reason: 'no key' })
  })

  it('resets the failure count of a server with its first successful start', async () => {
    const { lifecycle } = lifecycleOf((attempt) => (attempt === 2 ? Promise.resolve(new FakeServer()) : failing()))
    await expect(lifecycle.ensure(signal)).rejects.toThrow()
    vi.advanceTimersByTime(1_000)
    await lifecycle.ensure(signal)
    await lifecycle.stop()
    await expect(lifecycle.ensure(signal)).rejects.toMatchObject({ retryAfterMs: 1_000 })
  })

  it('starts a server again at once after it died', async () => {
    const { lifecycle, states, attempts } = lifecycleOf(async () => new FakeServer())
    const server = await lifecycle.ensure(signal)
    server.die('it crashed')
    await vi.waitUntil(() => lifecycle.running === undefined, { timeout: 10_000 })
    expect(states.at(-1)).toMatchObject({ state: 'known', reason: 'it crashed' })
    expect(await lifecycle.ensure(signal)).not.toBe(server)
    expect(attempts()).toBe(2)
  })

  it('stops an idle server, but not one that is in use', async () => {
    const { lifecycle, states } = lifecycleOf(async () => new FakeServer(), 1_000)
    const server = await lifecycle.ensure(signal)
    let finish = () => {}
    const using = lifecycle.use(
      server,
      () =>
        new Promise<void>((resolve) => {
          finish = resolve
        }),
    )
    vi.advanceTimersByTime(5_000)
    expect(server.timesClosed).toBe(0)
    finish()
    await using
    vi.advanceTimersByTime(999)
    expect(server.timesClosed).toBe(0)
    vi.advanceTimersByTime(1)
    expect(server.timesClosed).toBe(1)
    expect(namesOf(states)).toEqual(['starting', 'connected', 'known'])
    expect(states.at(-1)).not.toHaveProperty('reason')
  })

  it('waits until the old process has ended before it starts the next process', async () => {
    let end = () => {}
    const { lifecycle, attempts } = lifecycleOf(async () => new FakeServer())
    const server = await lifecycle.ensure(signal)
    server.close = () =>
      new Promise((resolve) => {
        end = resolve
      })
    const stopping = lifecycle.stop()
    const next = lifecycle.ensure(signal)
    await vi.advanceTimersByTimeAsync(100)
    expect(attempts()).toBe(1)
    end()
    await Promise.all([stopping, next])
    expect(attempts()).toBe(2)
  })

  it('aborts a start when the server is stopped, and does not count that as a failure', async () => {
    const late = new FakeServer()
    const { lifecycle, states } = lifecycleOf(
      (_, aborting) => new Promise((resolve) => aborting.addEventListener('abort', () => resolve(late))),
    )
    const starting = lifecycle.ensure(signal)
    starting.catch(() => {})
    await vi.advanceTimersByTimeAsync(1)
    await lifecycle.stop()
    await expect(starting).rejects.toBeInstanceOf(NotRunning)
    expect(late.timesClosed).toBe(1)
    expect(namesOf(states)).toEqual(['starting', 'known'])
  })

  it('drops a server that is no longer usable', async () => {
    const { lifecycle } = lifecycleOf(async () => new FakeServer())
    const server = await lifecycle.ensure(signal)
    await lifecycle.drop(server, 'its session is over')
    expect(server.timesClosed).toBe(1)
    expect(lifecycle.state()).toMatchObject({ state: 'known', reason: 'its session is over' })
    const next = await lifecycle.ensure(signal)
    await lifecycle.drop(server, 'once more')
    expect(lifecycle.running).toBe(next)
  })

  it('a lifecycle starts nothing after it is disposed', async () => {
    const { lifecycle, attempts } = lifecycleOf(async () => new FakeServer())
    const server = await lifecycle.ensure(signal)
    await lifecycle[Symbol.asyncDispose]()
    await lifecycle[Symbol.asyncDispose]()
    expect(server.timesClosed).toBe(1)
    await expect(lifecycle.ensure(signal)).rejects.toThrow('stopping')
    expect(attempts()).toBe(1)
  })
})
