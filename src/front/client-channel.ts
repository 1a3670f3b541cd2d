// The connection of a running call to its client: messages in order, and a signal that aborts when the client cancels.

import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/server'
import { type LogLevel, traceIn } from '../core/call.ts'
import { isRecord } from '../core/is-record.ts'
import { abortSignalOf, type StopSignal } from '../core/stop-signal.ts'
import type { ClientInterest } from './client-interest.ts'
import type { ClientChannel } from './long-call.ts'
import type { CallContext } from './run-call.ts'

/** `wake` is called when the first `count` messages are sent, or could not be sent. */
interface Waiter {
  readonly count: number
  readonly wake: () => void
}

const NO_WAITERS: readonly Waiter[] = []

/**
 * The messages of one request. Each is passed to the transport at once, and the transport keeps the order. It is a
 * class because each call creates one, and an instance costs less than closures.
 */
export class Outbox {
  readonly #request: CallContext['mcpReq']
  readonly #onError: (error: Error) => void
  /** The number of messages that were passed to the transport. */
  #passed = 0
  /** The number of messages that the transport has sent or failed to send. */
  #done = 0
  #isClosed = false
  #waiters: readonly Waiter[] = NO_WAITERS

  constructor({ mcpReq }: CallContext, onError: (error: Error) => void) {
    this.#request = mcpReq
    this.#onError = onError
  }

  send(message: () => Promise<void>): void {
    if (this.#isClosed || this.#request.signal.aborted) return
    this.#passed++
    // Not awaited one after the other: with thousands of messages, each would wait for the previous write.
    const sending = async () => message()
    const onSent = () => this.#onSent()
    sending().catch(this.#onError).then(onSent, onSent)
  }

  /** Resolves when all messages so far are sent. */
  sent(): Promise<void> {
    return new Promise<void>((wake) => {
      if (this.#done === this.#passed) wake()
      else this.#waiters = [...this.#waiters, { count: this.#passed, wake }]
    })
  }

  /**
   * Closes the outbox. Call it when the request is answered. Returns undefined if all messages are sent, else a promise
   * that resolves when they are.
   */
  flush(): Promise<void> | undefined {
    // Closed first: a handler may send further messages while earlier ones are being written.
    this.#isClosed = true
    return this.#done === this.#passed ? undefined : this.sent()
  }

  #onSent(): void {
    this.#done++
    const woken = this.#waiters.filter(({ count }) => count <= this.#done)
    if (woken.length === 0) return
    this.#waiters = this.#waiters.filter(({ count }) => count > this.#done)
    for (const { wake } of woken) wake()
  }
}

/** Returns a signal that aborts when the client cancels its request or disconnects. */
export function clientSignalOf({ mcpReq, http }: CallContext): StopSignal {
  // The SDK does not cancel a request if a legacy client disconnects, so the signal of the HTTP request is used too.
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
      // This function is passed on only if there is a token.
      progressToken: progressToken ?? '',
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    }
    outbox.send(() => mcpReq.notify({ method: 'notifications/progress', params }))
  }
}

function levelIn(envelope: unknown): LogLevel | undefined {
  // The SDK has checked that the value is a level of the protocol, and our levels are the same.
  return isRecord(envelope) ? (envelope[LOG_LEVEL_META_KEY] as LogLevel | undefined) : undefined
}
