// Limits that all gateways with the same store share. Without the store, each gateway counts alone or refuses calls.

import { randomUUID } from 'node:crypto'
import type { StopSignal } from '../../core/stop-signal.ts'
import type { StoreLimits } from '../../storage/store.ts'
import { type CallCounters, createMemoryCounters } from './counters.ts'
import { createSlots, MAX_WAIT_MS, type SlotResult, type Slots } from './slots.ts'

interface SharedLimitsOptions {
  /** True: a call is refused while the store is out of reach. */
  isStrict(): boolean
  /** After this time, the slots of a gateway that was killed are free (default 15,000). */
  readonly leaseMs?: number
  readonly maxWaitMs?: number
}

const LEASE_MS = 15_000
/** The advice when to try again while the store is out of reach. */
const DOWN_RETRY_MS = 1_000
const FIRST_POLL_MS = 10
const MAX_POLL_MS = 100
/** The limit for a renewal, so that a slot is renewed even if the limit was lowered after the call had started. */
const NO_LIMIT = 2 ** 31

export function shareLimits(shared: StoreLimits, options: SharedLimitsOptions) {
  const ownCounters = createMemoryCounters()
  const counters: CallCounters = {
    async take(key, limit, windowMs) {
      try {
        const retryAfterMs = await shared.take(key, limit, windowMs)
        return retryAfterMs === 0 ? { ok: true } : { ok: false, retryAfterMs }
      } catch {
        if (options.isStrict()) return { ok: false, isUnknown: true, retryAfterMs: DOWN_RETRY_MS }
        return ownCounters.take(key, limit, windowMs)
      }
    },
  }
  return { counters, slots: shareSlots(shared, options) }
}

/**
 * A call first takes a slot of this gateway, where each principal gets its turn, and then a slot of all gateways, as a
 * lease.
 */
function shareSlots(
  shared: StoreLimits,
  { isStrict, leaseMs = LEASE_MS, maxWaitMs = MAX_WAIT_MS }: SharedLimitsOptions,
): Slots {
  const own = createSlots({ maxWaitMs })
  const leases = createLeases(shared, leaseMs)
  const gateway = randomUUID()
  /** The number of calls that have a slot of this gateway and wait for one of all gateways. */
  let polling = 0
  let lastHolder = 0

  const enterShared = async (key: string, limit: number, until: number, signal: StopSignal): Promise<SlotResult> => {
    const lease = { key, holder: `${gateway}/${++lastHolder}` }
    for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(2 * pollMs, MAX_POLL_MS)) {
      if (signal.aborted) return { kind: 'cancelled' }
      try {
        if (await shared.enter(key, lease.holder, limit, leaseMs)) break
      } catch {
        if (isStrict()) return { kind: 'unknown' }
        // Without the store, each gateway has the whole limit for itself.
        break
      }
      if (performance.now() >= until) return { kind: 'full' }
      // The random part prevents gateways from asking at the same moment again and again.
      await leases.awaitRelease(key, pollMs * (0.5 + Math.random() / 2), signal)
    }
    leases.hold(lease)
    return { kind: 'free', leave: () => leases.release(lease) }
  }

  return {
    get size() {
      return own.size
    },
    get waiting() {
      return own.waiting + polling
    },
    async enter(key, limit, group, signal) {
      const until = performance.now() + maxWaitMs
      const entered = await own.enter(key, limit, group, signal)
      if (entered.kind !== 'free') return entered
      polling++
      const passed = await enterShared(key, limit, until, signal).finally(() => polling--)
      if (passed.kind !== 'free') {
        entered.leave()
        return passed
      }
      return {
        kind: 'free',
        leave() {
          passed.leave()
          entered.leave()
        },
      }
    },
  }
}

/** A slot of all gateways. It ends by itself unless its gateway renews it. */
interface Lease {
  readonly key: string
  readonly holder: string
}

/** The leases that this gateway holds. If the gateway is killed, they are not renewed, so its slots become free. */
function createLeases(shared: StoreLimits, leaseMs: number) {
  const held = new Set<Lease>()
  /** The functions that wake the waiting calls of this gateway, by key. */
  const wakersByKey = new Map<string, Set<() => void>>()
  let timer: NodeJS.Timeout | undefined

  const renew = () => {
    for (const { key, holder } of held) shared.enter(key, holder, NO_LIMIT, leaseMs).catch(() => {})
  }
  return {
    /** Renews the lease until it is released. */
    hold(lease: Lease): void {
      held.add(lease)
      timer ??= setInterval(renew, leaseMs / 3).unref()
    },
    /** Does nothing for a lease that is already released. */
    release(lease: Lease): void {
      if (!held.delete(lease)) return
      if (held.size === 0) {
        clearInterval(timer)
        timer = undefined
      }
      const wake = () => {
        const [next] = wakersByKey.get(lease.key) ?? []
        next?.()
      }
      // If the store is out of reach, the lease expires.
      shared.leave(lease.key, lease.holder).then(wake, wake)
    },
    /** Resolves after this gateway has released a lease of the key, after `ms`, or when the signal aborts. */
    awaitRelease: (key: string, ms: number, signal: StopSignal): Promise<void> =>
      new Promise((resolve) => {
        const wakers = wakersByKey.get(key) ?? new Set()
        wakersByKey.set(key, wakers)
        const end = () => {
          clearTimeout(timeout)
          signal.removeEventListener('abort', end)
          wakers.delete(end)
          if (wakers.size === 0 && wakersByKey.get(key) === wakers) wakersByKey.delete(key)
          resolve()
        }
        const timeout = setTimeout(end, ms)
        signal.addEventListener('abort', end, { once: true })
        wakers.add(end)
      }),
  }
}
