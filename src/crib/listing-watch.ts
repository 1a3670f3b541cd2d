// Tells callers when what they are shown has really changed: a changed catalog behind an unchanged listing is no news.

import type { Caller } from '../core/call.ts'
import { createListeners, type Listeners } from '../core/listeners.ts'

export interface ListingWatch {
  /** Told where the listing of this caller has changed. */
  onChange(caller: Caller, listener: () => void): () => void
  /** Compares again; to be called whenever the catalog changed. */
  check(): void
  /** The caller has heard of its new listing from its own call: later ones are compared with that. */
  renew(caller: Caller): void
}

export interface Listings {
  /** Callers of one audience are shown the same. */
  audienceOf(caller: Caller): string
  /** The listing as text; it is asked for only while someone listens. */
  describe(caller: Caller): Promise<string>
}

interface Audience {
  readonly caller: Caller
  readonly listeners: Listeners
  // One after the other, so that two changes in a row are compared in their order.
  known: Promise<string | undefined>
}

export function createListingWatch({ audienceOf, describe }: Listings): ListingWatch {
  const audiences = new Map<string, Audience>()
  const look = (caller: Caller) => describe(caller).catch(() => undefined)
  const begin = (caller: Caller): Audience => ({ caller, listeners: createListeners(), known: look(caller) })
  return {
    onChange(caller, listener) {
      const key = audienceOf(caller)
      const audience = audiences.get(key) ?? begin(caller)
      audiences.set(key, audience)
      const stop = audience.listeners.add(listener)
      return () => {
        stop()
        if (audience.listeners.size === 0 && audiences.get(key) === audience) audiences.delete(key)
      }
    },
    check() {
      for (const audience of audiences.values()) {
        audience.known = audience.known.then(async (before) => {
          const after = await look(audience.caller)
          if (after !== undefined && after !== before) audience.listeners.tell()
          return after ?? before
        })
      }
    },
    renew(caller) {
      const audience = audiences.get(audienceOf(caller))
      if (audience === undefined) return
      audience.known = audience.known.then(async (before) => (await look(audience.caller)) ?? before)
    },
  }
}
