// A store in the memory of this process. Above `maxEntries` it removes the oldest entry.

import { setNewest } from '../core/collections.ts'
import { createKeyWatches } from '../core/listeners.ts'
import { defineStore, type Store } from './store.ts'

interface MemoryStoreOptions {
  /** Above this number the oldest entry is removed. Default: 10,000. */
  readonly maxEntries?: number
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
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

  const findLive = (key: string) => {
    const entry = entries.get(key)
    if (entry === undefined || entry.expiresAt > now()) return entry
    entries.delete(key)
    return undefined
  }

  const put = (key: string, value: unknown, expiresAt: number) => {
    setNewest(entries, key, { value: copyOf(value), expiresAt }, maxEntries)
    watches.tell(key)
  }
  const remove = (key: string) => {
    entries.delete(key)
    watches.tell(key)
  }

  return {
    async get(key) {
      return copyOf(findLive(key)?.value)
    },
    async set(key, value, { ttlMs = Number.POSITIVE_INFINITY } = {}) {
      put(key, value, now() + ttlMs)
    },
    async delete(key) {
      remove(key)
    },
    async update(key, change, { ttlMs = Number.POSITIVE_INFINITY } = {}) {
      const before = copyOf(findLive(key)?.value)
      const next = change(before)
      if (next === before) return
      if (next === undefined) remove(key)
      else put(key, next, now() + ttlMs)
    },
    async *keys(prefix) {
      for (const key of [...entries.keys()]) {
        if (key.startsWith(prefix) && findLive(key) !== undefined) yield key
      }
    },
    watch: watches.add,
    async [Symbol.asyncDispose]() {
      watches.clear()
      entries.clear()
    },
  }
}

/** Copies an object, because a caller that changes its value must not change the entry. Throws for a function. */
function copyOf(value: unknown): unknown {
  return typeof value === 'object' || typeof value === 'function' ? structuredClone(value) : value
}

/** Its entries are lost when the process ends. */
export const memoryStore = defineStore({ name: 'memory', open: () => createMemoryStore() })
