// Counts calls for rate limits, in memory. `shared-limits.ts` has counters that several gateways share.

import { setNewest } from '../../core/collections.ts'
import type { MonotonicClock } from '../middleware/stopwatch.ts'

export type TakeResult =
  | { readonly ok: true }
  /** `isUnknown`: the counts that gateways share cannot be read. */
  | { readonly ok: false; readonly retryAfterMs: number; readonly isUnknown?: true }

export interface CallCounters {
  /**
   * Takes one of `limit` calls per `windowMs` for this key, or returns the time until the next one is possible. A
   * counter in memory answers at once, so that a call does not wait for a promise.
   */
  take(key: string, limit: number, windowMs: number): TakeResult | Promise<TakeResult>
}

interface MemoryCountersOptions {
  /** Maximum number of keys (default 10,000). The least recently used key is removed first, which resets its limit. */
  readonly maxKeys?: number
  readonly now?: MonotonicClock
}

/** The calls that are left, and when that was computed. */
interface Bucket {
  left: number
  at: number
}

const MAX_KEYS = 10_000
/** After exactly the stated wait, the sum of the refills can be slightly less than 1. */
const ROUNDING = 1e-9
const TAKEN: TakeResult = { ok: true }

/**
 * A token bucket for each key: it holds `limit` calls and is refilled evenly, `limit` calls per `windowMs`. After an
 * idle window, `limit` calls can be made at once.
 */
export function createMemoryCounters(options: MemoryCountersOptions = {}): CallCounters {
  const { maxKeys = MAX_KEYS, now = () => performance.now() } = options
  /** The least recently used key comes first. */
  const buckets = new Map<string, Bucket>()

  return {
    take(key, limit, windowMs) {
      const at = now()
      const bucket = buckets.get(key) ?? { left: limit, at }
      setNewest(buckets, key, bucket, maxKeys)
      bucket.left = Math.min(limit, bucket.left + ((at - bucket.at) * limit) / windowMs)
      bucket.at = at
      if (bucket.left < 1 - ROUNDING)
        return { ok: false, retryAfterMs: Math.ceil(((1 - bucket.left) * windowMs) / limit) }
      bucket.left--
      return TAKEN
    },
  }
}
