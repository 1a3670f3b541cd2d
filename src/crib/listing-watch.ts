// Notifies callers when their listing has really changed. A changed catalog with an unchanged listing is not reported.

import type { Caller } from '../core/call.ts'
import { createListeners, type Listeners } from '../core/listeners.ts'
import type { Store } from '../storage/store.ts'
import { createKeyMatcher } from './caller-state.ts'

export interface ListingWatch {
  /** Calls the listener when the listing of this caller changes. */
  onChange(caller: Caller, listener: () => void): () => void
  /**
   * Compares the listings again: those of all callers, or of the callers that `isConcerned` accepts. Call this whenever
   * the catalog or the state of a caller changes.
   */
  check(isConcerned?: (caller: Caller) => boolean): void
  /** Remembers the new listing without calling listeners. For a change by the caller's own call, which reports it. */
  renew(caller: Caller): void
}

interface Listings {
  /** Callers with the same key share a listing. */
  audienceOf(caller: Caller): string
  /** The listing as text. Called only while there are listeners. */
  listingOf(caller: Caller): Promise<string>
}

interface Audience {
  readonly caller: Caller
  readonly listeners: Listeners
  /** The last listing. Each check waits for the check before it, so that two changes in a row are compared in order. */
  known: Promise<string | undefined>
}

export function createListingWatch({ audienceOf, listingOf }: Listings): ListingWatch {
  const audiences = new Map<string, Audience>()
  const readListing = (caller: Caller) => listingOf(caller).catch(() => undefined)
  return {
    onChange(caller, listener) {
      const key = audienceOf(caller)
      const audience = audiences.get(key) ?? { caller, listeners: createListeners(), known: readListing(caller) }
      audiences.set(key, audience)
      const stop = audience.listeners.add(listener)
      return () => {
        stop()
        if (audience.listeners.size === 0 && audiences.get(key) === audience) audiences.delete(key)
      }
    },
    check(isConcerned = () => true) {
      for (const audience of audiences.values()) {
        if (!isConcerned(audience.caller)) continue
        audience.known = audience.known.then(async (before) => {
          const after = await readListing(audience.caller)
          if (after !== undefined && after !== before) audience.listeners.tell()
          return after ?? before
        })
      }
    },
    renew(caller) {
      const audience = audiences.get(audienceOf(caller))
      if (audience === undefined) return
      audience.known = audience.known.then(async (before) => (await readListing(audience.caller)) ?? before)
    },
  }
}

const PREFIXES = ['state/', 'context/'] as const

/**
 * Checks the listing of a caller again when another gateway changes the caller's state in the shared store: its enabled
 * tools or its context. A change by this process is also checked, but its listing is already known. Returns a function
 * to stop.
 */
export function followCallers(store: Store, scope: string | undefined, watch: Pick<ListingWatch, 'check'>): () => void {
  if (store.isShared !== true) return () => {}
  const isKeyOf = createKeyMatcher(scope)
  const stops = PREFIXES.map((prefix) =>
    // A key equal to the prefix means that changes may have been missed, so all callers are checked.
    store.watch?.(prefix, (key) => watch.check((caller) => key === prefix || isKeyOf(key, caller))),
  )
  return () => {
    for (const stop of stops) stop?.()
  }
}
