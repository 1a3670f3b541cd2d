// The context of a session, and how the session enters and leaves it. Without a session, each call names its context.

import type { Caller, ContextControl, ContextDefinition } from '../core/call.ts'
import { fail } from '../core/errors.ts'
import { type FailureResult, success } from '../core/result.ts'
import { findSimilarTools, similarDetails } from '../core/similarity.ts'
import { noSession } from '../disclosure/lookup.ts'
import type { Store } from '../storage/store.ts'

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
const IDLE_TTL_MS = 24 * 60 * 60 * 1_000

export function createSessionContexts(
  all: readonly ContextDefinition[],
  store: Store,
  prefix: string,
): SessionContexts {
  const names = all.map((context) => context.name)
  const key = (sessionId: string) => `context/${sessionId}`
  const refuseUnknown = (context: string) => {
    const similar = findSimilarTools(context, names)
    return fail('CONTEXT_NOT_FOUND', { context, contexts: names }, similarDetails(similar))
  }

  const contextOf = async (sessionId: string): Promise<ResolvedContext> => {
    const kept = await store.get(key(sessionId))
    if (typeof kept !== 'string' || !names.includes(kept)) return NO_CONTEXT
    // Renew the expiry: the context is kept as long as the session is used.
    await store.set(key(sessionId), kept, { ttlMs: IDLE_TTL_MS })
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
        if (to === undefined) await store.delete(key(sessionId))
        else await store.set(key(sessionId), to, { ttlMs: IDLE_TTL_MS })
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
    end: (sessionId) => store.delete(key(sessionId)),
  }
}
