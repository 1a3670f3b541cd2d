// One request: who asks, and the ways back to them while it runs.

import type { Caller, CommandContext, Optional } from '../core/call.ts'
import type { StopSignal } from '../core/stop-signal.ts'

export interface Request
  extends Optional<
    Pick<
      CommandContext,
      'traceId' | 'progress' | 'log' | 'logLevel' | 'releaseConnection' | 'onServerRequest' | 'relay'
    >
  > {
  readonly caller: Caller
  readonly signal: StopSignal
  /** The context named with the request, before anyone has checked that there is one. */
  readonly context?: string
  /** Further fields for the handler's context. */
  readonly extra?: Readonly<Record<string, unknown>>
  /** The list this caller sees has changed because of this call. */
  listChanged?(): void
  /** Called with each tool that the request is about to run. */
  onTool?(name: string): void
}
