// The listeners of one store. Each listener watches the keys with one prefix.

import { attempt } from '../core/listeners.ts'

interface KeyWatches {
  add(prefix: string, listener: (key: string) => void): () => void
  /** Calls each listener that watches a prefix of this key. A listener that throws does not affect the others. */
  tell(key: string): void
  /** Calls every listener with its own prefix, because changes may have been missed. */
  tellAll(): void
  clear(): void
  readonly size: number
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
    tellAll() {
      for (const { prefix, listener } of [...watches]) attempt(() => listener(prefix))
    },
    clear: () => watches.clear(),
    get size() {
      return watches.size
    },
  }
}
