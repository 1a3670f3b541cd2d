// The last known texts of entries, and the changes that Redis has not accepted yet. Both are bounded.

import { setNewest } from '../core/set-newest.ts'

const MAX_ENTRIES = 2_000
const MAX_CHARS = 32 * 1024 * 1024
const MAX_HELD = 1_000

/** A change that could not be written. Without a text the entry was deleted. */
export interface HeldChange {
  readonly text: string | undefined
  /** By the clock of this machine. Infinity for an entry without expiry. */
  readonly expiresAt: number
}

interface LastKnown {
  /** Remembers the text of an entry in Redis. `text` is undefined if Redis has no such entry. */
  note(key: string, text: string | undefined): void
  get(key: string): string | undefined
  keys(prefix: string): readonly string[]
  /** Keeps a change that Redis has not accepted. */
  hold(key: string, change: HeldChange): void
  /** The change that is held for this key. */
  held(key: string): HeldChange | undefined
  /** Removes the change, unless another one replaced it meanwhile. */
  release(key: string, change: HeldChange | undefined): void
  allHeld(): readonly (readonly [string, HeldChange])[]
}

export function createLastKnown(): LastKnown {
  // A Map keeps the order of insertion, and `note` inserts a known key again. So the first entry is the oldest.
  const known = new Map<string, string>()
  const changes = new Map<string, HeldChange>()
  let chars = 0
  const forget = (key: string) => {
    chars -= known.get(key)?.length ?? 0
    known.delete(key)
  }
  const heldOf = (key: string) => {
    const change = changes.get(key)
    return change !== undefined && change.expiresAt <= Date.now() ? undefined : change
  }
  return {
    note(key, text) {
      forget(key)
      if (text === undefined || text.length > MAX_CHARS / 16) return
      known.set(key, text)
      chars += text.length
      while (known.size > MAX_ENTRIES || chars > MAX_CHARS) {
        const [oldest] = known.keys()
        if (oldest === undefined) return
        forget(oldest)
      }
    },
    get: (key) => known.get(key),
    keys: (prefix) => [...known.keys()].filter((key) => key.startsWith(prefix)),
    hold: (key, change) => setNewest(changes, key, change, MAX_HELD),
    held: heldOf,
    release(key, change) {
      if (change !== undefined && changes.get(key) === change) changes.delete(key)
    },
    allHeld: () => [...changes].filter(([key]) => heldOf(key) !== undefined),
  }
}
