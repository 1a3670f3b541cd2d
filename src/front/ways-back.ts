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

/** Messages of one request. Each is handed on at once, and a transport sends what it is handed in its order. */
export function createOutbox({ mcpReq }: ServerContext, onError: (error: Error) => void): Outbox {
  let given = 0
  let gone = 0
  let closed = false
  /** What each waits for: so many messages to be sent. */
  let waiting: readonly { readonly count: number; readonly wake: () => void }[] = []

  const sent = () =>
    new Promise<void>((wake) => {
      if (gone === given) wake()
      else waiting = [...waiting, { count: given, wake }]
    })
  const onSent = () => {
    gone++
    const done = waiting.filter(({ count }) => count <= gone)
    if (done.length === 0) return
    waiting = waiting.filter(({ count }) => count > gone)
    for (const { wake } of done) wake()
  }
  return {
    send(message) {
      if (closed || mcpReq.signal.aborted) return
      given++
      // Not one after the other: of thousands, each would wait for the one before to be written.
      const sending = async () => message()
      sending().catch(onError).then(onSent, onSent)
    },
    sent,
    async flush() {
      // First: a handler may go on talking while what it has said is being sent.
      closed = true
      await sent()
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
