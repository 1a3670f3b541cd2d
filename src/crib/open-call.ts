// Creates the object of a call from its request. The dispatcher, the middleware and the source all get this object.

import type { CallFields, CommandContext, Mutable } from '../core/call.ts'
import { addSignal, type StopSignal } from '../core/stop-signal.ts'
import type { Request } from './request.ts'

/** The relation of a call to its request. */
export interface Share {
  /**
   * False for a call in a batch or pipe. The client can repeat only a whole request with the answers to the server's
   * questions (inputRequired).
   */
  readonly isWholeRequest: boolean
  /** Replaces the progress callback of the request if several calls share it. */
  readonly progress?: CommandContext['progress'] | undefined
}

interface OwnParts extends Share, Pick<CallFields, 'traceId' | 'introspect'> {
  /** The signal of this call. In a batch or pipe it can differ from that of the request. */
  readonly signal: StopSignal
  readonly context: CommandContext['context'] | undefined
  readonly contexts: CommandContext['contexts'] | undefined
}

/** An optional field is set only if it has a value, because handlers may test whether it exists. */
export function openCall(request: Request, own: OwnParts): CallFields {
  const { logLevel, trace, releaseConnection, onServerRequest, relay } = request
  const { context, contexts } = own
  const fields = {
    ...request.extra,
    caller: request.caller,
    traceId: own.traceId,
    progress: own.progress ?? request.progress ?? ignore,
    log: request.log ?? ignore,
    introspect: own.introspect,
  }
  const call: Mutable<CallFields> = addSignal(fields, own.signal)
  if (logLevel !== undefined) call.logLevel = logLevel
  if (trace !== undefined) call.trace = trace
  if (releaseConnection !== undefined) call.releaseConnection = releaseConnection
  if (onServerRequest !== undefined) call.onServerRequest = onServerRequest
  if (own.isWholeRequest && relay !== undefined) call.relay = relay
  if (contexts !== undefined) call.contexts = contexts
  if (context !== undefined) call.context = context
  return call
}

function ignore(): void {}
