// Adds the duration of the call to the metadata of its result.

import type { Middleware } from '../../core/call.ts'
import { withMetadata } from '../../core/result.ts'
import { type MonotonicClock, startStopwatch } from './stopwatch.ts'

/** The options of `timing`. */
export interface TimingOptions {
  /** Milliseconds since any fixed moment. Must never decrease. */
  readonly now?: MonotonicClock
}

/**
 * Middleware that adds `metadata.executionTimeMs` to each result.
 *
 * @example
 * ```ts
 * createCommandRegistry({ commands: [add], middleware: [timing()] })
 * ```
 */
export function timing({ now }: TimingOptions = {}): Middleware {
  return async (_commandName, _input, _context, next) => {
    const elapsedMs = startStopwatch(now)
    const result = await next()
    return withMetadata(result, { executionTimeMs: elapsedMs() })
  }
}
