// The roots of the one client of a wrapped server. The server may ask for them before the client is connected.

import { atMost, unlessAborted, withResolvers } from '../core/waiting.ts'
import type { Fields, Roots } from './features.ts'

interface WrapRoots extends Roots {
  /** True if a client is connected that can be asked at any time. */
  readonly isKnown: boolean
  /** True if the server got an empty list because no client could be asked. A client may send its roots with a call. */
  isOwed: boolean
  /** The roots of the connected client. Waits briefly for a client to connect; without one, the list is empty. */
  answer(signal: AbortSignal): Promise<Fields>
}

interface WrapRootsOptions {
  /** How long a server waits for a client (default 5,000). */
  readonly waitMs?: number
  /** Called when the server should ask again. */
  onChange(): void
}

type Ask = (signal: AbortSignal) => Promise<Fields>

const NONE: Fields = { roots: [] }

export function createWrapRoots({ waitMs = 5_000, onChange }: WrapRootsOptions): WrapRoots {
  /** Undefined until a client connects, and after it has disconnected. */
  let client: { readonly ask?: Ask } | undefined
  let arrival = withResolvers()

  const roots: WrapRoots = {
    isOwed: false,
    get isKnown() {
      return client?.ask !== undefined
    },
    async answer(signal) {
      if (client === undefined) {
        await atMost(waitMs, unlessAborted(arrival.promise, signal))
        signal.throwIfAborted()
      }
      if (client?.ask === undefined) roots.isOwed = true
      // A refusal counts as an empty list, so that the server does not fail.
      return (await client?.ask?.(signal).catch(() => NONE)) ?? NONE
    },
    attach(ask) {
      const attached = ask === undefined ? {} : { ask }
      client = attached
      arrival.resolve()
      if (roots.isOwed && ask !== undefined) {
        roots.isOwed = false
        onChange()
      }
      return () => {
        if (client !== attached) return
        client = undefined
        arrival = withResolvers()
      }
    },
    changed: onChange,
  }
  return roots
}
