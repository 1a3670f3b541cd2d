// The state of one caller: what a strategy keeps for it, and the context of its session.

import { randomUUID } from 'node:crypto'
import type { Caller, ContextControl, ContextDefinition } from '../core/call.ts'
import { fail } from '../core/errors.ts'
import { sessionName } from '../core/hash.ts'
import { type FailureResult, success } from '../core/result.ts'
import { findSimilarTools, similarDetails } from '../core/similarity.ts'
import { noSession } from '../disclosure/lookup.ts'
import type { CallerState } from '../disclosure/view.ts'
import type { Store } from '../storage/store.ts'

/**
 * Returns a function that tells whether a key belongs to the state of a caller, or to the context of its session. It
 * returns false for state that only one process uses.
 */
export function createKeyMatcher(scope = ''): (key: string, caller: Caller) => boolean {
  // A change of one key is compared with every caller, and hashing a thousand session ids takes milliseconds.
  const names = new WeakMap<Caller, string>()
  const nameOf = (caller: Caller, sessionId: string) => {
    const name = names.get(caller) ?? sessionName(sessionId)
    names.set(caller, name)
    return name
  }
  return (key, caller) => {
    const { sessionId, principal } = caller
    if (key.startsWith(`state/principal/${scope}${principal}/`)) return true
    if (sessionId === undefined) return false
    const name = nameOf(caller, sessionId)
    return key === `context/${name}` || key.startsWith(`state/session/${name}/`)
  }
}

export interface CallerStates {
  of(caller: Caller): CallerState
  end(sessionId: string): Promise<void>
}

/** The state of a session or process expires this long after it was last set: the end of a session may go unnoticed. */
const SESSION_TTL_MS = 24 * 60 * 60 * 1_000

/** `scope` separates programs that share a store and serve different tools. */
export function createCallerStates(store: Store, scope = ''): CallerStates {
  // Over HTTP, a principal is the same caller in every process that shares the store. Over stdio it is not.
  const ownId = randomUUID()
  const ownerOf = ({ sessionId, principal, transport }: Caller): string => {
    if (sessionId !== undefined) return sessionOwner(sessionId)
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
      for await (const key of store.keys(`state/${sessionOwner(sessionId)}/`)) await store.delete(key)
    },
  }
}

export interface SessionContexts {
  /** The context that a call named, else the context of its session. A promise only if the store must be read. */
  resolve(caller: Caller, named: string | undefined): ResolvedContext | Promise<ResolvedContext>
  /** Undefined if the server has no contexts. */
  control(caller: Caller, active: string | undefined, onSwitch: OnSwitch): ContextControl | undefined
  end(sessionId: string): Promise<void>
}

type ResolvedContext =
  | { readonly ok: true; readonly context?: string }
  | { readonly ok: false; readonly failure: FailureResult }

/** Called when the new context is in effect, before the answer is sent. */
type OnSwitch = (from: string | undefined, to: string | undefined) => Promise<void>

const NO_CONTEXT: ResolvedContext = { ok: true }

/** The contexts of sessions. Without a session, each call names its context. */
export function createSessionContexts(
  all: readonly ContextDefinition[],
  store: Store,
  prefix: string,
): SessionContexts {
  const names = all.map((context) => context.name)
  const refuseUnknown = (context: string) => {
    const similar = findSimilarTools(context, names)
    return fail('CONTEXT_NOT_FOUND', { context, contexts: names }, similarDetails(similar))
  }

  const contextOf = async (sessionId: string): Promise<ResolvedContext> => {
    const kept = await store.get(contextKey(sessionId))
    if (typeof kept !== 'string' || !names.includes(kept)) return NO_CONTEXT
    // Renew the expiry: the context is kept as long as the session is used.
    await store.set(contextKey(sessionId), kept, { ttlMs: SESSION_TTL_MS })
    return { ok: true, context: kept }
  }

  return {
    resolve({ sessionId }, named) {
      if (named !== undefined) {
        return names.includes(named) ? { ok: true, context: named } : { ok: false, failure: refuseUnknown(named) }
      }
      return names.length === 0 || sessionId === undefined ? NO_CONTEXT : contextOf(sessionId)
    },
    control({ sessionId }, active, onSwitch) {
      if (names.length === 0) return undefined
      const switchTo = async (to: string | undefined) => {
        if (sessionId === undefined)
          return noSession(`${prefix}-context-${to === undefined ? 'exit' : 'enter'}`, prefix)
        if (to === undefined) await store.delete(contextKey(sessionId))
        else await store.set(contextKey(sessionId), to, { ttlMs: SESSION_TTL_MS })
        if (to !== active) await onSwitch(active, to)
        const reasoning =
          to === undefined
            ? 'All commands are available'
            : `The commands of '${to}', and those of no context, are available`
        return success({ context: to ?? null, previous: active ?? null }, { reasoning })
      }
      return {
        all,
        active,
        enter: async (context) => (names.includes(context) ? switchTo(context) : refuseUnknown(context)),
        exit: () => switchTo(undefined),
      }
    },
    end: (sessionId) => store.delete(contextKey(sessionId)),
  }
}

function sessionOwner(sessionId: string): string {
  return `session/${sessionName(sessionId)}`
}

function contextKey(sessionId: string): string {
  return `context/${sessionName(sessionId)}`
}
