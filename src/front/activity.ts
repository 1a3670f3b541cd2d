// Tracks requests and other work in flight, so that a stop can wait for them and cancel requests that take too long.

export interface InFlight {
  /** The name of the tool or the method, shown to the operator. */
  name(): string
  cancel(reason: Error): void
}

export interface Activity {
  /** Work without a `request` is waited for but never cancelled. */
  track<T>(work: Promise<T>, request?: InFlight): Promise<T>
  /** The number of requests and other work in flight. */
  readonly active: number
  /** The names of the requests in flight. */
  readonly names: readonly string[]
  /** True while new calls are refused. */
  readonly isDraining: boolean
  /** Sets `isDraining`. */
  refuseCalls(): void
  /** Resolves when no work is in flight, including work that began meanwhile. */
  idle(): Promise<void>
  /** Cancels all requests in flight. */
  cancel(reason: Error): void
}

interface Tracked {
  readonly work: Promise<unknown>
  readonly request: InFlight | undefined
}

export function createActivity(): Activity {
  // An array: a Map that is filled and emptied again leaves its old tables to the garbage collector with each call.
  const inFlight: Tracked[] = []
  let isDraining = false
  const requests = () => inFlight.flatMap(({ request }) => request ?? [])
  return {
    track(work, request) {
      const tracked = { work, request }
      inFlight.push(tracked)
      const end = () => void inFlight.splice(inFlight.indexOf(tracked), 1)
      work.then(end, end)
      return work
    },
    get active() {
      return inFlight.length
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
      while (inFlight.length > 0) await Promise.allSettled(inFlight.map(({ work }) => work))
    },
    cancel(reason) {
      for (const request of requests()) request.cancel(reason)
    },
  }
}
