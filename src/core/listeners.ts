// Sets of listeners. If one of them throws, the others are still called, and the sender continues.

export interface Listeners<Args extends readonly unknown[] = []> {
  /** Returns the function that removes the listener. */
  add(listener: (...args: Args) => void): () => void
  /** Calls every listener. */
  tell(...args: Args): void
  clear(): void
  readonly size: number
}

export function createListeners<Args extends readonly unknown[] = []>(): Listeners<Args> {
  const listeners = new Set<(...args: Args) => void>()
  return {
    add(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tell(...args) {
      // A copy, because a listener may add or remove listeners.
      for (const listener of [...listeners]) attempt(() => listener(...args))
    },
    clear: () => listeners.clear(),
    get size() {
      return listeners.size
    },
  }
}

/** Runs code from outside. An exception becomes a process warning and nothing else. */
export function attempt(work: () => unknown): void {
  try {
    work()
  } catch (error) {
    process.emitWarning(
      error instanceof Error ? error : 'A listener threw a value that is not an Error.',
      'ToolcribListener',
    )
  }
}

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
