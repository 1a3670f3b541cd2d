// The resource subscriptions of modern HTTP clients. A subscription lasts as long as its event stream.

import type { ServerResponse } from 'node:http'
import type { Features } from '../crib/features.ts'
import { createClientInterest, MAX_WATCHED } from './client-interest.ts'

interface Watches {
  /** True if this principal stays within its limit when it also subscribes to these resources. */
  admits(principal: string, uris: readonly string[]): boolean
  /** Keeps the subscriptions until the response is closed. Closes a response that exceeds the limit. */
  keep(principal: string, uris: readonly string[], outgoing: ServerResponse): void
}

export function createWatches(features: Features | undefined, onError: (error: Error) => void): Watches {
  const counts = new Map<string, number>()
  const addToCount = (principal: string, change: number) => {
    const next = (counts.get(principal) ?? 0) + change
    if (next === 0) counts.delete(principal)
    else counts.set(principal, next)
  }
  const admits = (principal: string, uris: readonly string[]) =>
    (counts.get(principal) ?? 0) + uris.length <= MAX_WATCHED
  return {
    admits,
    keep(principal, uris, outgoing) {
      if (uris.length === 0 || outgoing.destroyed) return
      // Checked again: several requests at the same time may all have been admitted.
      if (!admits(principal, uris)) return void outgoing.destroy()
      const interest = createClientInterest(features)
      addToCount(principal, uris.length)
      for (const uri of uris) void interest.watch(uri).catch(onError)
      outgoing.once('close', () => {
        interest.end()
        addToCount(principal, -uris.length)
      })
    },
  }
}
