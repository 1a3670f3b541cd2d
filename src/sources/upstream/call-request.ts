// A client's request to a server: a tool call, or another request during which the server may ask the client.

import type { Caller, CommandContext, Optional } from '../../core/call.ts'
import type { StopSignal } from '../../core/stop-signal.ts'
import type { JsonSchema } from '../../core/tool.ts'

/** The parts of a client's call that a request to a server needs. */
export interface ClientCall
  extends Optional<Pick<CommandContext, 'progress' | 'log' | 'logLevel' | 'trace' | 'onServerRequest' | 'relay'>> {
  readonly caller: Caller
}

export interface CallRequest {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  /** The input schema of the called tool. */
  readonly inputSchema?: JsonSchema | undefined
  /** The call as the dispatcher handed it over. Its signal is not used: reading it creates an AbortSignal. */
  readonly call: ClientCall
  readonly signal: StopSignal
  /** Identifies the client. Calls of the same legacy client have the same value; each other call has its own. */
  readonly client: string
  readonly timeoutMs: number
  readonly maxMs: number
}
