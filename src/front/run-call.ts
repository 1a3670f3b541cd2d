// Runs calls that do not pass through the SDK. Tracks all requests, so that they end when the server stops.

import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { errorOf, errors } from '../core/errors.ts'
import type { Stop, StopSignal } from '../core/stop-signal.ts'
import type { Activity } from './activity.ts'

/**
 * The part of the SDK's ServerContext that our code uses. A request that does not pass through the SDK has a context of
 * our own.
 */
export interface CallContext {
  readonly mcpReq: Pick<
    ServerContext['mcpReq'],
    'id' | '_meta' | 'envelope' | 'inputResponses' | 'requestState' | 'log' | 'notify' | 'send'
  > & { readonly signal: StopSignal }
  readonly http?:
    | {
        readonly req?: { readonly signal: AbortSignal } | undefined
        readonly closeSSE?: (() => void) | undefined
      }
    | undefined
  /** The tool that runs, for the operator. Not the called name if a meta-tool such as `execute_tool` was called. */
  tool?: string | undefined
}

interface CallParams {
  readonly name: string
  readonly arguments?: Readonly<Record<string, unknown>> | undefined
}

/** The answer to a call. `json` is the result as JSON text, if it is already known. */
export interface Answered {
  readonly result: Result
  readonly json?: string | undefined
}

/** Answers one call. */
export type AnswerCall = (params: CallParams, context: CallContext) => Promise<Answered>

export type PlainCall = JSONRPCRequest & { readonly params: CallParams }

/** How long a handler has to answer a request that was cancelled because the server stops. */
const CANCEL_GRACE_MS = 500

interface RunningCall {
  readonly request: PlainCall
  readonly context: CallContext
  readonly stop: Stop
  /** Aborts when the client hangs up. The protocol has no message for this. */
  readonly connection: AbortSignal | undefined
  readonly activity: Activity
  readonly answerCall: AnswerCall
}

/** Resolves with the answer. Rejects with the error of the handler, or with SHUTTING_DOWN if the server stops. */
export async function runCall({ request, context, stop, connection, activity, answerCall }: RunningCall) {
  const hangUp = () => stop.abort(connection?.reason)
  connection?.addEventListener('abort', hangUp, { once: true })
  if (connection?.aborted === true) hangUp()
  try {
    const nameOf = () => context.tool ?? request.params.name
    return await trackRequest(activity, answerCall(request.params, context), nameOf, (reason) => stop.abort(reason))
  } finally {
    connection?.removeEventListener('abort', hangUp)
  }
}

/**
 * Tracks a request until it is answered. If the server stops, `abort` is called. Then the promise rejects with
 * SHUTTING_DOWN if the handler rejects or, because it ignores the signal, gives no answer for a short time.
 */
export function trackRequest<T>(
  activity: Activity,
  answered: Promise<T>,
  name: () => string,
  abort: (reason: Error) => void,
): Promise<T> {
  let isStopping = false
  let giveUp = () => {}
  const settled = new Promise<T>((resolve, reject) => {
    answered.then(resolve, (error) => reject(isStopping ? shuttingDown() : error))
    giveUp = () => reject(shuttingDown())
  })
  return activity.track(settled, {
    name,
    cancel(reason) {
      isStopping = true
      abort(reason)
      setTimeout(giveUp, CANCEL_GRACE_MS).unref()
    },
  })
}

function shuttingDown(): ProtocolError {
  const { message, suggestion } = errorOf('SHUTTING_DOWN', { hasBegun: true })
  return new ProtocolError(errors.SHUTTING_DOWN.rpc, message, { code: 'SHUTTING_DOWN', suggestion })
}

/** Converts an error to a JSON-RPC error in the same way as the SDK. */
export function toRpcError(error: unknown): { code: number; message: string; data?: unknown } {
  const { code, message, data } = (error ?? {}) as { code?: unknown; message?: unknown; data?: unknown } // may be any value
  return {
    code: typeof code === 'number' && Number.isSafeInteger(code) ? code : ProtocolErrorCode.InternalError,
    message: typeof message === 'string' ? message : 'Internal error',
    ...(data === undefined ? {} : { data }),
  }
}
