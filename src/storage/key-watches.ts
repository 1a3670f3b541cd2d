// The listeners of a store for changes of entries, each with the prefix of the keys that it watches.

import { attempt } from '../core/listeners.ts'

interface KeyWatches {
  /** Returns the function that ends the watch. */
  add(prefix: string, listener: (key: string) => void): () => void
  /** Calls each listener that watches a prefix of this key. A listener that throws does not affect the others. */
  tell(key: string): void
  clear(): void
}

interface KeyWatch {
  readonly prefix: string
  listener(key: string): void
}

export function createKeyWatches(): KeyWatches {
  const watches = new Set<KeyWatch>()
  return {
    add(prefix, listener) {
      // A new object for each call, so that the same function can be added twice.
      const watch: KeyWatch = { prefix, listener }
      watches.add(watch)
      return () => watches.delete(watch)
    },
    tell(key) {
      for (const { prefix, listener } of [...watches]) if (key.startsWith(prefix)) attempt(() => listener(key))
    },
    clear: () => watches.clear(),
  }
}
