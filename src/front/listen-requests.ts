// Reads the resource subscriptions of a modern client from the `subscriptions/listen` requests that the SDK answers.

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { isRecord } from '../core/is-record.ts'
import { wrapTransport } from '../core/wrap-transport.ts'
import type { ClientInterest } from './client-interest.ts'

const LISTEN = 'subscriptions/listen'
const CANCELLED = 'notifications/cancelled'

/** The resource URIs that a message subscribes to. Empty for other messages. */
export function watchedIn(message: unknown): readonly string[] {
  if (!isRecord(message) || message.method !== LISTEN || !isRecord(message.params)) return []
  const { notifications } = message.params
  const uris = isRecord(notifications) ? notifications.resourceSubscriptions : undefined
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : []
}

/** Wraps a transport so that the subscriptions of its client are tracked. */
export function trackSubscriptions(inner: Transport, interest: () => ClientInterest): Transport {
  /** The URIs by the id of the request that subscribed to them. */
  const open = new Map<unknown, readonly string[]>()
  const track = (message: JSONRPCMessage) => {
    const uris = watchedIn(message)
    if (uris.length > 0 && 'id' in message) open.set(message.id, uris)
    for (const uri of uris) void interest().watch(uri)
    if (!('method' in message) || message.method !== CANCELLED) return
    const ended = open.get(message.params?.requestId) ?? []
    open.delete(message.params?.requestId)
    const wanted = new Set([...open.values()].flat())
    for (const uri of ended) if (!wanted.has(uri)) void interest().unwatch(uri)
  }
  return wrapTransport(inner, {
    receive(message) {
      track(message)
      return true
    },
  })
}
