// Tracks the requests in flight, so that a stop can wait for them and cancel those that take too long.

export interface InFlight {
  /** The name of the tool or the method, shown to the operator. */
  name(): string
  cancel(reason: Error): void
}

export interface Activity {
  /** Work without a `request` is waited for but never cancelled. */
  track<T>(work: Promise<T>, request?: InFlight): Promise<T>
  readonly active: number
  /** The names of the requests in flight. */
  readonly names: readonly string[]
  /** True while new calls are refused. */
  readonly isDraining: boolean
  refuseCalls(): void
  /** Resolves when no work is in flight, including work that began meanwhile. */
  idle(): Promise<void>
  cancel(reason: Error): void
}

export function createActivity(): Activity {
  const inFlight = new Map<Promise<unknown>, InFlight | undefined>()
  let isDraining = false
  const requests = () => [...inFlight.values()].filter((request) => request !== undefined)
  return {
    async track(work, request) {
      inFlight.set(work, request)
      try {
        return await work
      } finally {
        inFlight.delete(work)
      }
    },
    get active() {
      return inFlight.size
    },
    get names() {
      return requests().map((request) => request.name())
    },
    get isDraining() {
      return isDraining
    },
    refuseCalls() {
      isDraining = true
    },
    async idle() {
      while (inFlight.size > 0) await Promise.allSettled(inFlight.keys())
    },
    cancel(reason) {
      for (const request of requests()) request.cancel(reason)
    },
  }
}
