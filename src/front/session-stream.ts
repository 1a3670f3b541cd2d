// Ends the response streams of a session when the client cancels its request or hangs up.

import type { Transport } from '@modelcontextprotocol/server'
import { errors } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'

/** Answers a cancelled request with an error. The SDK never answers it, so the stream of the answer would never end. */
export function endCancelled(transport: Transport, body: unknown): void {
  if (!isRecord(body) || body.method !== 'notifications/cancelled' || !isRecord(body.params)) return
  const { requestId: id } = body.params
  if (typeof id !== 'string' && typeof id !== 'number') return
  const error = { code: errors.CANCELLED.rpc, message: 'Cancelled' }
  // Rejects if the request is not in flight any more.
  transport.send({ jsonrpc: '2.0', id, error }).catch(() => {})
}

/**
 * Calls `done` when the body has been read to its end or its reader is gone. A reader that hangs up cancels the body at
 * once: the transport itself would notice only at its next write, and refuse a new event stream until then.
 */
export function watchBody(response: Response, hungUp: AbortSignal, done: () => void): Response {
  if (response.body === null) {
    done()
    return response
  }
  const reader = response.body.getReader()
  let isOver = false
  const finish = () => {
    if (isOver) return
    isOver = true
    hungUp.removeEventListener('abort', giveUp)
    done()
  }
  const giveUp = () => {
    finish()
    reader.cancel().catch(() => {})
  }
  if (hungUp.aborted) giveUp()
  else hungUp.addEventListener('abort', giveUp, { once: true })
  const watched = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done: ended, value } = await reader.read()
      if (!ended) return controller.enqueue(value)
      finish()
      controller.close()
    },
    cancel: giveUp,
  })
  return new Response(watched, { status: response.status, headers: response.headers })
}
