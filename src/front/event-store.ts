// The recent events of a session's streams, so that a client can resume a stream after its connection broke.

import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server'

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

/** One store per session, so the event ids of another session are unknown. */
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
