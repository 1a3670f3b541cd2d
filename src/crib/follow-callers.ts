// Follows the state of callers that another gateway with the same store changes: enabled tools and contexts.

import type { Store } from '../storage/store.ts'
import { isKeyOf } from './caller-state.ts'
import type { ListingWatch } from './listing-watch.ts'

const PREFIXES = ['state/', 'context/'] as const

/** Also checks after changes by this process, which then finds its listing unchanged. Returns a function to stop. */
export function followCallers(store: Store, scope: string | undefined, watch: Pick<ListingWatch, 'check'>): () => void {
  if (store.isShared !== true) return () => {}
  const stops = PREFIXES.map((prefix) =>
    store.watch?.(prefix, (key) => watch.check((caller) => key === prefix || isKeyOf(key, caller, scope))),
  )
  return () => {
    for (const stop of stops) stop?.()
  }
}
