// Tracks the unanswered requests and the unfinished writes of one connection.

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { errorOf, errors } from '../core/errors.ts'
import { withResolvers } from '../core/waiting.ts'
import { wrapTransport } from '../core/wrap-transport.ts'
import { settles } from './activity.ts'

interface Unanswered {
  /** Use this instead of the given transport. */
  readonly transport: Transport
  /** Resolves when the connection is closed, from either end. */
  readonly closed: Promise<void>
  /**
   * Resolves when every request has an answer or is cancelled, or the connection is closed. It does not wait for
   * `subscriptions/listen`.
   */
  answered(): Promise<void>
  /** Sends an error for every request that `answered` waits for. */
  refuse(): void
  /** Call it when the input has ended. The client can no longer answer, so our requests fail, now and later. */
  endInput(): void
  /** Resolves when everything is written, when nothing could be written for `patienceMs`, or when `hurry` aborts. */
  flushed(patienceMs: number, hurry?: AbortSignal): Promise<void>
}

type Id = string | number

/** This request stays open until the connection closes, and is answered then. */
const LISTEN = 'subscriptions/listen'
const CANCELLED = 'notifications/cancelled'

export function followAnswers(inner: Transport): Unanswered {
  /** The number of unanswered requests by id: a client may use an id twice. */
  const open = new Map<Id, number>()
  /** The ids of our requests that the client has not answered yet. */
  const asked = new Set<Id>()
  const writes = createWrites()
  let isInputOver = false
  const { promise: closed, resolve: close } = withResolvers()
  let wakeAnswered: (() => void)[] = []

  const wake = () => {
    for (const resolve of wakeAnswered) resolve()
    wakeAnswered = []
  }
  const settle = (id: unknown) => {
    const count = isId(id) ? open.get(id) : undefined
    if (!isId(id) || count === undefined) return
    if (count > 1) open.set(id, count - 1)
    else open.delete(id)
    if (open.size === 0) wake()
  }
  const trackReceived = (message: JSONRPCMessage) => {
    if (!('method' in message)) {
      if (isId(message.id)) asked.delete(message.id)
    } else if ('id' in message) {
      if (message.method !== LISTEN) open.set(message.id, (open.get(message.id) ?? 0) + 1)
      // The SDK does not answer a cancelled request.
    } else if (message.method === CANCELLED) settle(message.params?.requestId)
  }
  const failAsked = () => {
    for (const id of asked) {
      const message = 'The client has stopped sending messages and cannot answer.'
      transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: errors.CANCELLED.rpc, message } })
    }
    asked.clear()
  }
  const transport = wrapTransport(inner, {
    send(message, options) {
      if ('method' in message && 'id' in message) {
        asked.add(message.id)
        if (isInputOver) queueMicrotask(failAsked)
      } else if ('id' in message) settle(message.id)
      return writes.track(inner.send(message, options))
    },
    receive(message) {
      trackReceived(message)
      return true
    },
    close(notify) {
      open.clear()
      wake()
      close()
      notify()
    },
  })
  return {
    transport,
    closed,
    async answered() {
      while (open.size > 0) {
        await new Promise<void>((resolve) => {
          wakeAnswered.push(resolve)
        })
      }
    },
    refuse() {
      const { message, suggestion } = errorOf('SHUTTING_DOWN', { hasBegun: true })
      const error = { code: errors.SHUTTING_DOWN.rpc, message, data: { code: 'SHUTTING_DOWN', suggestion } }
      for (const [id, count] of [...open]) {
        for (let answers = 0; answers < count; answers++) {
          transport.send({ jsonrpc: '2.0', id, error }).catch(() => {})
        }
      }
    },
    endInput() {
      isInputOver = true
      failAsked()
    },
    flushed: writes.flushed,
  }
}

function createWrites() {
  /** The number of messages that are not written yet. */
  let unwritten = 0
  let waiting: (() => void)[] = []
  const onWritten = () => {
    unwritten--
    if (waiting.length === 0) return
    for (const resolve of waiting) resolve()
    waiting = []
  }
  const onUnwritable = (error: unknown) => {
    onWritten()
    throw error
  }
  return {
    /** Tracks the write of one message until it ends. Returns a promise with the same outcome. */
    track(writing: Promise<void>): Promise<void> {
      unwritten++
      return writing.then(onWritten, onUnwritable)
    },
    async flushed(patienceMs: number, hurry?: AbortSignal): Promise<void> {
      while (unwritten > 0) {
        const written = new Promise<void>((resolve) => {
          waiting.push(resolve)
        })
        if (!(await settles(written, patienceMs, hurry))) return
      }
    },
  }
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' || typeof id === 'number'
}
