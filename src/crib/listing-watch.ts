// Tells when what clients are shown has really changed: a changed catalog behind an unchanged listing is no news.

import { createListeners } from '../core/listeners.ts'

export interface ListingWatch {
  onChange(listener: () => void): () => void
  /** Compares again; to be called whenever the catalog changed. */
  check(): void
}

/** `describe` gives the listing as text; it is asked only while someone listens. */
export function createListingWatch(describe: () => Promise<string>): ListingWatch {
  const listeners = createListeners()
  // One after the other, so that two changes in a row are compared in their order.
  let known: Promise<string | undefined> = Promise.resolve(undefined)
  const look = () => describe().catch(() => undefined)
  return {
    onChange(listener) {
      if (listeners.size === 0) known = look()
      return listeners.add(listener)
    },
    check() {
      if (listeners.size === 0) return
      known = known.then(async (before) => {
        const after = await look()
        if (after !== undefined && after !== before) listeners.tell()
        return after ?? before
      })
    },
  }
}
