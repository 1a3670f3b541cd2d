// The calls in flight on one connection, and whose client a server means when it asks something or says something.

import type { ServerRequest } from '../../core/call.ts'
import type { StopSignal } from '../../core/stop-signal.ts'
import type { Questions } from './questions.ts'

export interface Flight {
  /** Whose call it is: calls of the same client share it. */
  readonly client: string
  readonly signal: StopSignal
  /** Puts a request to that client; absent where it can answer none. */
  readonly ask?:
    | ((request: ServerRequest, signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>)
    | undefined
  /** The client has roots. */
  readonly hasRoots?: boolean
  /** Vets and counts what the server asks during this call. */
  questions(): Questions
  /** Somebody is thinking: the call is not late meanwhile. Gives back what ends the pause. */
  pause(): () => void
  log(level: string, data: unknown, logger?: string): void
}

export interface Flights {
  /** Undefined if it may begin at once. Else resolves when it may begin, and rejects if its signal aborts before. */
  enter(flight: Flight): Promise<void> | undefined
  leave(flight: Flight): void
  /** The flight that is meant; none where there is none, or where two clients could be. */
  meant(): Flight | undefined
  /** Nothing is in flight. */
  readonly isQuiet: boolean
  /** A server known to ask gets one call at a time from clients that can answer. */
  knownToAsk: boolean
}

interface Waiting {
  readonly flight: Flight
  admit(): void
}

export function createFlights(): Flights {
  const flying = new Set<Flight>()
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
        flying.add(flight)
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
            flying.add(flight)
            resolve()
          },
        }
        flight.signal.addEventListener('abort', giveUp, { once: true })
        waiting = [...waiting, entry]
      })
    },
    leave(flight) {
      if (!flying.delete(flight) || waiting.length === 0) return
      const [queue, before]: [readonly Waiting[], Waiting[]] = [waiting, []]
      waiting = []
      for (const one of queue) {
        if (mayEnter(one.flight, before)) one.admit()
        else before.push(one)
      }
      waiting = before
    },
    get isQuiet() {
      return flying.size === 0
    },
    meant() {
      const [first, ...others] = flying
      if (others.some((other) => other.client !== first?.client)) return undefined
      return [...flying].find((flight) => flight.ask !== undefined) ?? first
    },
  }
  return flights
}
