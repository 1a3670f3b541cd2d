// The records of the sessions that this gateway has, as other gateways see them.

import type { LogLevel } from '../core/call.ts'
import { isRecord } from '../core/is-record.ts'
import type { ClientInterest } from './client-interest.ts'
import type { SharedSession, SharedSessions } from './shared-sessions.ts'

interface SessionRecords {
  /** The id of the session with this name. Other gateways use the name. */
  idOf(name: string): string | undefined
  /** Keeps the record of a session that another gateway has saved. */
  keep(id: string, record: SharedSession): void
  /** Keeps the record, and saves it for the other gateways. */
  save(id: string, record: SharedSession): Promise<void>
  /** Changes the kept record without saving it, and returns it. Undefined if there is none. */
  change(id: string, change: (record: SharedSession) => SharedSession): SharedSession | undefined
  /** Saves the record again if a quarter of its lifetime has passed, so that it does not expire. */
  renew(id: string): void
  /** Saves all records again, except those of sessions that have ended here. */
  saveAgain(isOpen: (id: string) => boolean): void
  forget(id: string): void
}

export function createSessionRecords(shared: SharedSessions, idleMs: number): SessionRecords {
  const records = new Map<string, { record: SharedSession; savedAt: number }>()
  const ids = new Map<string, string>()
  const keep = (id: string, record: SharedSession) => {
    records.set(id, { record, savedAt: Date.now() })
    ids.set(shared.nameOf(id), id)
  }
  const save = async (id: string, record: SharedSession) => {
    keep(id, record)
    await shared.save(id, record)
  }
  const forget = (id: string) => {
    records.delete(id)
    ids.delete(shared.nameOf(id))
  }
  return {
    idOf: (name) => ids.get(name),
    keep,
    save,
    change(id, change) {
      const known = records.get(id)
      if (known === undefined) return undefined
      known.record = change(known.record)
      return known.record
    },
    renew(id) {
      const known = records.get(id)
      if (known !== undefined && Date.now() - known.savedAt > idleMs / 4) void save(id, known.record)
    },
    saveAgain(isOpen) {
      for (const [id, { record }] of records) {
        if (isOpen(id)) void save(id, record)
        else forget(id)
      }
    },
    forget,
  }
}

/** A request that changes which notifications a client gets: a log level or a subscription. */
export interface InterestRequest {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

const SUBSCRIBE = 'resources/subscribe'
const SET_LEVEL = 'logging/setLevel'
const INTEREST_METHODS = [SET_LEVEL, SUBSCRIBE, 'resources/unsubscribe']

export function isInterest(message: unknown): message is InterestRequest {
  if (!isRecord(message) || typeof message.method !== 'string' || !isRecord(message.params)) return false
  return INTEREST_METHODS.includes(message.method)
}

/** The record of the session after this request. */
export function withInterest(record: SharedSession, { method, params }: InterestRequest): SharedSession {
  if (method === SET_LEVEL) return { ...record, level: String(params.level) }
  const uri = String(params.uri)
  const others = record.watched.filter((one) => one !== uri)
  return { ...record, watched: method === SUBSCRIBE ? [...others, uri] : others }
}

/** Applies a request that another gateway has answered to the session of this gateway. */
export function applyInterest(interest: ClientInterest, { method, params }: InterestRequest): void {
  const uri = String(params.uri)
  if (method === SET_LEVEL)
    interest.setLevel(String(params.level) as LogLevel) // the other gateway has checked it
  else void (method === SUBSCRIBE ? interest.watch(uri) : interest.unwatch(uri)).catch(() => {})
}
