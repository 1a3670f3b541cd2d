// Tracks the open HTTP responses of each principal, and closes them when its token expires or is revoked.

import type { ServerResponse } from 'node:http'
import type { Identity } from './auth.ts'

/** The longest delay of a timer, almost 25 days. A response is closed then even if its token is still valid. */
const MAX_TIMER_MS = 2_147_483_647

export interface OpenResponses {
  /** Tracks the response until it is closed. Closes it when the token of the identity expires. */
  add(identity: Identity, outgoing: ServerResponse): void
  /** Closes all open responses of a principal. */
  dismiss(principal: string): void
}

export function createOpenResponses(): OpenResponses {
  const open = new Map<string, Set<ServerResponse>>()
  return {
    add({ principal, expiresAt }: Identity, outgoing: ServerResponse): void {
      const all = open.get(principal) ?? new Set()
      open.set(principal, all.add(outgoing))
      const timer = expiresAt === undefined ? undefined : closeAt(expiresAt, outgoing)
      outgoing.once('close', () => {
        clearTimeout(timer)
        all.delete(outgoing)
        if (all.size === 0 && open.get(principal) === all) open.delete(principal)
      })
    },
    dismiss(principal: string): void {
      for (const outgoing of [...(open.get(principal) ?? [])]) outgoing.destroy()
    },
  }
}

function closeAt(expiresAt: number, outgoing: ServerResponse): NodeJS.Timeout {
  const leftMs = Math.min(Math.max(0, expiresAt - Date.now()), MAX_TIMER_MS)
  return setTimeout(() => outgoing.destroy(), leftMs).unref()
}
