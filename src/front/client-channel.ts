// How a call reaches its client while the request is open: ordered messages, and a signal for cancellation.

import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/server'
import type { LogLevel } from '../core/call.ts'
import { isRecord } from '../core/is-record.ts'
import { abortSignalOf, type StopSignal } from '../core/stop-signal.ts'
import { traceIn } from '../core/trace-context.ts'
import type { CallContext } from './call-context.ts'
import type { ClientInterest } from './client-interest.ts'
import type { ClientChannel } from './long-call.ts'

/** A message waits until `count` messages are sent. */
interface WaitingMessage {
  readonly count: number
  readonly wake: () => void
}

/**
 * The messages of one request. Each is passed to the transport at once, and the transport keeps the order. A class,
 * because each call makes one, and most calls send no message.
 */
export class Outbox {
  readonly #request: CallContext['mcpReq']
  readonly #onError: (error: Error) => void
  #given = 0
  #gone = 0
  #isClosed = false
  #waiting: readonly WaitingMessage[] = NONE_WAITING

  constructor({ mcpReq }: CallContext, onError: (error: Error) => void) {
    this.#request = mcpReq
    this.#onError = onError
  }

  send(message: () => Promise<void>): void {
    if (this.#isClosed || this.#request.signal.aborted) return
    this.#given++
    // Not awaited one after the other: with thousands of messages, each would wait for the previous write.
    const sending = async () => message()
    const onSent = () => this.#onSent()
    sending().catch(this.#onError).then(onSent, onSent)
  }

  /** Resolves when all messages so far are sent. */
  sent(): Promise<void> {
    return new Promise<void>((wake) => {
      if (this.#gone === this.#given) wake()
      else this.#waiting = [...this.#waiting, { count: this.#given, wake }]
    })
  }

  /** Closes the outbox when the request is answered. Undefined if all messages are sent, else resolves when they are. */
  flush(): Promise<void> | undefined {
    // Closed first: a handler may send further messages while earlier ones are being written.
    this.#isClosed = true
    return this.#gone === this.#given ? undefined : this.sent()
  }

  #onSent(): void {
    this.#gone++
    const done = this.#waiting.filter(({ count }) => count <= this.#gone)
    if (done.length === 0) return
    this.#waiting = this.#waiting.filter(({ count }) => count > this.#gone)
    for (const { wake } of done) wake()
  }
}

const NONE_WAITING: readonly WaitingMessage[] = []

/** Aborts when the client cancels its request or disconnects. */
export function clientSignalOf({ mcpReq, http }: CallContext): StopSignal {
  // In the legacy era a disconnect does not cancel the request by protocol, so the signal of the HTTP request is used
  // too.
  const gone = http?.req?.signal
  return gone === undefined ? mcpReq.signal : AbortSignal.any([abortSignalOf(mcpReq.signal), gone])
}

export function clientChannel(context: CallContext, outbox: Outbox, interest?: ClientInterest): ClientChannel {
  const { mcpReq, http } = context
  const progressToken = mcpReq._meta?.progressToken
  return {
    signal: clientSignalOf(context),
    log: (level: LogLevel, data: unknown, logger?: string) => {
      if (interest?.admits(level) !== false) outbox.send(() => mcpReq.log(level, data, logger))
    },
    logLevel: interest?.level ?? levelIn(mcpReq.envelope),
    trace: traceIn(mcpReq._meta),
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
  // The SDK has checked that it is a level of the protocol, and our levels are the same.
  return isRecord(envelope) ? (envelope[LOG_LEVEL_META_KEY] as LogLevel | undefined) : undefined
}
