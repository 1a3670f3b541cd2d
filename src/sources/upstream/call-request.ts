// A request to a server during which it may ask and tell: a call of a tool, or another request that a client waits for.

import type { InputRelay } from '../../core/call.ts'
import type { JsonSchema } from '../../core/tool.ts'
import type { Flight } from './flights.ts'

export interface CallRequest extends Omit<Flight, 'pause' | 'questions'> {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  /** The name of the tool that is called. */
  readonly inputSchema?: JsonSchema | undefined
  /** The capabilities that the client of this call has declared; if they are not known, all that we pass on. */
  readonly capabilities?: Readonly<Record<string, unknown>> | undefined
  /** The lowest log level that the client wants. */
  readonly logLevel?: string | undefined
  /** Where the client comes back by itself with answers. */
  readonly relay?: InputRelay | undefined
  /** No other client can be there: its roots are those of the server. */
  readonly isOnlyClient?: boolean
  readonly timeoutMs: number
  readonly maxMs: number
  progress(done: number, total?: number, message?: string): void
}
