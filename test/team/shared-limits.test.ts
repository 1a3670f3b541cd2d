// Limits that several gateways share in a real Redis.

import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMemoryCounters } from '../../src/dispatch/limits/counters.ts'
import { shareLimits } from '../../src/dispatch/limits/shared-limits.ts'
import type { SlotResult } from '../../src/dispatch/limits/slots.ts'
import { chooseStore } from '../../src/storage/open-stores.ts'
import type { Store } from '../../src/storage/store.ts'
import { hasProgram, type RedisServer, redisCommand, startRedis } from '../fixtures/fleet/redis-server.ts'

const isInstalled = hasProgram('redis-server')
const never = new AbortController().signal
// Each waiting call adds a listener.
setMaxListeners(0, never)
let redis: RedisServer
let stores: Store[] = []

beforeAll(async () => {
  if (isInstalled) redis = await startRedis({ isDurable: true })
})
afterAll(async () => {
  for (const store of stores) await store[Symbol.asyncDispose]()
  if (isInstalled) await redis[Symbol.asyncDispose]()
})

/** The limits of several gateways with one store. */
function gateways(count: number, { isStrict = false, leaseMs = 15_000, maxWaitMs = 30_000 } = {}) {
  const url = redis.url()
  const opened = Array.from({ length: count }, () => chooseStore(url).open({ part: 'state', dir: 'unused' }))
  stores = [...stores, ...opened]
  const all = opened.map(({ limits }) =>
    shareLimits(limits ?? expect.fail('no limits'), { isStrict: () => isStrict, leaseMs, maxWaitMs }),
  )
  return { url, prefix: String(new URL(url).searchParams.get('prefix')), all, opened }
}

function leaveOf(result: SlotResult): () => void {
  return result.kind === 'free' ? result.leave : expect.fail(result.kind)
}

describe.runIf(isInstalled)('calls per minute that gateways share', () => {
  it('a shared limit counts the calls of all gateways together, even if all of them ask at the same time', async () => {
    const { all } = gateways(4)
    const taken = await Promise.all(
      Array.from({ length: 80 }, (_, at) => all[at % 4]?.counters.take('principal:anna', 10, 60_000)),
    )
    expect(taken.filter((one) => one?.ok === true)).toHaveLength(10)
    for (const refused of taken.filter((one) => one?.ok === false)) {
      expect(refused).toMatchObject({ retryAfterMs: expect.any(Number) })
      // One call of ten is refilled after a tenth of a minute.
      if (refused?.ok === false) expect(refused.retryAfterMs).toBeLessThanOrEqual(6_000)
    }
    expect(await all[0]?.counters.take('principal:ben', 10, 60_000)).toEqual({ ok: true })
  })

  it('a shared limit is refilled as in memory, and a call after the stated wait passes', async () => {
    const { all } = gateways(1)
    const inMemory = createMemoryCounters()
    for (const counters of [all[0]?.counters, inMemory]) {
      let taken = 0
      let refused = await counters?.take('key', 5, 1_000)
      // On a slow machine, the bucket is refilled meanwhile.
      for (; refused?.ok === true; taken++) refused = await counters?.take('key', 5, 1_000)
      if (refused?.ok !== false) return expect.fail('no counters')
      expect(taken).toBeGreaterThanOrEqual(5)
      expect(refused.retryAfterMs).toBeGreaterThan(0)
      expect(refused.retryAfterMs).toBeLessThanOrEqual(200)
      await sleep(refused.retryAfterMs + 5)
      expect(await counters?.take('key', 5, 1_000)).toEqual({ ok: true })
    }
  })

  it('a shared limit leaves no key behind when the window has passed, and a long name makes no long key', async () => {
    const { all, prefix } = gateways(1)
    await all[0]?.counters.take(`principal:${'x'.repeat(10_000)}`, 5, 300)
    const keys = async () => (await redisCommand(redis, `SCAN 0 MATCH ${prefix}:* COUNT 10000`)).split('\r\n')
    const [name = ''] = (await keys()).filter((line) => line.startsWith(prefix))
    expect(name).toMatch(/:1:rate:hash:[0-9a-f]{64}$/)
    await expect.poll(async () => (await keys()).filter((line) => line.startsWith(prefix))).toEqual([])
  })
})

describe.runIf(isInstalled)('calls at the same time that gateways share', () => {
  it('gateways never run more calls than their shared limit, and all calls run in the end', async () => {
    const { all } = gateways(3)
    let [running, most, done] = [0, 0, 0]
    const call = async (at: number) => {
      const entered = await all[at % 3]?.slots.enter('server:hub', 4, `group ${at % 5}`, never)
      if (entered?.kind !== 'free') return expect.fail(entered?.kind)
      running++
      most = Math.max(most, running)
      await sleep(5)
      running--
      done++
      entered.leave()
    }
    await Promise.all(Array.from({ length: 60 }, (_, at) => call(at)))
    expect({ most, done }).toEqual({ most: 4, done: 60 })
    expect(all.map(({ slots }) => slots.size)).toEqual([0, 0, 0])
  })

  it('a call keeps its slot as long as it runs, and the slots of a gateway that was killed become free', async () => {
    const { all, opened } = gateways(3, { leaseMs: 600 })
    const [one, two, three] = all
    const leave = leaveOf((await one?.slots.enter('server:hub', 2, 'a', never)) ?? { kind: 'full' })
    // This entry stands in for a gateway that was killed: its slot is not renewed.
    await opened[1]?.limits?.enter('server:hub', 'killed', 2, 600)
    const startedAt = performance.now()
    const third = leaveOf((await three?.slots.enter('server:hub', 2, 'a', never)) ?? { kind: 'full' })
    expect(performance.now() - startedAt).toBeGreaterThan(300)
    await sleep(900)
    // Both slots are renewed, so a further call waits until one is free.
    const waiting = Promise.resolve(two?.slots.enter('server:hub', 2, 'a', never))
    const first = await Promise.race([waiting, sleep(300, 'waits')])
    expect(first).toBe('waits')
    leave()
    leaveOf((await waiting) ?? { kind: 'full' })()
    third()
  })

  it('a gateway refuses a call that waits too long, and ends the wait of a call that is cancelled', async () => {
    const { all } = gateways(2, { maxWaitMs: 150 })
    const [one, two] = all
    const leave = leaveOf((await one?.slots.enter('key', 1, 'a', never)) ?? { kind: 'full' })
    expect(await two?.slots.enter('key', 1, 'a', never)).toEqual({ kind: 'full' })
    const cancelling = new AbortController()
    const waiting = two?.slots.enter('key', 1, 'a', cancelling.signal)
    cancelling.abort()
    expect(await waiting).toEqual({ kind: 'cancelled' })
    leave()
    const entered = await two?.slots.enter('key', 1, 'a', never)
    expect(entered?.kind).toBe('free')
  })
})

describe.runIf(isInstalled)('limits while Redis is out of reach', () => {
  it('while Redis is out of reach, each gateway has its own limits or refuses calls, as configured', async () => {
    const [open, closed] = [gateways(1), gateways(1, { isStrict: true })]
    for (const { all } of [open, closed]) expect(await all[0]?.counters.take('a', 2, 60_000)).toEqual({ ok: true })
    await redis.stop('SIGKILL')
    try {
      const take = () => open.all[0]?.counters.take('a', 2, 60_000)
      expect([await take(), await take(), await take()].map((one) => one?.ok)).toEqual([true, true, false])
      const entered = await open.all[0]?.slots.enter('a', 1, 'a', never)
      expect(entered?.kind).toBe('free')
      const startedAt = performance.now()
      expect(await closed.all[0]?.counters.take('a', 2, 60_000)).toMatchObject({ ok: false, isUnknown: true })
      expect(await closed.all[0]?.slots.enter('a', 1, 'a', never)).toEqual({ kind: 'unknown' })
      expect(performance.now() - startedAt).toBeLessThan(2_000)
    } finally {
      await redis.start()
    }
    await expect.poll(async () => (await closed.all[0]?.counters.take('a', 100, 60_000))?.ok).toBe(true)
  })
})
