// The notifications that clients want: the resources that they subscribe to, and the log level that they have set.

import type { ServerResponse } from 'node:http'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import type { LogLevel } from '../core/call.ts'
import { isRecord } from '../core/is-record.ts'
import { wrapTransport } from '../core/wrap-transport.ts'
import { type Features, LOG_LEVELS } from '../crib/features.ts'

/** More resources than a client needs. Each one is a subscription at the upstream server. */
export const MAX_WATCHED = 1_000
export const TOO_MANY_WATCHED = `At most ${MAX_WATCHED} resources can be subscribed to at the same time; end other subscriptions first.`

/** The interest of one connection, of one legacy session, or of one event stream of a modern HTTP client. */
export interface ClientInterest {
  /** Undefined until the client sets a level. Until then all messages are sent. */
  readonly level: LogLevel | undefined
  setLevel(level: LogLevel): Promise<void>
  /** True if messages of this level are sent to the client. */
  admits(level: LogLevel): boolean
  /** True if the client subscribes to this resource. */
  watches(uri: string): boolean
  /** Subscribes to a resource. Resolves with the reason if it is refused, such as more than MAX_WATCHED resources. */
  watch(uri: string): Promise<{ readonly rpcCode: number; readonly message: string } | undefined>
  unwatch(uri: string): Promise<void>
  /** Call it when the client is gone. Ends all of its subscriptions. */
  end(): void
}

export function createClientInterest({ updates, logs }: Pick<Features, 'updates' | 'logs'> = {}): ClientInterest {
  /** Identifies this client for `logs`. */
  const client = {}
  const watched = new Set<string>()
  let level: LogLevel | undefined
  let isOver = false
  return {
    get level() {
      return level
    },
    async setLevel(wanted) {
      level = wanted
      logs?.setLevel(client, wanted)
    },
    admits: (given) => level === undefined || LOG_LEVELS.indexOf(given) >= LOG_LEVELS.indexOf(level),
    watches: (uri) => watched.has(uri),
    async watch(uri) {
      if (watched.has(uri) || updates === undefined) return undefined
      if (watched.size >= MAX_WATCHED) return { rpcCode: -32_602, message: TOO_MANY_WATCHED }
      watched.add(uri)
      const answer = await updates.watch(uri)
      // If the client left meanwhile, `end` has already unsubscribed.
      if (isOver) return undefined
      if (!answer.ok) watched.delete(uri)
      return answer.ok ? undefined : answer
    },
    async unwatch(uri) {
      if (watched.delete(uri)) await updates?.unwatch(uri)
    },
    end() {
      if (isOver) return
      isOver = true
      logs?.setLevel(client, undefined)
      for (const uri of watched) void updates?.unwatch(uri)
      watched.clear()
    },
  }
}

const LISTEN = 'subscriptions/listen'
const CANCELLED = 'notifications/cancelled'

/** True for the request with which a modern client subscribes to notifications. The SDK answers it. */
export function isListenRequest(message: unknown): message is Readonly<Record<string, unknown>> {
  return isRecord(message) && message.method === LISTEN
}

/** The resource URIs that a message subscribes to. Empty for other messages. */
export function watchedIn(message: unknown): readonly string[] {
  if (!isListenRequest(message) || !isRecord(message.params)) return []
  const { notifications } = message.params
  const uris = isRecord(notifications) ? notifications.resourceSubscriptions : undefined
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : []
}

/** Wraps a transport so that the resource subscriptions of its modern client are added to its interest. */
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

/** The resource subscriptions of modern HTTP clients. A subscription lasts as long as its event stream. */
export function createWatches(features: Features | undefined, onError: (error: Error) => void) {
  const counts = new Map<string, number>()
  const addToCount = (principal: string, change: number) => {
    const next = (counts.get(principal) ?? 0) + change
    if (next === 0) counts.delete(principal)
    else counts.set(principal, next)
  }
  /** True if this principal stays within its limit when it also subscribes to these resources. */
  const admits = (principal: string, uris: readonly string[]) =>
    (counts.get(principal) ?? 0) + uris.length <= MAX_WATCHED
  return {
    admits,
    /** Keeps the subscriptions until the response is closed. Closes a response that exceeds the limit. */
    keep(principal: string, uris: readonly string[], outgoing: ServerResponse): void {
      if (uris.length === 0 || outgoing.destroyed) return
      // Checked again: several requests at the same time may all have been admitted.
      if (!admits(principal, uris)) return void outgoing.destroy()
      const interest = createClientInterest(features)
      addToCount(principal, uris.length)
      for (const uri of uris) void interest.watch(uri).catch(onError)
      outgoing.once('close', () => {
        interest.end()
        addToCount(principal, -uris.length)
      })
    },
  }
}
