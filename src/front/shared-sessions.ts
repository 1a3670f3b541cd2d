// Sessions that several gateways share: any of them can continue a session, and passes messages on to the others.

import { randomInt, randomUUID } from 'node:crypto'
import { sessionName } from '../core/hash.ts'
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
}

interface SessionEvents {
  /** True if this gateway has the session. */
  isOpen(sessionId: string): boolean
  /** Another gateway has received this message: a notification, an answer, or a request for a log level. */
  onMessage(sessionId: string, message: unknown): void
  /** The client has ended the session at another gateway. */
  onEnd(sessionId: string): void
}

/** How long a message to other gateways is kept. They read it as soon as the store notifies them. */
const MESSAGE_TTL_MS = 30_000
/** How many request ids one gateway has. The largest possible id is below 2 ** 53, so it is exact in JSON. */
const ID_SPAN = 2 ** 20
const MAX_SPANS = 2 ** 32

export function shareSessions(store: Store, ttlMs: number, events: SessionEvents) {
  /** Distinguishes this gateway from the others, for example in the ids of events. */
  const replica = randomUUID().slice(0, 8)
  /** The first id of requests to clients. Each gateway has ids of its own, because answers arrive at any gateway. */
  const firstRequestId = randomInt(1, MAX_SPANS) * ID_SPAN
  /** The keys of the messages that this gateway has sent. */
  const sent = new Set<string>()
  /** The records of the sessions that this gateway has. */
  const records = new Map<string, { record: SharedSession; savedAt: number }>()
  /** The ids of these sessions by the name of each session in the store. */
  const ids = new Map<string, string>()

  /** Keeps a record that another gateway has saved. */
  const keep = (sessionId: string, record: SharedSession) => {
    records.set(sessionId, { record, savedAt: Date.now() })
    ids.set(sessionName(sessionId), sessionId)
  }
  /** Keeps the record, and saves it for the other gateways. */
  const save = async (sessionId: string, record: SharedSession) => {
    keep(sessionId, record)
    await store.set(`session/${sessionName(sessionId)}`, record, { ttlMs })
  }
  /** Drops the kept record. The saved one stays for the other gateways. */
  const forget = (sessionId: string) => {
    records.delete(sessionId)
    ids.delete(sessionName(sessionId))
  }
  // A store reports its own failures. Without a handler, a rejection would end the process.
  const inBackground = (work: Promise<void>) => void work.catch(() => {})
  const saveAgain = async (sessionId: string, record: SharedSession) => {
    const hasEnded = (await store.get(`ended/${sessionName(sessionId)}`)) !== undefined
    if (hasEnded) events.onEnd(sessionId)
    else await save(sessionId, record)
  }
  const saveAll = () => {
    for (const [sessionId, { record }] of records) {
      if (events.isOpen(sessionId)) inBackground(saveAgain(sessionId, record))
      else forget(sessionId)
    }
  }
  const read = async (key: string) => {
    // The store also reports the messages that this gateway has sent.
    if (sent.delete(key)) return
    const kept = await store.get(key)
    const sessionId = ids.get(key.split('/')[1] ?? '')
    if (sessionId !== undefined && isRecord(kept)) events.onMessage(sessionId, kept.message)
  }
  const stops = [
    // A key equal to the prefix means that changes may have been missed.
    store.watch?.('relay/', (key) => {
      if (key !== 'relay/') inBackground(read(key))
    }),
    store.watch?.('ended/', (key) => {
      // The store may have lost the records, and this gateway may have missed the end of a session.
      if (key === 'ended/') return saveAll()
      const sessionId = ids.get(key.slice('ended/'.length))
      if (sessionId !== undefined) events.onEnd(sessionId)
    }),
  ]
  return {
    replica,
    firstRequestId,
    /** True if this gateway has sent the request that has this id. */
    isOwnRequest: (id: unknown) => typeof id === 'number' && id >= firstRequestId && id < firstRequestId + ID_SPAN,
    /** The record that a gateway has saved. Undefined if the session is unknown, or has another principal or rights. */
    async find(sessionId: string, principal: string, rights: string): Promise<SharedSession | undefined> {
      const record = await store.get(`session/${sessionName(sessionId)}`)
      const isOwn = isSessionRecord(record) && record.principal === principal && record.rights === rights
      return isOwn ? record : undefined
    },
    keep,
    save,
    /** Changes the kept record without saving it, and returns it. Undefined if there is none. */
    change(sessionId: string, change: (record: SharedSession) => SharedSession): SharedSession | undefined {
      const known = records.get(sessionId)
      if (known === undefined) return undefined
      known.record = change(known.record)
      return known.record
    },
    /** Saves the kept record again if a quarter of its lifetime has passed, so that it does not expire. */
    renew(sessionId: string): void {
      const known = records.get(sessionId)
      if (known !== undefined && Date.now() - known.savedAt > ttlMs / 4) inBackground(save(sessionId, known.record))
    },
    forget,
    /** Deletes the record, and tells the other gateways that the session has ended, also those that read it later. */
    async end(sessionId: string): Promise<void> {
      const name = sessionName(sessionId)
      forget(sessionId)
      await store.delete(`session/${name}`)
      await store.set(`ended/${name}`, true, { ttlMs })
    },
    /** Passes a message of the client on to the gateways that have the session. */
    async passOn(sessionId: string, message: unknown): Promise<void> {
      const key = `relay/${sessionName(sessionId)}/${randomUUID()}`
      sent.add(key)
      setTimeout(() => sent.delete(key), MESSAGE_TTL_MS).unref()
      await store.set(key, { message }, { ttlMs: MESSAGE_TTL_MS })
    },
    close(): void {
      for (const stop of stops) stop?.()
    },
  }
}

function isSessionRecord(value: unknown): value is SharedSession {
  if (!isRecord(value) || typeof value.principal !== 'string' || typeof value.rights !== 'string') return false
  const { initialize, level } = value
  return isRecord(initialize) && (level === undefined || typeof level === 'string')
}
