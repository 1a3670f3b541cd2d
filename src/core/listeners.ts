// A set of listeners in which one that throws harms neither the others nor whoever has news.

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

/** Runs what somebody else gave us to run; what it throws is shown as a warning, and that is all. */
export function attempt(work: () => unknown): void {
  try {
    work()
  } catch (error) {
    process.emitWarning(
      error instanceof Error ? error : 'A listener threw something that is no error.',
      'ToolcribListener',
    )
  }
}
