// A store in the memory of this process. Above `maxEntries` it removes the oldest entry.

import { createKeyWatches } from './key-watches.ts'
import { defineStore, type Store } from './store.ts'

interface MemoryStoreOptions {
  readonly maxEntries?: number
  readonly now?: () => number
}

/**
 * A store in the memory of this process. Above `maxEntries` it removes the oldest entry.
 *
 * @example
 * ```ts
 * const store = createMemoryStore({ maxEntries: 1_000 })
 * await store.set('theme', 'dark', { ttlMs: 60_000 })
 * await store.get('theme')
 * ```
 */
export function createMemoryStore({ maxEntries = 10_000, now = Date.now }: MemoryStoreOptions = {}): Store {
  const entries = new Map<string, { value: unknown; expiresAt: number }>()
  const watches = createKeyWatches()

  const live = (key: string) => {
    const entry = entries.get(key)
    if (entry === undefined || entry.expiresAt > now()) return entry
    entries.delete(key)
    return undefined
  }

  return {
    async get(key) {
      return live(key)?.value
    },
    async set(key, value, { ttlMs = Number.POSITIVE_INFINITY } = {}) {
      // Delete first: a Map keeps the position of a key that is set again, and the position shows the age.
      entries.delete(key)
      entries.set(key, { value: structuredClone(value), expiresAt: now() + ttlMs })
      const [oldest] = entries.keys()
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest)
      watches.tell(key)
    },
    async delete(key) {
      entries.delete(key)
      watches.tell(key)
    },
    async *keys(prefix) {
      for (const key of [...entries.keys()]) {
        if (key.startsWith(prefix) && live(key) !== undefined) yield key
      }
    },
    watch: watches.add,
    async [Symbol.asyncDispose]() {
      watches.clear()
      entries.clear()
    },
  }
}

/** Nothing outlives the process. */
export const memoryStore = defineStore({ name: 'memory', open: () => createMemoryStore() })
