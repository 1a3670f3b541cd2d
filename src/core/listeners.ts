// Sets of listeners. If one of them throws or rejects, the others are still called, and the sender continues.

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

/** Runs a callback. An exception, or the rejection of an async callback, becomes a process warning and nothing else. */
export function attempt(work: () => unknown): void {
  try {
    // An unhandled rejection would end the process.
    Promise.resolve(work()).catch(warn)
  } catch (error) {
    warn(error)
  }
}

function warn(error: unknown): void {
  const type = 'ToolcribListener'
  // Node ignores the type if the warning is an Error object, so this warning is a text, with the stack as its detail.
  if (error instanceof Error) process.emitWarning(String(error.message), { type, detail: error.stack ?? '' })
  else process.emitWarning('A listener threw a value that is not an Error.', { type })
}

/** Listeners for changes of entries, each with the prefix of the keys that it watches. */
export function createKeyWatches() {
  const listeners = createListeners<[key: string]>()
  return {
    /** Returns the function that ends the watch. */
    add: (prefix: string, listener: (key: string) => void) =>
      listeners.add((key) => {
        if (key.startsWith(prefix)) listener(key)
      }),
    tell: listeners.tell,
    clear: listeners.clear,
  }
}
