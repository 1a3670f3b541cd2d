// Calls that wait until a modern client returns with its answers. Each has a token that its owner can use once.

import { randomBytes } from 'node:crypto'
import type { Rights } from '../core/rights.ts'
import type { LongCall } from './long-call.ts'
import { ANSWER_MS } from './server-requests.ts'

export interface ParkedCall {
  readonly principal: string
  readonly rights?: Rights | undefined
  readonly name: string
  readonly args: unknown
  readonly call: LongCall
}

export interface ParkedCalls {
  /** Returns the token. If too many calls wait, the oldest call of the principal with the most calls is cancelled. */
  park(call: ParkedCall): string
  /** True if the token has our format, even if it has expired. Other tokens belong to an upstream server. */
  isOurs(token: string): boolean
  /** Removes and returns the call of the token if `fits` accepts it. Otherwise the call stays parked. */
  take(token: string, fits: (call: ParkedCall) => boolean): LongCall | undefined
  readonly size: number
  /** Cancels the parked calls of a principal that has lost its token or has other rights. */
  dismiss(principal: string): void
  /** Cancels all parked calls. */
  close(): void
}

export interface ParkingOptions {
  /** The name of this gateway, if others share the store: its tokens then contain it. */
  readonly replica?: string | undefined
  readonly maxCalls?: number
  /** How long a call waits before it is cancelled. */
  readonly maxMs?: number
}

interface ParkedEntry extends ParkedCall {
  readonly timer: NodeJS.Timeout
}

const TOKEN_PREFIX = 'toolcrib.'
const TOKEN_WITH_REPLICA = /^toolcrib\.([0-9a-f]{16})\.[\w-]{43}$/

/** The gateway that holds the call of a token. Undefined if the token does not name one. */
export function replicaIn(token: string): string | undefined {
  return TOKEN_WITH_REPLICA.exec(token)?.[1]
}

export function createParkedCalls({ maxCalls = 64, maxMs = ANSWER_MS, replica }: ParkingOptions = {}): ParkedCalls {
  /** In the order of arrival. */
  const entries = new Map<string, ParkedEntry>()

  const remove = (token: string): LongCall | undefined => {
    const entry = entries.get(token)
    clearTimeout(entry?.timer)
    entries.delete(token)
    return entry?.call
  }
  const cancel = (token: string, why: string) => remove(token)?.cancel(new Error(why))
  const makeRoom = (principal: string) => {
    const counts = new Map([[principal, 1]])
    for (const entry of entries.values()) counts.set(entry.principal, (counts.get(entry.principal) ?? 0) + 1)
    const [largest] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most))
    const oldest = [...entries].find(([, entry]) => entry.principal === largest) ?? [...entries][0]
    if (oldest !== undefined) cancel(oldest[0], 'too many calls wait for answers')
  }

  return {
    park(call) {
      if (entries.size >= maxCalls) makeRoom(call.principal)
      const token = `${TOKEN_PREFIX}${replica === undefined ? '' : `${replica}.`}${randomBytes(32).toString('base64url')}`
      const timer = setTimeout(() => cancel(token, `no answer came in ${maxMs} ms`), maxMs)
      // A parked call must not keep the process alive.
      timer.unref()
      entries.set(token, { ...call, timer })
      return token
    },
    isOurs: (token) => token.startsWith(TOKEN_PREFIX),
    take(token, fits) {
      const entry = entries.get(token)
      return entry !== undefined && fits(entry) ? remove(token) : undefined
    },
    get size() {
      return entries.size
    },
    dismiss(principal) {
      for (const [token, entry] of [...entries])
        if (entry.principal === principal) cancel(token, 'the token was revoked, or its rights have changed')
    },
    close() {
      for (const token of [...entries.keys()]) cancel(token, 'the server is stopping')
    },
  }
}
