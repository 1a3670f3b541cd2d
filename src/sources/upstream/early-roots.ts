// Answers `roots/list` of a legacy server with the roots of its only client, also between calls.

import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { atMost, unlessAborted, withResolvers } from '../../core/waiting.ts'

export interface OwnRoots {
  /** True if the client has a session and can be asked at any time. */
  readonly canBeAsked: boolean
  /** True if the server got an empty list because no client could be asked. */
  gotEmptyList: boolean
  answer(signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>
}

export type EarlyRoots = ReturnType<typeof createEarlyRoots>

/** How long a server has to ask again after it got `roots/list_changed`. */
const ASK_AGAIN_MS = 1_000
/** How long a server has to process its roots before it gets the call. */
const SETTLE_MS = 25

/** `notifyRootsChanged` sends `notifications/roots/list_changed` to the server. */
export function createEarlyRoots(own: OwnRoots, notifyRootsChanged: () => Promise<void>) {
  let callBegins = new AbortController()
  /** The number of requests of the server that wait for an answer outside a call. */
  let waiting = 0
  const answers = new Set<Promise<unknown>>()
  let onAsked = () => {}

  return {
    /** Answers with the roots of the only client. Undefined if a call has begun meanwhile: its client must answer. */
    async answer(signal: AbortSignal): Promise<Readonly<Record<string, unknown>> | undefined> {
      const { signal: callBegun } = callBegins
      waiting++
      try {
        return await own.answer(AbortSignal.any([signal, callBegun]))
      } catch (error) {
        if (!callBegun.aborted || signal.aborted) throw error
        return undefined
      } finally {
        waiting--
      }
    },
    /** Tracks the answer to a server that asks during a call, so that `begin` can wait for it. */
    async follow<T>(answering: Promise<T>): Promise<T> {
      const settled = answering.catch(() => {}).then(() => nextTurn())
      answers.add(settled)
      onAsked()
      try {
        return await answering
      } finally {
        void settled.then(() => answers.delete(settled))
      }
    },
    /** Must run before each call of a client with roots, so that the server can ask for the roots first. */
    async begin(signal: AbortSignal) {
      if (own.canBeAsked || (!own.gotEmptyList && waiting === 0)) return
      const asked = withResolvers()
      onAsked = asked.resolve
      if (waiting > 0) {
        // The server has already asked. The client of this call answers the request.
        callBegins.abort()
        callBegins = new AbortController()
      } else {
        // The server got an empty list before. The notification makes it ask again.
        own.gotEmptyList = false
        await notifyRootsChanged()
      }
      await atMost(ASK_AGAIN_MS, unlessAborted(asked.promise, signal))
      if (answers.size === 0) return
      // The server must have the answer before the call, and a moment to process the new roots.
      await Promise.all(answers)
      await delay(SETTLE_MS, undefined, { signal }).catch(() => {})
    },
  }
}
