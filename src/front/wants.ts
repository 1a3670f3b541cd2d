// What one client has asked to hear of besides its own calls: resources it watches, and how much of the log.

import type { LogLevel } from '../core/call.ts'
import type { Features } from '../crib/features.ts'

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']
/** More than any client watches; each is a subscription at the server behind. */
const MAX_WATCHED = 1_000

export interface Wants {
  /** Undefined until the client says so, and everything is sent. */
  readonly level: LogLevel | undefined
  setLevel(level: LogLevel): void
  /** Whether a message of this level is wanted. */
  admits(level: LogLevel): boolean
  watches(uri: string): boolean
  /** Gives why it cannot; undefined where it can. */
  watch(uri: string): Promise<Refusal | undefined>
  unwatch(uri: string): Promise<void>
  /** The client is gone, and wants nothing any more. */
  end(): void
}

export interface Refusal {
  readonly rpcCode: number
  readonly message: string
}

export function createWants({ updates, logs }: Pick<Features, 'updates' | 'logs'> = {}): Wants {
  const client = {}
  const watched = new Set<string>()
  let level: LogLevel | undefined
  let isOver = false
  return {
    get level() {
      return level
    },
    setLevel(wanted) {
      level = wanted
      logs?.setLevel(client, wanted)
    },
    admits: (given) => level === undefined || LEVELS.indexOf(given) >= LEVELS.indexOf(level),
    watches: (uri) => watched.has(uri),
    async watch(uri) {
      if (watched.has(uri) || updates === undefined) return undefined
      if (watched.size >= MAX_WATCHED)
        return { rpcCode: -32_602, message: `A client watches at most ${MAX_WATCHED} resources` }
      watched.add(uri)
      const answer = await updates.watch(uri)
      // One that left while the server was asked has let go of it by now.
      if (isOver) return undefined
      if (!answer.ok) watched.delete(uri)
      return answer.ok ? undefined : answer
    },
    async unwatch(uri) {
      if (watched.delete(uri)) await updates?.unwatch(uri)
    },
    end() {
      if (isOver) return
      isOver = true
      logs?.setLevel(client, undefined)
      for (const uri of watched) void updates?.unwatch(uri)
      watched.clear()
    },
  }
}
