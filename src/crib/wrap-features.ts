// Passes on everything except tools between one wrapped server and its clients: prompts, resources, completions, logs, roots.

import { setMaxListeners } from 'node:events'
import type { LogLevel } from '../core/call.ts'
import { defined } from '../core/defined.ts'
import { isRecord } from '../core/is-record.ts'
import { createListeners } from '../core/listeners.ts'
import { atMost, unlessAborted, withResolvers } from '../core/waiting.ts'
import type { Manifest } from '../sources/upstream/manifest.ts'
import type { ServerNotification } from '../sources/upstream/server-messages.ts'
import type { UpstreamSource } from '../sources/upstream/upstream-source.ts'
import { answerOf } from './feature-answers.ts'
import {
  type FeatureAnswer,
  type Features,
  type Fields,
  LOG_LEVELS,
  type Logs,
  type Offer,
  type Roots,
  type Updates,
} from './features.ts'
import { createPassthrough } from './passthrough.ts'

export interface WrapFeatures extends Features {
  /** Sends the subscriptions and the log level again. Call it when the server has been started again. */
  restore(): void
  [Symbol.asyncDispose](): Promise<void>
}

interface WrapFeaturesOptions {
  readonly source: UpstreamSource
  readonly manifest: Manifest
  readonly roots: Roots
  onProblem(reason: string): void
}

const OFFERS: readonly Offer[] = ['tools', 'prompts', 'resources', 'completions', 'logging']

/** The level for clients that did not set one. */
const DEFAULT_LEVEL: LogLevel = 'info'

export function createWrapFeatures({ source, manifest, roots, onProblem }: WrapFeaturesOptions): WrapFeatures {
  const closing = new AbortController()
  // Every subscription, and every request to set the log level, adds a listener to this signal.
  setMaxListeners(0, closing.signal)
  const { resources, logging } = manifest.capabilities
  const passthrough = createPassthrough({
    sources: () => [source],
    onProblem: (_server, reason) => onProblem(reason),
  })
  const canSubscribe = isRecord(resources) && resources.subscribe === true
  const updates = canSubscribe ? createUpdates(source, closing.signal) : undefined
  const logs = logging === undefined ? undefined : createLogs(source, manifest.era, closing.signal)
  const stop = source.onNotification((notification) => {
    updates?.receive(notification)
    logs?.receive(notification)
  })
  return {
    ...passthrough,
    offers: offersOf(manifest),
    roots,
    ...defined({ updates, logs }),
    restore() {
      updates?.restore()
      logs?.restore()
    },
    async [Symbol.asyncDispose]() {
      stop()
      closing.abort()
      await passthrough[Symbol.asyncDispose]()
    },
  }
}

/**
 * The capabilities that the server declares. A client must not see more, because the server would refuse the requests.
 */
function offersOf({ capabilities }: Manifest): ReadonlySet<Offer> {
  return new Set(OFFERS.filter((offer) => capabilities[offer] !== undefined))
}

interface NotificationReceiver {
  receive(notification: ServerNotification): void
  restore(): void
}

interface Watched {
  /** The number of clients that are subscribed. */
  count: number
  readonly answer: Promise<FeatureAnswer>
}

function createUpdates(source: UpstreamSource, signal: AbortSignal): Updates & NotificationReceiver {
  const listeners = createListeners<[uri: string]>()
  const watched = new Map<string, Watched>()
  const ask = (uri: string): Promise<FeatureAnswer> =>
    source
      .watch(uri, signal)
      .then((outcome) => answerOf(source, outcome))
      .catch((error): FeatureAnswer => answerOf(source, { kind: 'refused', reason: String(error) }))
  /** Removes the entry if the server refuses it. Keeps a newer entry that has replaced it meanwhile. */
  const removeIfRefused = async (uri: string, entry: Watched, answer: Promise<FeatureAnswer>) => {
    if (!(await answer).ok && watched.get(uri) === entry) watched.delete(uri)
  }
  return {
    watch(uri) {
      const known = watched.get(uri)
      if (known !== undefined) {
        known.count++
        return known.answer
      }
      const added = { count: 1, answer: ask(uri) }
      watched.set(uri, added)
      void removeIfRefused(uri, added, added.answer)
      return added.answer
    },
    async unwatch(uri) {
      const known = watched.get(uri)
      if (known === undefined || --known.count > 0) return
      watched.delete(uri)
      // Errors are ignored: no client is subscribed any more, so later updates are dropped.
      await source.unwatch(uri, signal).catch(() => {})
    },
    onUpdate: (listener) => listeners.add(listener),
    receive(notification) {
      if (notification.kind === 'updated') listeners.tell(notification.uri)
    },
    restore() {
      for (const [uri, entry] of watched) void removeIfRefused(uri, entry, ask(uri))
    },
  }
}

function createLogs(source: UpstreamSource, era: Manifest['era'], signal: AbortSignal): Logs & NotificationReceiver {
  const listeners = createListeners<Parameters<Parameters<Logs['onMessage']>[0]>>()
  /** The levels that clients asked for. */
  const wanted = new Map<object, LogLevel>()
  let sentLevel: LogLevel | undefined
  const sendLevel = () => {
    // A modern server gets the level with each call.
    if (era === 'modern' || (wanted.size === 0 && sentLevel === undefined)) return
    // The server gets the least severe level that any client asked for, or the default level if that is less severe,
    // because some clients set none. If a client asked for fewer messages, the front door drops the others.
    const levels = new Set([...wanted.values(), DEFAULT_LEVEL])
    const level = LOG_LEVELS.find((one) => levels.has(one)) ?? DEFAULT_LEVEL
    if (level === sentLevel) return
    sentLevel = level
    source.request('logging/setLevel', { level }, signal).catch(() => {
      sentLevel = undefined
    })
  }
  return {
    setLevel(client, level) {
      if (level === undefined) wanted.delete(client)
      else wanted.set(client, level)
      sendLevel()
    },
    onMessage: (listener) => listeners.add(listener),
    receive(notification) {
      if (notification.kind !== 'log' || listeners.size !== 1) return
      const { level, data, logger } = notification
      // The SDK has checked that this is a level of the protocol.
      listeners.tell({ level: level as LogLevel, data, ...(logger === undefined ? {} : { logger }) })
    },
    restore() {
      sentLevel = undefined
      sendLevel()
    },
  }
}

interface WrapRoots extends Roots {
  /** True if a client is connected that can be asked at any time. */
  readonly canBeAsked: boolean
  /**
   * True if the server got an empty list because no client could be asked. When a client with roots connects or calls,
   * the server is notified, so that it asks again.
   */
  gotEmptyList: boolean
  /** The roots of the connected client. Waits briefly for a client to connect; without one, the list is empty. */
  answer(signal: AbortSignal): Promise<Fields>
}

interface WrapRootsOptions {
  /** How long a server waits for a client (default 5,000). */
  readonly waitMs?: number
  /** Called when the server should ask again. */
  onChange(): void
}

type Ask = (signal: AbortSignal) => Promise<Fields>

const NONE: Fields = { roots: [] }

/** The roots of the one client of a wrapped server. The server may ask for them before the client is connected. */
export function createWrapRoots({ waitMs = 5_000, onChange }: WrapRootsOptions): WrapRoots {
  /** Undefined until a client connects, and after it has disconnected. */
  let client: { readonly ask?: Ask } | undefined
  let arrival = withResolvers()

  const roots: WrapRoots = {
    gotEmptyList: false,
    get canBeAsked() {
      return client?.ask !== undefined
    },
    async answer(signal) {
      if (client === undefined) {
        await atMost(waitMs, unlessAborted(arrival.promise, signal))
        signal.throwIfAborted()
      }
      if (client?.ask === undefined) roots.gotEmptyList = true
      // A refusal counts as an empty list, so that the server does not fail.
      return (await client?.ask?.(signal).catch(() => NONE)) ?? NONE
    },
    attach(ask) {
      const attached = ask === undefined ? {} : { ask }
      client = attached
      arrival.resolve()
      if (roots.gotEmptyList && ask !== undefined) {
        roots.gotEmptyList = false
        onChange()
      }
      return () => {
        if (client !== attached) return
        client = undefined
        arrival = withResolvers()
      }
    },
    changed: onChange,
  }
  return roots
}
