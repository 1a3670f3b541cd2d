import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { Caller, CommandContext } from '../../core/call.ts'
import { success } from '../../core/result.ts'
import { contextOf, run } from './context.fixture.ts'
import { type RateLimitOptions, rateLimit } from './rate-limit.ts'

const done = async () => success('done')

function callerOf(fields: Partial<Caller>): CommandContext {
  return contextOf({ caller: { ...contextOf().caller, ...fields } })
}

describe('the limit', () => {
  it('accepts `limit` calls in a window, refuses the next one, and gives the time to wait', async () => {
    let now = 0
    const limiter = rateLimit({ limit: 2, windowMs: 1_000, now: () => now })
    const handler = vi.fn(done)
    await run([limiter], handler)
    now = 400
    await run([limiter], handler)
    now = 700.5
    expect(await run([limiter], handler)).toEqual({
      success: false,
      error: {
        code: 'RATE_LIMITED',
        message: "'order-list' was not run: its limit of 2 calls in 1 s is used up",
        suggestion: 'Wait 1 s and call again.',
        retryable: true,
        details: { retryAfterMs: 300, limit: 2, windowMs: 1_000 },
      },
    })
    expect(handler).toHaveBeenCalledTimes(2)
  })

  it('accepts a call again exactly windowMs after the oldest call began, not earlier', async () => {
    let now = 0
    const limiter = rateLimit({ limit: 1, windowMs: 1_000, now: () => now })
    await run([limiter], done)
    now = 999
    expect(await run([limiter], done)).toMatchObject({ error: { details: { retryAfterMs: 1 } } })
    now = 1_000
    expect(await run([limiter], done)).toMatchObject({ success: true })
  })

  it('counts calls that are still running and calls that failed', async () => {
    const limiter = rateLimit({ limit: 2, windowMs: 1_000, now: () => 0 })
    const forever = () => new Promise<never>(() => {})
    void run([limiter], forever)
    await expect(run([limiter], () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(await run([limiter], done)).toMatchObject({ error: { code: 'RATE_LIMITED' } })
  })

  it('uses the clock of the process by default', async () => {
    vi.useFakeTimers()
    try {
      const limiter = rateLimit({ limit: 1, windowMs: 1_000 })
      expect(await run([limiter], done)).toMatchObject({ success: true })
      expect(await run([limiter], done)).toMatchObject({ success: false })
      vi.advanceTimersByTime(1_000)
      expect(await run([limiter], done)).toMatchObject({ success: true })
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('keys', () => {
  it('counts calls separately for each principal, session and command', async () => {
    const limiter = rateLimit({ limit: 1, windowMs: 1_000, now: () => 0 })
    const contexts = [
      contextOf(),
      callerOf({ principal: 'bob' }),
      callerOf({ sessionId: 's2' }),
      callerOf({ sessionId: 'null' }),
      contextOf({ caller: { principal: 'alice', era: 'modern', transport: 'http' } }),
      contextOf({ command: { name: 'order-create', category: 'order' } }),
      // Joined without a separator, the two callers below would have the same key.
      callerOf({ principal: 'a', sessionId: 'bc' }),
      callerOf({ principal: 'ab', sessionId: 'c' }),
    ]
    for (const context of contexts) expect(await run([limiter], done, context)).toMatchObject({ success: true })
    for (const context of contexts) expect(await run([limiter], done, context)).toMatchObject({ success: false })
  })

  it('shares one limit between calls with the same key', async () => {
    const limiter = rateLimit({ limit: 1, windowMs: 1_000, now: () => 0, key: (_name, { caller }) => caller.principal })
    await run([limiter], done, callerOf({ sessionId: 's1' }))
    expect(await run([limiter], done, callerOf({ sessionId: 's2' }))).toMatchObject({ success: false })
  })
})

describe('memory', () => {
  it('removes only the least recently used key when there are more than maxKeys keys', async () => {
    const limiter = rateLimit({ limit: 1, windowMs: 1_000, maxKeys: 2, now: () => 0 })
    const isFree = async (principal: string) => (await run([limiter], done, callerOf({ principal }))).success
    expect(await isFree('a')).toBe(true)
    expect(await isFree('b')).toBe(true)
    expect(await isFree('a')).toBe(false) // refused, but used: b is now the least recently used key
    expect(await isFree('c')).toBe(true)
    expect(await isFree('a')).toBe(false)
    expect(await isFree('b')).toBe(true)
  })
})

describe('options', () => {
  const good: RateLimitOptions = { limit: 1, windowMs: 1 }
  it.each([
    [{ ...good, limit: 0 }, 'limit is 0'],
    [{ ...good, limit: 1.5 }, 'limit is 1.5'],
    [{ ...good, limit: Number.NaN }, 'limit is NaN'],
    [{ ...good, limit: Number.POSITIVE_INFINITY }, 'limit is Infinity'],
    [{ ...good, windowMs: 0 }, 'windowMs is 0'],
    [{ ...good, windowMs: Number.POSITIVE_INFINITY }, 'windowMs is Infinity'],
    [{ ...good, maxKeys: 0 }, 'maxKeys is 0'],
  ])('refuses the options %j, because %s', (options, reason) => {
    expect(() => rateLimit(options)).toThrow(`Invalid rateLimit options: ${reason}`)
    expect(() => rateLimit(options)).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }))
  })
})

// The obvious implementation: it remembers every accepted call and tries every later millisecond.
class Model {
  private keys: { readonly id: string; readonly times: number[] }[] = []
  private readonly options: { readonly limit: number; readonly windowMs: number; readonly maxKeys: number }

  constructor(options: Model['options']) {
    this.options = options
  }

  call(id: string, now: number): number {
    const used = this.keys.find((key) => key.id === id) ?? { id, times: [] }
    this.keys = [...this.keys.filter((key) => key !== used), used].slice(-this.options.maxKeys)
    let at = now
    while (!this.isAccepted(used.times, at)) at += 1
    if (at === now) used.times.push(now)
    return at - now
  }

  private isAccepted(times: readonly number[], at: number): boolean {
    return times.filter((time) => time > at - this.options.windowMs).length < this.options.limit
  }
}

it('gives the same decisions and waiting times as a model that remembers every call', async () => {
  const options = fc.record({
    limit: fc.integer({ min: 1, max: 5 }),
    windowMs: fc.integer({ min: 1, max: 40 }),
    maxKeys: fc.integer({ min: 1, max: 4 }),
  })
  const calls = fc.array(fc.record({ pauseMs: fc.nat({ max: 6 }), key: fc.constantFrom('a', 'b', 'c', 'd', 'e') }), {
    maxLength: 80,
  })
  await fc.assert(
    fc.asyncProperty(options, calls, async (options, calls) => {
      let now = 0
      const model = new Model(options)
      const limiter = rateLimit({ ...options, now: () => now, key: (_name, { caller }) => caller.principal })
      for (const { pauseMs, key } of calls) {
        now += pauseMs
        const result = await run([limiter], done, callerOf({ principal: key }))
        expect(result.success ? 0 : result.error?.details?.retryAfterMs).toBe(model.call(key, now))
      }
    }),
    { numRuns: 500 },
  )
})
