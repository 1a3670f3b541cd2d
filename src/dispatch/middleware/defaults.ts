// The middleware of a server if its author configures none.

import type { Middleware } from '../../core/call.ts'
import { timeout } from './timeout.ts'
import { timing } from './timing.ts'
import { tracing } from './tracing.ts'

/** The options of `defaultMiddleware`. */
export interface DefaultMiddlewareOptions {
  /** The timeout of every command. By default it depends on the `executionTime` of the command. */
  readonly timeoutMs?: number
}

/**
 * The middleware of a server without a `middleware` option: tracing, timing and timeout. Spread it to add others.
 *
 * @example
 * ```ts
 * createMcpServer({
 *   name: 'todos',
 *   version: '1.0.0',
 *   commands: [add],
 *   middleware: [...defaultMiddleware({ timeoutMs: 10_000 }), retry()],
 * })
 * ```
 */
export function defaultMiddleware({ timeoutMs }: DefaultMiddlewareOptions = {}): readonly Middleware[] {
  // The first is the outermost, so a TIMEOUT failure also gets timing and trace metadata. Logging is not included: the
  // stderr of a stdio server is shown in the client's log, so the author decides.
  return [tracing(), timing(), timeout(timeoutMs)]
}
