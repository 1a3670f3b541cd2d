import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemoryCounters } from './counters.ts'

function counters(maxKeys?: number) {
  let now = 0
  const made = createMemoryCounters({ now: () => now, ...(maxKeys === undefined ? {} : { maxKeys }) })
  const take = (key: string, limit = 3, windowMs = 60_000) => {
    const taken = made.take(key, limit, windowMs)
    return 'then' in taken ? expect.fail('counters in memory answer at once') : taken
  }
  return {
    take,
    pass(ms: number) {
      now += ms
    },
  }
}

/** After a wait of `retryAfterMs`, rounding leaves the refills of these steps slightly below one call. */
const ROUNDED = [
  { wait: 0, calls: 1 },
  { wait: 904, calls: 0 },
  { wait: 0, calls: 3 },
  { wait: 1_663, calls: 1 },
]

describe('counters in memory', () => {
  it('the call after the limit is refused with the time until the next one is possible', () => {
    const { take, pass } = counters()
    expect([take('a'), take('a'), take('a')]).toEqual([{ ok: true }, { ok: true }, { ok: true }])
    expect(take('a')).toEqual({ ok: false, retryAfterMs: 20_000 })
    pass(19_999)
    expect(take('a')).toEqual({ ok: false, retryAfterMs: 1 })
    pass(1)
    expect(take('a')).toEqual({ ok: true })
    expect(take('a')).toMatchObject({ ok: false })
  })

  it('each key is counted separately', () => {
    const { take } = counters()
    for (let call = 0; call < 5; call++) take('a')
    expect(take('b')).toEqual({ ok: true })
  })

  it('after a quiet hour, a key has no more calls than the limit, whether it was used before or not', () => {
    const { take, pass } = counters()
    take('used')
    pass(3_600_000)
    for (const key of ['used', 'new']) {
      expect([1, 2, 3, 4].map(() => take(key).ok)).toEqual([true, true, true, false])
    }
  })

  it('a changed limit is used at once', () => {
    const { take } = counters()
    take('a', 100)
    expect([take('a', 1).ok, take('a', 1).ok]).toEqual([true, false])
  })

  it('counters keep a bounded number of keys, and forget the least recently used one', () => {
    const { take } = counters(2)
    for (let call = 0; call < 4; call++) take('a')
    take('b')
    expect(take('a')).toMatchObject({ ok: false })
    take('c')
    // `b` was forgotten, `a` was not.
    expect(take('a')).toMatchObject({ ok: false })
    expect(take('b').ok).toBe(true)
  })

  it('counters never let through more than the burst and the refill, and a call after the stated wait always passes', () => {
    const step = fc.record({ wait: fc.integer({ min: 0, max: 5_000 }), calls: fc.integer({ min: 0, max: 8 }) })
    fc.assert(
      fc.property(fc.array(step), fc.integer({ min: 1, max: 50 }), (steps, limit) => {
        const { take, pass } = counters()
        let [elapsed, accepted] = [0, 0]
        for (const { wait, calls } of steps) {
          pass(wait)
          elapsed += wait
          for (let call = 0; call < calls; call++) {
            const taken = take('a', limit)
            if (taken.ok) accepted++
            else if (call === calls - 1) {
              pass(taken.retryAfterMs)
              elapsed += taken.retryAfterMs
              expect(take('a', limit).ok).toBe(true)
              accepted++
            }
          }
          expect(accepted).toBeLessThanOrEqual(limit + (elapsed * limit) / 60_000 + 1e-6)
        }
      }),
      { examples: [[ROUNDED, 3]] },
    )
  })
})
