// Calls that wait for a modern client to come back with answers: each under a token that its owner can use once.

import { randomBytes } from 'node:crypto'
import { ANSWER_MS } from './server-requests.ts'
import type { Talk } from './talk.ts'

export interface ParkedCall {
  readonly principal: string
  readonly name: string
  readonly args: unknown
  readonly talk: Talk
}

export interface ParkedCalls {
  /** The token to come back with. Where too many wait, the oldest call of whoever has the most is cancelled. */
  park(call: ParkedCall): string
  /** Whether it is a token of ours, also one that is no longer good: all others are somebody else's. */
  isOurs(token: string): boolean
  /** The call of that token where it fits; it stays where it is when it does not. */
  take(token: string, fits: (call: ParkedCall) => boolean): Talk | undefined
  readonly size: number
  /** Cancels them all. */
  close(): void
}

export interface ParkingOptions {
  readonly maxCalls?: number
  /** How long a call waits before it is cancelled. */
  readonly maxMs?: number
}

interface Place extends ParkedCall {
  readonly timer: NodeJS.Timeout
}

const OURS = 'toolcrib.'

export function createParkedCalls({ maxCalls = 64, maxMs = ANSWER_MS }: ParkingOptions = {}): ParkedCalls {
  /** In the order in which they came. */
  const places = new Map<string, Place>()

  const leave = (token: string): Talk | undefined => {
    const place = places.get(token)
    clearTimeout(place?.timer)
    places.delete(token)
    return place?.talk
  }
  const cancel = (token: string, why: string) => leave(token)?.cancel(new Error(why))
  const makeRoom = (principal: string) => {
    const held = new Map([[principal, 1]])
    for (const place of places.values()) held.set(place.principal, (held.get(place.principal) ?? 0) + 1)
    const [greediest] = [...held].reduce((most, one) => (one[1] > most[1] ? one : most))
    const oldest = [...places].find(([, place]) => place.principal === greediest) ?? [...places][0]
    if (oldest !== undefined) cancel(oldest[0], 'too many calls wait for answers')
  }

  return {
    park(call) {
      if (places.size >= maxCalls) makeRoom(call.principal)
      const token = `${OURS}${randomBytes(32).toString('base64url')}`
      const timer = setTimeout(() => cancel(token, `no answer came in ${maxMs} ms`), maxMs)
      // Nobody's answer is worth keeping a process for.
      timer.unref()
      places.set(token, { ...call, timer })
      return token
    },
    isOurs: (token) => token.startsWith(OURS),
    take(token, fits) {
      const place = places.get(token)
      return place !== undefined && fits(place) ? leave(token) : undefined
    },
    get size() {
      return places.size
    },
    close() {
      for (const token of [...places.keys()]) cancel(token, 'the server is stopping')
    },
  }
}
