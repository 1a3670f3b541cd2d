// The state that a strategy keeps for one caller: by session if the caller has one, else by principal.

import { randomUUID } from 'node:crypto'
import type { Caller } from '../core/call.ts'
import type { CallerState } from '../disclosure/view.ts'
import type { Store } from '../storage/store.ts'

/**
 * Whether the key belongs to the state of the caller, or to the context of its session. False for state that only one
 * process uses.
 */
export function isKeyOf(key: string, { sessionId, principal }: Caller, scope = ''): boolean {
  const isOfSession = key.startsWith(`state/session/${sessionId}/`) || key === `context/${sessionId}`
  return (sessionId !== undefined && isOfSession) || key.startsWith(`state/principal/${scope}${principal}/`)
}

export interface CallerStates {
  of(caller: Caller): CallerState
  end(sessionId: string): Promise<void>
}

/** State that is not kept by principal expires after this time, because the end of a session may go unnoticed. */
const SESSION_TTL_MS = 24 * 60 * 60 * 1_000

/** `scope` separates programs that share a store and serve different tools. */
export function createCallerStates(store: Store, scope = ''): CallerStates {
  // Over HTTP, a principal is the same caller in every process that shares the store. Over stdio it is not.
  const ownId = randomUUID()
  const ownerOf = ({ sessionId, principal, transport }: Caller): string => {
    if (sessionId !== undefined) return `session/${sessionId}`
    return transport === 'http' ? `principal/${scope}${principal}` : `process/${ownId}/${principal}`
  }
  return {
    of(caller) {
      const owner = ownerOf(caller)
      const key = (name: string) => `state/${owner}/${name}`
      const options = owner.startsWith('principal/') ? {} : { ttlMs: SESSION_TTL_MS }
      return {
        get: (name) => store.get(key(name)),
        set: (name, value) => store.set(key(name), value, options),
        // Needed only if other gateways share the store. Within one process, a strategy makes its changes in turn.
        ...(store.isShared === true && store.update !== undefined
          ? { update: (name, change) => store.update?.(key(name), change, options) ?? Promise.resolve() }
          : {}),
      }
    },
    async end(sessionId) {
      // In a shared store the keys are left to expire: to find them, Redis would search all of its keys.
      if (store.isShared === true) return
      for await (const key of store.keys(`state/session/${sessionId}/`)) await store.delete(key)
    },
  }
}
