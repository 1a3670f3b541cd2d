// The open HTTP responses of each principal.

import type { ServerResponse } from 'node:http'

interface Presence {
  add(principal: string, outgoing: ServerResponse): void
  /** Closes the connections of a principal. */
  dismiss(principal: string): void
}

export function createPresence(): Presence {
  const open = new Map<string, Set<ServerResponse>>()
  return {
    add(principal: string, outgoing: ServerResponse): void {
      const all = open.get(principal) ?? new Set()
      open.set(principal, all.add(outgoing))
      outgoing.once('close', () => {
        all.delete(outgoing)
        if (all.size === 0 && open.get(principal) === all) open.delete(principal)
      })
    },
    dismiss(principal: string): void {
      for (const outgoing of [...(open.get(principal) ?? [])]) outgoing.destroy()
    },
  }
}
