// The middleware a server has when its author chooses none.

import type { Middleware } from '../../core/call.ts'
import { timeout } from './timeout.ts'
import { timing } from './timing.ts'
import { tracing } from './tracing.ts'

export interface DefaultMiddlewareOptions {
  /** For every command; without it each gets what its `executionTime` suggests. */
  readonly timeoutMs?: number
}

// First is outermost: the TIMEOUT that the last one makes up is still timed, and whatever comes out is traced.
// No logging: the stderr of a stdio server is its client's log, so writing there is the author's choice.
export function defaultMiddleware({ timeoutMs }: DefaultMiddlewareOptions = {}): readonly Middleware[] {
  return [tracing(), timing(), timeout(timeoutMs)]
}
