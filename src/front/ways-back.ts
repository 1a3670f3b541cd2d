// The ways back to a client while one of its requests is open: messages in order, and the end of its patience.

import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/server'
import type { LogLevel } from '../core/call.ts'
import { isRecord } from '../core/schema.ts'
import { abortSignalOf, type StopSignal } from '../core/stop-signal.ts'
import type { CallContext } from './call-context.ts'
import type { WaysBack } from './talk.ts'
import type { Wants } from './wants.ts'

export interface Outbox {
  send(message: () => Promise<void>): void
  /** When what has been said so far is sent. */
  sent(): Promise<void>
  /** The request is answered, and nothing more is sent. Undefined if every message is sent already. */
  flush(): Promise<void> | undefined
}

/** Messages of one request. Each is handed on at once, and a transport sends what it is handed in its order. */
export function createOutbox({ mcpReq }: CallContext, onError: (error: Error) => void): Outbox {
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
    flush() {
      // First: a handler may send more messages while earlier ones are being sent.
      closed = true
      return gone === given ? undefined : sent()
    },
  }
}

/** Aborts when the client cancels its request or goes away. */
export function patienceOf({ mcpReq, http }: CallContext): StopSignal {
  // In the legacy era the protocol says nothing of a client that hangs up; its request does.
  const gone = http?.req?.signal
  return gone === undefined ? mcpReq.signal : AbortSignal.any([abortSignalOf(mcpReq.signal), gone])
}

export function waysBack(context: CallContext, outbox: Outbox, wants?: Wants): WaysBack {
  const { mcpReq, http } = context
  const progressToken = mcpReq._meta?.progressToken
  return {
    signal: patienceOf(context),
    log: (level: LogLevel, data: unknown, logger?: string) => {
      if (wants?.admits(level) !== false) outbox.send(() => mcpReq.log(level, data, logger))
    },
    logLevel: wants?.level ?? levelIn(mcpReq.envelope),
    releaseConnection: http?.closeSSE,
    listChanged: () => outbox.send(() => mcpReq.notify({ method: 'notifications/tools/list_changed' })),
    progress: progressToken === undefined ? undefined : reportProgress,
  }

  function reportProgress(progress: number, total?: number, message?: string): void {
    const params = {
      // Only called where there is a token.
      progressToken: progressToken ?? '',
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    }
    outbox.send(() => mcpReq.notify({ method: 'notifications/progress', params }))
  }
}

function levelIn(envelope: unknown): LogLevel | undefined {
  // The SDK has checked that it is one of the protocol's, which are ours.
  return isRecord(envelope) ? (envelope[LOG_LEVEL_META_KEY] as LogLevel | undefined) : undefined
}
