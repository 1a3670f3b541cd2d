// The requests in flight, so that stopping can wait for them and, when that takes too long, cancel them.

export interface InFlight {
  /** The tool or the method, for the operator. */
  name(): string
  cancel(reason: Error): void
}

export interface Activity {
  /** Without `request` the work is waited for, but never cancelled. */
  track<T>(work: Promise<T>, request?: InFlight): Promise<T>
  readonly active: number
  /** The names of the requests in flight. */
  readonly names: readonly string[]
  /** New calls are refused. */
  readonly isDraining: boolean
  refuseCalls(): void
  /** Resolves when nothing is in flight; work that begins meanwhile is waited for too. */
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
