// Says in each result how long its call took.

import type { Middleware } from '../../core/call.ts'
import { withMetadata } from '../../core/result.ts'
import { type Clock, startStopwatch } from './stopwatch.ts'

export interface TimingOptions {
  /** Milliseconds from any fixed moment; never goes back. */
  readonly now?: Clock
}

export function timing({ now }: TimingOptions = {}): Middleware {
  return async (_commandName, _input, _context, next) => {
    const elapsedMs = startStopwatch(now)
    const result = await next()
    return withMetadata(result, { executionTimeMs: elapsedMs() })
  }
}
