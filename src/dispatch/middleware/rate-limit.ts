// Limits the rate of calls: at most `limit` calls in any interval of `windowMs`, counted exactly.

import type { CommandContext, Middleware } from '../../core/call.ts'
import { setNewest } from '../../core/collections.ts'
import { fail } from '../../core/errors.ts'
import { checkNumber } from './check-number.ts'
import type { MonotonicClock } from './stopwatch.ts'

/** The options of `rateLimit`. */
export interface RateLimitOptions {
  /** Accepted calls per `windowMs`. Refused calls do not count. */
  readonly limit: number
  /** A call counts for exactly this long after it began. */
  readonly windowMs: number
  /**
   * Calls with the same key share a limit. Default: principal, session and command. A caller that can open many
   * sessions gets a new limit with each one; if that matters, leave the session out of the key.
   */
  key?(commandName: string, context: CommandContext): string
  /** Maximum number of keys (default 10,000). The least recently used key is removed first, which resets its limit. */
  readonly maxKeys?: number
  /** Milliseconds since any fixed moment. Must never decrease. */
  readonly now?: MonotonicClock
}

/**
 * Middleware that refuses calls with RATE_LIMITED after `limit` calls in a window of time.
 *
 * @example
 * ```ts
 * rateLimit({ limit: 10, windowMs: 60_000 }) // for each principal, session and command
 * rateLimit({ limit: 100, windowMs: 60_000, key: (_name, { caller }) => caller.principal })
 * ```
 */
export function rateLimit({
  limit,
  windowMs,
  key = keyOf,
  maxKeys = 10_000,
  now = () => performance.now(),
}: RateLimitOptions): Middleware {
  checkNumber('rateLimit', 'limit', limit, { min: 1, max: 1_000_000, whole: true })
  checkNumber('rateLimit', 'windowMs', windowMs, { min: 1, max: Number.MAX_SAFE_INTEGER })
  checkNumber('rateLimit', 'maxKeys', maxKeys, { min: 1, max: 1_000_000, whole: true })
  /** The least recently used key comes first. */
  const windows = new Map<string, SlidingWindow>()

  const windowOf = (id: string): SlidingWindow => {
    const window = windows.get(id) ?? new SlidingWindow(limit, windowMs)
    setNewest(windows, id, window, maxKeys)
    return window
  }

  return async (commandName, _input, context, next) => {
    const waitMs = windowOf(key(commandName, context)).admit(now())
    if (waitMs === 0) return next()
    const retryAfterMs = Math.ceil(waitMs)
    return fail(
      'RATE_LIMITED',
      { name: commandName, limit, windowMs, retryAfterMs },
      { details: { retryAfterMs, limit, windowMs } },
    )
  }
}

/** The times of the accepted calls, in a ring buffer that grows up to `limit` entries. */
class SlidingWindow {
  private readonly times: number[] = []
  private oldest = 0
  private readonly limit: number
  private readonly windowMs: number

  constructor(limit: number, windowMs: number) {
    this.limit = limit
    this.windowMs = windowMs
  }

  /** Returns 0 and counts the call, or returns the time until a call would be accepted. */
  admit(now: number): number {
    const { times, oldest } = this
    const waitMs = (times[oldest] ?? Number.POSITIVE_INFINITY) + this.windowMs - now
    // Reuses the entry of a call that no longer counts. If there is none, adds an entry while there is room.
    if (waitMs <= 0) times[oldest] = now
    else if (times.length < this.limit) times.splice(oldest, 0, now)
    else return waitMs
    this.oldest = (oldest + 1) % times.length
    return 0
  }
}

// JSON separates the parts, even if they contain commas or quotes.
function keyOf(commandName: string, { caller }: CommandContext): string {
  return JSON.stringify([caller.principal, caller.sessionId ?? null, commandName])
}
