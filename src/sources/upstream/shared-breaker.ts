// Tells the other gateways of a shared store which remote servers cannot be reached, so that not all of them try.

import { randomUUID } from 'node:crypto'
import { getOrMake } from '../../core/collections.ts'
import { isRecord } from '../../core/is-record.ts'
import { createListeners, type Listeners } from '../../core/listeners.ts'
import { cutLongText } from '../../core/text.ts'
import type { Store } from '../../storage/store.ts'
import { FailedElsewhere } from './start-failure.ts'

export type SharedBreaker = ReturnType<typeof createSharedBreaker>

interface ReportedFailure {
  readonly reason: string
  readonly waitMs: number
  readonly failures: number
}

/** The longest pause because of another gateway. It is short: perhaps only that gateway cannot reach the server. */
const MAX_PAUSE_MS = 30_000
const MAX_REASON_CHARS = 300
const PREFIX = 'breaker/'

export function createSharedBreaker(store: Store) {
  const gateway = randomUUID().slice(0, 8)
  const listeners = new Map<string, Listeners<[failure: FailedElsewhere | undefined]>>()
  /** The servers with a failure that this gateway has reported or read. */
  const failing = new Set<string>()

  /** The failure that another gateway has reported, if its time is not over. */
  const read = async (server: string): Promise<FailedElsewhere | undefined> => {
    const record = await store.get(`${PREFIX}${server}`).catch(() => undefined)
    if (!isRecord(record) || record.gateway === gateway) return undefined
    const { reason, until, failures } = record
    if (typeof reason !== 'string' || typeof until !== 'number' || typeof failures !== 'number') return undefined
    failing.add(server)
    const waitMs = Math.min(until - Date.now(), MAX_PAUSE_MS)
    return waitMs <= 0 ? undefined : new FailedElsewhere(reason, waitMs, failures)
  }
  const unwatch = store.watch?.(PREFIX, (key) => {
    const server = key.slice(PREFIX.length)
    // If the key is only the prefix, messages may have been missed, so all servers are read again.
    const changed = server === '' ? [...listeners.keys()] : [server]
    for (const one of changed) {
      if (listeners.has(one)) void read(one).then((failure) => listeners.get(one)?.tell(failure))
    }
  })
  return {
    /** Tells the others that a start has failed, and how long they pause: `waitMs`, but at most `MAX_PAUSE_MS`. */
    failed(server: string, { reason, waitMs, failures }: ReportedFailure) {
      failing.add(server)
      const ttlMs = Math.min(waitMs, MAX_PAUSE_MS)
      const record = { gateway, reason: cutLongText(reason, MAX_REASON_CHARS), until: Date.now() + ttlMs, failures }
      void store.set(`${PREFIX}${server}`, record, { ttlMs }).catch(() => {})
    },
    /** Tells the others that the server works again. Sends nothing if no failure is known. */
    works(server: string) {
      if (failing.delete(server)) void store.delete(`${PREFIX}${server}`).catch(() => {})
    },
    read,
    /**
     * Calls the listener when a gateway reports a failure or that the server works again. The argument is the failure
     * of another gateway, or undefined if there is none.
     */
    follow(server: string, listener: (failure: FailedElsewhere | undefined) => void): () => void {
      const all = getOrMake(listeners, server, () => createListeners())
      const remove = all.add(listener)
      return () => {
        remove()
        if (all.size === 0) listeners.delete(server)
      }
    },
    dispose: () => unwatch?.(),
  }
}
