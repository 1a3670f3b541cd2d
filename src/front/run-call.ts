// Runs one call that does not pass through the SDK. Cancels it if the client hangs up or the server stops.

import { type JSONRPCRequest, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Stop } from '../core/stop-signal.ts'
import type { Activity } from './activity.ts'
import type { CallContext } from './call-context.ts'
import { type AnswerCall, type Answered, CANCEL_GRACE_MS, type CallParams, shuttingDown } from './plain-server.ts'

export type PlainCall = JSONRPCRequest & { readonly params: CallParams }

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
    const answered = answerCall(request.params, context)
    let isStopping = false
    /** Stops waiting for a handler that ignores the cancellation. */
    let giveUp = () => {}
    const settled = new Promise<Answered>((resolve, reject) => {
      answered.then(resolve, (error) => reject(isStopping ? shuttingDown() : error))
      giveUp = () => reject(shuttingDown())
    })
    return await activity.track(settled, {
      name: () => context.tool ?? request.params.name,
      cancel(reason) {
        isStopping = true
        stop.abort(reason)
        setTimeout(() => giveUp(), CANCEL_GRACE_MS).unref()
      },
    })
  } finally {
    connection?.removeEventListener('abort', hangUp)
  }
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
