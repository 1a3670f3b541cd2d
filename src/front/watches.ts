// The resource subscriptions of modern HTTP clients. Each lasts as long as its stream.

import type { ServerResponse } from 'node:http'
import type { Features } from '../crib/features.ts'
import { createClientInterest } from './client-interest.ts'

interface Watches {
  /** True if this principal may subscribe to these resources too, within the limit. */
  admits(principal: string, uris: readonly string[]): boolean
  /** Keeps the subscriptions until the response is closed. Closes a response that exceeds the limit. */
  keep(principal: string, uris: readonly string[], outgoing: ServerResponse): void
}

export const MAX_WATCHED = 1_000

export function createWatches(features: Features | undefined, onError: (error: Error) => void): Watches {
  const counts = new Map<string, number>()
  const count = (principal: string, change: number) => {
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
      count(principal, uris.length)
      for (const uri of uris) void interest.watch(uri).catch(onError)
      outgoing.once('close', () => {
        interest.end()
        count(principal, -uris.length)
      })
    },
  }
}
