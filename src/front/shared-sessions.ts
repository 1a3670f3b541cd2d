// Sessions that several gateways share: any of them can continue a session, and passes messages on to the others.

import { createHash, randomInt, randomUUID } from 'node:crypto'
import { isRecord } from '../core/is-record.ts'
import type { Store } from '../storage/store.ts'

/** All that another gateway needs to continue a session. */
export interface SharedSession {
  readonly principal: string
  /** The rights that the session was opened with, as text. A principal can have several tokens. */
  readonly rights: string
  /** The parameters of the client's `initialize` request. */
  readonly initialize: Readonly<Record<string, unknown>>
  /** The log level that the client has set last. */
  readonly level?: string
  /** The resources that the client subscribes to. */
  readonly watched: readonly string[]
}

interface SessionEvents {
  /** Another gateway has received this message: not a request, or a request for a log level or a subscription. */
  onMessage(session: string, message: unknown): void
  /** The client has ended the session at another gateway. */
  onEnd(session: string): void
  /** Redis may have lost the records: save those of this gateway again. */
  onGap(): void
}

export interface SharedSessions {
  /** Distinguishes this gateway from the others, for example in the ids of events. */
  readonly replica: string
  /** The first id of requests to clients. Each gateway has ids of its own, because answers arrive at any gateway. */
  readonly firstRequestId: number
  /** True if this gateway has sent the request that has this id. */
  isOwnRequest(id: unknown): boolean
  /** The name of a session for `SessionEvents`. It is a hash: the id itself gives access to the session. */
  nameOf(sessionId: string): string
  save(sessionId: string, record: SharedSession): Promise<void>
  find(sessionId: string, principal: string, rights: string): Promise<SharedSession | undefined>
  end(sessionId: string): Promise<void>
  /** Passes a message of the client on to the gateways that have the session. */
  passOn(sessionId: string, message: unknown): Promise<void>
  close(): void
}

/** How long a message to other gateways is kept. They read it as soon as the store notifies them. */
const MESSAGE_TTL_MS = 30_000
/** How many request ids one gateway has. The largest possible id is below 2 ** 53, so it is exact in JSON. */
const ID_SPAN = 2 ** 20
const MAX_SPANS = 2 ** 32

export function shareSessions(store: Store, ttlMs: number, events: SessionEvents): SharedSessions {
  const replica = randomUUID().slice(0, 8)
  const firstRequestId = randomInt(1, MAX_SPANS) * ID_SPAN
  /** The keys of the messages that this gateway has sent. */
  const sent = new Set<string>()
  const nameOf = (sessionId: string) => createHash('sha256').update(sessionId).digest('hex').slice(0, 32)
  const read = async (key: string) => {
    // The store also reports the messages that this gateway has sent.
    if (sent.delete(key)) return
    const [, session = ''] = key.split('/')
    const kept = await store.get(key)
    if (isRecord(kept)) events.onMessage(session, kept.message)
  }
  const stops = [
    // A key equal to the prefix means that changes may have been missed.
    store.watch?.('relay/', (key) => {
      if (key !== 'relay/') void read(key)
    }),
    store.watch?.('ended/', (key) => {
      if (key === 'ended/') events.onGap()
      else events.onEnd(key.slice('ended/'.length))
    }),
  ]
  return {
    replica,
    firstRequestId,
    isOwnRequest: (id) => typeof id === 'number' && id >= firstRequestId && id < firstRequestId + ID_SPAN,
    nameOf,
    save: (sessionId, record) => store.set(`session/${nameOf(sessionId)}`, record, { ttlMs }),
    async find(sessionId, principal, rights) {
      const record = await store.get(`session/${nameOf(sessionId)}`)
      // A session of another principal is treated as unknown.
      const isOwn = isSessionRecord(record) && record.principal === principal && record.rights === rights
      return isOwn ? record : undefined
    },
    async end(sessionId) {
      const name = nameOf(sessionId)
      await store.delete(`session/${name}`)
      await store.set(`ended/${name}`, true, { ttlMs: MESSAGE_TTL_MS })
    },
    async passOn(sessionId, message) {
      const key = `relay/${nameOf(sessionId)}/${randomUUID()}`
      sent.add(key)
      await store.set(key, { message }, { ttlMs: MESSAGE_TTL_MS })
      setTimeout(() => sent.delete(key), MESSAGE_TTL_MS).unref()
    },
    close() {
      for (const stop of stops) stop?.()
    },
  }
}

function isSessionRecord(value: unknown): value is SharedSession {
  if (
    !isRecord(value) ||
    typeof value.principal !== 'string' ||
    typeof value.rights !== 'string' ||
    !isRecord(value.initialize)
  )
    return false
  const { level, watched } = value
  return (level === undefined || typeof level === 'string') && Array.isArray(watched)
}
