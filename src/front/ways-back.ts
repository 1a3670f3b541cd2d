// The ways back to a client while one of its requests is open: messages in order, and the end of its patience.

import { LOG_LEVEL_META_KEY, type ServerContext } from '@modelcontextprotocol/server'
import type { LogLevel } from '../core/call.ts'
import { isRecord } from '../core/schema.ts'
import type { WaysBack } from './talk.ts'
import type { Wants } from './wants.ts'

export interface Outbox {
  send(message: () => Promise<void>): void
  /** When what has been said so far is sent. */
  sent(): Promise<void>
  /** The same, and nothing more is sent: the request is answered. */
  flush(): Promise<void>
}

/** Messages of one request, in order. */
export function createOutbox({ mcpReq }: ServerContext, onError: (error: Error) => void): Outbox {
  let last = Promise.resolve()
  let closed = false
  return {
    send(message) {
      if (closed || mcpReq.signal.aborted) return
      last = last.then(message).catch(onError)
    },
    sent: () => last,
    async flush() {
      // First: a handler may go on talking while what it has said is being sent.
      closed = true
      await last
    },
  }
}

/** Aborts when the client cancels its request or goes away. */
export function patienceOf({ mcpReq, http }: ServerContext): AbortSignal {
  // In the legacy era the protocol says nothing of a client that hangs up; its request does.
  const gone = http?.req?.signal
  return gone === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, gone])
}

export function waysBack(context: ServerContext, outbox: Outbox, wants?: Wants): WaysBack {
  const { mcpReq, http } = context
  const token = mcpReq._meta?.progressToken
  const logLevel = wants?.level ?? levelIn(mcpReq.envelope)
  return {
    signal: patienceOf(context),
    log: (level: LogLevel, data: unknown, logger?: string) => {
      if (wants?.admits(level) !== false) outbox.send(() => mcpReq.log(level, data, logger))
    },
    ...(logLevel === undefined ? {} : { logLevel }),
    ...(http?.closeSSE === undefined ? {} : { releaseConnection: http.closeSSE }),
    listChanged: () => outbox.send(() => mcpReq.notify({ method: 'notifications/tools/list_changed' })),
    ...(token === undefined
      ? {}
      : {
          progress: (progress: number, total?: number, message?: string) =>
            outbox.send(() =>
              mcpReq.notify({
                method: 'notifications/progress',
                params: {
                  progressToken: token,
                  progress,
                  ...(total === undefined ? {} : { total }),
                  ...(message === undefined ? {} : { message }),
                },
              }),
            ),
        }),
  }
}

function levelIn(envelope: unknown): LogLevel | undefined {
  // The SDK has checked that it is one of the protocol's, which are ours.
  return isRecord(envelope) ? (envelope[LOG_LEVEL_META_KEY] as LogLevel | undefined) : undefined
}
