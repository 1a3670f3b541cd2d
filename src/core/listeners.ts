// A set of listeners. If one of them throws, the others are still called, and the sender continues.

export interface Listeners {
  add(listener: () => void): () => void
  tell(): void
  readonly size: number
}

export function createListeners(): Listeners {
  const listeners = new Set<() => void>()
  return {
    add(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tell() {
      for (const listener of [...listeners]) attempt(listener)
    },
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
