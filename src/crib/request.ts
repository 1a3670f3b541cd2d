// One request: its caller, and the callbacks to the caller while it runs.

import type { Caller, CommandContext, Optional } from '../core/call.ts'
import type { StopSignal } from '../core/stop-signal.ts'

export interface Request
  extends Optional<
    Pick<
      CommandContext,
      'traceId' | 'trace' | 'progress' | 'log' | 'logLevel' | 'releaseConnection' | 'onServerRequest' | 'relay'
    >
  > {
  readonly caller: Caller
  readonly signal: StopSignal
  /** The context named in the request; it may not exist. */
  readonly context?: string
  /** Further fields for the handler's context. */
  readonly extra?: Readonly<Record<string, unknown>>
  /** Called when this request changed the listing of its caller. */
  readonly listChanged?: (() => void) | undefined
  /** Called with the name of each tool that the request is about to run. */
  onTool?(name: string): void
}
