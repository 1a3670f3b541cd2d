// The response streams of a legacy session: their recent events, from which a client resumes a stream, and their end.

import type { EventStore, JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { errors } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'

interface EventStoreOptions {
  readonly maxEvents?: number
  /** The first characters of every event id, if several gateways share a session. */
  readonly prefix?: string
  /** The limit for all stored messages of the session: the length of their JSON texts. The newest is always kept. */
  readonly maxBytes?: number
}

interface StoredEvent {
  readonly id: string
  readonly streamId: string
  readonly message: JSONRPCMessage
  readonly bytes: number
}

/** Keeps the recent events. Each session has its own store, so the event ids of another session are unknown. */
export function createEventStore({
  maxEvents = 256,
  maxBytes = 4 * 1024 * 1024,
  prefix = '',
}: EventStoreOptions = {}): EventStore {
  const events: StoredEvent[] = []
  let nextId = 1
  let totalBytes = 0
  return {
    async storeEvent(streamId, message) {
      const event = { id: `${prefix}${nextId++}`, streamId, message, bytes: JSON.stringify(message).length }
      events.push(event)
      totalBytes += event.bytes
      while (events.length > maxEvents || (totalBytes > maxBytes && events.length > 1)) {
        totalBytes -= events.shift()?.bytes ?? 0
      }
      return event.id
    },
    async getStreamIdForEventId(eventId) {
      return events.find((event) => event.id === eventId)?.streamId
    },
    async replayEventsAfter(lastEventId, { send }) {
      const position = events.findIndex((event) => event.id === lastEventId)
      const streamId = events[position]?.streamId
      if (streamId === undefined) throw new Error(`The event '${lastEventId}' is unknown or no longer kept.`)
      for (const event of events.slice(position + 1)) {
        // A priming event has an id but no message.
        if (event.streamId === streamId && Object.keys(event.message).length > 0) await send(event.id, event.message)
      }
      return streamId
    },
  }
}

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
 * Calls `done` when the body has been read to its end or its reader is gone. If the reader hangs up, cancels the body
 * at once: the transport would notice it only at its next write, and refuse a new event stream until then.
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
