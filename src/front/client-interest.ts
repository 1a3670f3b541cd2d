// The interest of one client: the resources that it subscribes to, and the log level that it has set.

import type { LogLevel } from '../core/call.ts'
import { type Features, LOG_LEVELS } from '../crib/features.ts'

/** More resources than a client needs. Each one is a subscription at the upstream server. */
export const MAX_WATCHED = 1_000
export const TOO_MANY_WATCHED = `At most ${MAX_WATCHED} resources can be subscribed to at the same time; end other subscriptions first.`

export interface ClientInterest {
  /** Undefined until the client sets a level. Until then all messages are sent. */
  readonly level: LogLevel | undefined
  setLevel(level: LogLevel): void
  /** True if messages of this level are sent to the client. */
  admits(level: LogLevel): boolean
  /** True if the client subscribes to this resource. */
  watches(uri: string): boolean
  /** Subscribes to a resource. Resolves with the reason if the subscription is refused. */
  watch(uri: string): Promise<Refusal | undefined>
  unwatch(uri: string): Promise<void>
  /** Call it when the client is gone. Ends all of its subscriptions. */
  end(): void
}

interface Refusal {
  readonly rpcCode: number
  readonly message: string
}

export function createClientInterest({ updates, logs }: Pick<Features, 'updates' | 'logs'> = {}): ClientInterest {
  /** Identifies this client for `logs`. */
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
    admits: (given) => level === undefined || LOG_LEVELS.indexOf(given) >= LOG_LEVELS.indexOf(level),
    watches: (uri) => watched.has(uri),
    async watch(uri) {
      if (watched.has(uri) || updates === undefined) return undefined
      if (watched.size >= MAX_WATCHED) return { rpcCode: -32_602, message: TOO_MANY_WATCHED }
      watched.add(uri)
      const answer = await updates.watch(uri)
      // If the client left meanwhile, `end` has already unsubscribed.
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
