// The middleware of a server if its author configures none.

import type { Middleware } from '../../core/call.ts'
import { timeout } from './timeout.ts'
import { timing } from './timing.ts'
import { tracing } from './tracing.ts'

export interface DefaultMiddlewareOptions {
  /** The timeout of every command. By default it depends on the `executionTime` of the command. */
  readonly timeoutMs?: number
}

// The first is the outermost, so a TIMEOUT failure also gets timing and trace metadata. Logging is not included: the
// stderr of a stdio server is shown in the client's log, so the author decides.
export function defaultMiddleware({ timeoutMs }: DefaultMiddlewareOptions = {}): readonly Middleware[] {
  return [tracing(), timing(), timeout(timeoutMs)]
}
