// The calls in flight on one connection. Finds the call that a request or a log message of the server belongs to.

import type { ServerRequest } from '../../core/call.ts'
import type { StopSignal } from '../../core/stop-signal.ts'
import type { Questions } from './questions.ts'

export interface Flight {
  /** The progress token of the request to the server. */
  readonly token: string
  /** The client of the call. Calls of the same client have the same value. */
  readonly client: string
  readonly signal: StopSignal
  /** Sends a request to the client. Absent if the client supports none. */
  readonly ask?:
    | ((request: ServerRequest, signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>)
    | undefined
  /** True if the client has roots. */
  readonly hasRoots?: boolean
  /** Checks and counts the requests of the server during this call. */
  questions(): Questions
  /** Pauses the timeout of the call while its client answers. Returns the function that ends the pause. */
  pause(): () => void
  log(level: string, data: unknown, logger?: string): void
  progress(done: number, total?: number, message?: string): void
}

export interface Flights {
  /** Undefined if the call may start at once. Else resolves when it may start, and rejects if its signal aborts before. */
  enter(flight: Flight): Promise<void> | undefined
  leave(flight: Flight): void
  withToken(token: unknown): Flight | undefined
  /** The call that the server means. Undefined if no call is in flight, or if calls of several clients are. */
  meant(): Flight | undefined
  /** True if no call is in flight. */
  readonly isQuiet: boolean
  /** A server that is known to send requests gets calls of one client at a time, of those that can answer. */
  knownToAsk: boolean
}

interface Waiting {
  readonly flight: Flight
  admit(): void
}

export function createFlights(): Flights {
  // An array: a Set that is filled and emptied again leaves its old tables to the garbage collector with each call.
  const flying: Flight[] = []
  let waiting: readonly Waiting[] = []

  const mayEnter = (flight: Flight, before: readonly Waiting[]): boolean => {
    if (!flights.knownToAsk || flight.ask === undefined) return true
    const rivals = [...flying, ...before.map((one) => one.flight)]
    return rivals.every((rival) => rival.ask === undefined || rival.client === flight.client)
  }

  const flights: Flights = {
    knownToAsk: false,
    enter(flight) {
      if (flight.signal.aborted) return Promise.reject(flight.signal.reason)
      if (mayEnter(flight, waiting)) {
        flying.push(flight)
        return undefined
      }
      return new Promise((resolve, reject) => {
        const giveUp = () => {
          waiting = waiting.filter((one) => one !== entry)
          reject(flight.signal.reason)
        }
        const entry: Waiting = {
          flight,
          admit() {
            flight.signal.removeEventListener('abort', giveUp)
            flying.push(flight)
            resolve()
          },
        }
        flight.signal.addEventListener('abort', giveUp, { once: true })
        waiting = [...waiting, entry]
      })
    },
    withToken: (token) => flying.find((flight) => flight.token === token),
    leave(flight) {
      const index = flying.indexOf(flight)
      if (index < 0) return
      flying.splice(index, 1)
      if (waiting.length === 0) return
      const [queue, before]: [readonly Waiting[], Waiting[]] = [waiting, []]
      waiting = []
      for (const one of queue) {
        if (mayEnter(one.flight, before)) one.admit()
        else before.push(one)
      }
      waiting = before
    },
    get isQuiet() {
      return flying.length === 0
    },
    meant() {
      const [first, ...others] = flying
      if (others.some((other) => other.client !== first?.client)) return undefined
      return flying.find((flight) => flight.ask !== undefined) ?? first
    },
  }
  return flights
}
