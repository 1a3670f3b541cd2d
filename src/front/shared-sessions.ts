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
/** If the store is out of reach, sessions are saved again after this time. */
const RETRY_MS = 1_000
/** After these retries, a session is saved again when it is used. */
const MAX_RETRIES = 5
const STRICT = { isStrict: true }

export function shareSessions(store: Store, ttlMs: number, events: SessionEvents) {
  /** Distinguishes this gateway from the others, for example in the ids of events. */
  const replica = randomUUID().slice(0, 8)
  /** The first id of requests to clients. Each gateway has ids of its own, because answers arrive at any gateway. */
  const firstRequestId = randomInt(1, MAX_SPANS) * ID_SPAN
  /** The keys of the messages that this gateway has sent. */
  const sent = new Set<string>()
  /** The records of the sessions that this gateway has, and when to save each one again, in milliseconds since 1970. */
  const records = new Map<string, { record: SharedSession; saveAt: number }>()
  /** The ids of these sessions by the name of each session in the store. */
  const ids = new Map<string, string>()

  let retry: NodeJS.Timeout | undefined
  let isClosed = false

  /** Keeps a record that is in the store. */
  const keep = (sessionId: string, record: SharedSession) => {
    records.set(sessionId, { record, saveAt: Date.now() + ttlMs / 4 })
    ids.set(sessionName(sessionId), sessionId)
  }
  /** Drops the kept record. The saved one stays for the other gateways. */
  const forget = (sessionId: string) => {
    records.delete(sessionId)
    ids.delete(sessionName(sessionId))
  }
  const keepAndWrite = async (sessionId: string, record: SharedSession) => {
    keep(sessionId, record)
    await store.set(`session/${sessionName(sessionId)}`, record, { ttlMs })
  }
  /** Reads an entry. Rejects, or returns the last known value, if the store is out of reach. */
  const readStrictly = async (key: string): Promise<unknown> => {
    if (store.update === undefined) return store.get(key, STRICT)
    let value: unknown
    // In Redis, `get` returns the last known value if a command fails, and `update` rejects. Nothing is written.
    await store.update(key, (found) => {
      value = found
      return found
    })
    return value
  }
  /** True if the session has ended at any gateway. Undefined if the store is out of reach. */
  const hasEnded = async (sessionId: string): Promise<boolean | undefined> => {
    try {
      if ((await readStrictly(`ended/${sessionName(sessionId)}`)) !== undefined) return true
      // The last known value may be older than the end of the session.
      return store.isDegraded?.() === true ? undefined : false
    } catch {
      return undefined
    }
  }
  /** Ends a session that has ended at another gateway, and deletes a record that was saved after its end. */
  const drop = async (sessionId: string) => {
    forget(sessionId)
    events.onEnd(sessionId)
    await store.delete(`session/${sessionName(sessionId)}`)
  }
  const saveSoon = (sessionId: string) => {
    const known = records.get(sessionId)
    if (known !== undefined) known.saveAt = Date.now() + RETRY_MS
  }
  /** Keeps the record, and saves it for the other gateways, unless the session has ended at one of them. */
  const save = async (sessionId: string, record: SharedSession) => {
    await keepAndWrite(sessionId, record)
    // Checked after the write: another gateway may have deleted the record just before it.
    const isOver = await hasEnded(sessionId)
    if (isOver === true) await drop(sessionId)
    if (isOver === undefined) saveSoon(sessionId)
  }
  /** Saves the kept record again, or drops a session that has ended. Returns false if the store is out of reach. */
  const saveAgain = async (sessionId: string): Promise<boolean> => {
    // Checked before the write: a store that is out of reach would write the record later, when it is back.
    const isOver = await hasEnded(sessionId)
    // Read after the check: meanwhile the client may have set another log level, or ended the session here.
    const known = records.get(sessionId)
    if (isOver === true) await drop(sessionId)
    if (isOver === false && known !== undefined) await save(sessionId, known.record)
    if (isOver === undefined) saveSoon(sessionId)
    return isOver !== undefined
  }
  // A store reports its own failures. Without a handler, a rejection would end the process.
  const inBackground = (work: Promise<unknown>) => void work.catch(() => {})
  const saveAll = async (sessionIds: readonly string[], retriesLeft: number) => {
    const results = await Promise.all(sessionIds.map((sessionId) => saveAgain(sessionId).catch(() => false)))
    const unsaved = sessionIds.filter((_, at) => results[at] === false)
    if (unsaved.length === 0 || retriesLeft === 0 || isClosed) return
    clearTimeout(retry)
    retry = setTimeout(() => inBackground(saveAll(unsaved, retriesLeft - 1)), RETRY_MS).unref()
  }
  const saveOpenSessions = () => {
    for (const sessionId of [...records.keys()]) if (!events.isOpen(sessionId)) forget(sessionId)
    inBackground(saveAll([...records.keys()], MAX_RETRIES))
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
      if (key === 'ended/') return saveOpenSessions()
      const sessionId = ids.get(key.slice('ended/'.length))
      if (sessionId !== undefined) events.onEnd(sessionId)
    }),
  ]
  return {
    replica,
    firstRequestId,
    /** True if this gateway has sent the request that has this id. */
    isOwnRequest: (id: unknown) => typeof id === 'number' && id >= firstRequestId && id < firstRequestId + ID_SPAN,
    /**
     * The record that a gateway has saved. Undefined if the session is unknown or has ended, or has another principal or
     * rights.
     */
    async find(sessionId: string, principal: string, rights: string): Promise<SharedSession | undefined> {
      const key = `session/${sessionName(sessionId)}`
      const record = await store.get(key)
      const isOwn = isSessionRecord(record) && record.principal === principal && record.rights === rights
      if (!isOwn) return undefined
      const isOver = await hasEnded(sessionId)
      // Another gateway has saved the record after the end of the session, for example after an outage of the store.
      if (isOver === true) inBackground(store.delete(key))
      // If this gateway has the session by now, it asks again when the session is used.
      if (isOver === undefined) saveSoon(sessionId)
      return isOver === true ? undefined : record
    },
    /** Keeps and saves the record of a new session, which cannot have ended: its client does not know its id yet. */
    begin: keepAndWrite,
    keep,
    save,
    /** Changes the kept record without saving it, and returns it. Undefined if there is none. */
    change(sessionId: string, change: (record: SharedSession) => SharedSession): SharedSession | undefined {
      const known = records.get(sessionId)
      if (known === undefined) return undefined
      known.record = change(known.record)
      return known.record
    },
    /**
     * Saves the kept record again if a quarter of its lifetime has passed, so that it does not expire, or if the store
     * was out of reach.
     */
    renew(sessionId: string): void {
      const known = records.get(sessionId)
      if (known === undefined || Date.now() < known.saveAt) return
      // At once, so that the next requests do not save it too.
      saveSoon(sessionId)
      inBackground(saveAgain(sessionId))
    },
    forget,
    /** Deletes the record, and tells the other gateways that the session has ended, also those that read it later. */
    async end(sessionId: string): Promise<void> {
      const name = sessionName(sessionId)
      forget(sessionId)
      // In this order: a gateway that saves the record after its deletion then finds that the session has ended.
      await store.set(`ended/${name}`, true, { ttlMs })
      await store.delete(`session/${name}`)
    },
    /** Passes a message of the client on to the gateways that have the session. */
    async passOn(sessionId: string, message: unknown): Promise<void> {
      const key = `relay/${sessionName(sessionId)}/${randomUUID()}`
      sent.add(key)
      setTimeout(() => sent.delete(key), MESSAGE_TTL_MS).unref()
      await store.set(key, { message }, { ttlMs: MESSAGE_TTL_MS })
    },
    close(): void {
      isClosed = true
      clearTimeout(retry)
      for (const stop of stops) stop?.()
    },
  }
}

function isSessionRecord(value: unknown): value is SharedSession {
  if (!isRecord(value) || typeof value.principal !== 'string' || typeof value.rights !== 'string') return false
  const { initialize, level } = value
  return isRecord(initialize) && (level === undefined || typeof level === 'string')
}
