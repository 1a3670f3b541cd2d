// The roots of the one client of a wrapped server, which may ask for them before that client is there.

import { unlessAborted } from '../core/unless-aborted.ts'
import type { Fields, Roots } from './features.ts'

export interface WrapRoots extends Roots {
  /** A client is there, and can be asked at any time. */
  readonly isKnown: boolean
  /** The server was told that there are none because no client could be asked; a client may bring some with a call. */
  isOwed: boolean
  /** Those of the client there is. One that is about to come is waited for a little; without any, there are none. */
  answer(signal: AbortSignal): Promise<Fields>
}

export interface WrapRootsOptions {
  /** How long a server waits for a client (5,000). */
  readonly waitMs?: number
  /** The server may ask again. */
  onChange(): void
}

type Ask = (signal: AbortSignal) => Promise<Fields>

const NONE: Fields = { roots: [] }

export function createWrapRoots({ waitMs = 5_000, onChange }: WrapRootsOptions): WrapRoots {
  /** Undefined until a client is there, and when it has gone. */
  let client: { readonly ask?: Ask } | undefined
  let come: () => void = () => {}
  let arrival = new Promise<void>((resolve) => {
    come = resolve
  })

  const waited = async (signal: AbortSignal) => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, waitMs)
      timer.unref()
    })
    await unlessAborted(Promise.race([arrival, late]), signal).finally(() => clearTimeout(timer))
  }

  const roots: WrapRoots = {
    isOwed: false,
    get isKnown() {
      return client?.ask !== undefined
    },
    async answer(signal) {
      if (client === undefined) await waited(signal)
      if (client?.ask === undefined) roots.isOwed = true
      // A client that refuses has none, too: the server must not fail for it.
      return (await client?.ask?.(signal).catch(() => NONE)) ?? NONE
    },
    attach(ask) {
      const attached = ask === undefined ? {} : { ask }
      client = attached
      come()
      if (roots.isOwed && ask !== undefined) {
        roots.isOwed = false
        onChange()
      }
      return () => {
        if (client !== attached) return
        client = undefined
        arrival = new Promise((resolve) => {
          come = resolve
        })
      }
    },
    changed: onChange,
  }
  return roots
}
