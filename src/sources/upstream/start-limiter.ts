// Limits how many servers start at a time. A start that a caller waits for is urgent and comes first.

import { availableParallelism } from 'node:os'
import { withResolvers } from '../../core/waiting.ts'

export type StartLimiter = ReturnType<typeof createStartLimiter>

export interface StartTicket {
  /** Resolves when the start has a slot. Rejects if the signal aborts before that. Stays pending after `leave`. */
  readonly ready: Promise<void>
  /** Makes the start urgent. Call it when a caller waits for this start. */
  hurry(): void
  /** Frees the slot, or leaves the queue. Can be called twice. */
  leave(): void
}

interface StartLimiterOptions {
  /** The maximum number of urgent starts (default 8). It also limits background starts. */
  readonly maxStarting?: number
  /** The maximum number of background starts (default: all cores but one, at least 1). They wait for urgent starts. */
  readonly maxInBackground?: number
  /** A start that takes longer continues, but its slot is freed (default 10,000, in the background 3,000). */
  readonly maxHoldMs?: number
  /**
   * Background starts wait for this time (default 0). It begins once, when a background start waits and no urgent start
   * runs. A gateway that has just started gets its first requests in this time, and the start of a server would slow
   * them down.
   */
  readonly backgroundDelayMs?: number | undefined
}

export const MAX_STARTING = 8
const MAX_HOLD_MS = 10_000
const MAX_HOLD_IN_BACKGROUND_MS = 3_000

interface Entry {
  isUrgent: boolean
  start(): void
}

export function createStartLimiter(options: StartLimiterOptions = {}) {
  const { maxStarting = MAX_STARTING, maxInBackground = Math.max(1, availableParallelism() - 1) } = options
  const queue = new Set<Entry>()
  const starting = new Set<Entry>()
  /** The state of `backgroundDelayMs`. */
  let delay: 'pending' | 'running' | 'over' = (options.backgroundDelayMs ?? 0) === 0 ? 'over' : 'pending'

  const takeNext = (): Entry | undefined => {
    const urgent = [...starting].filter((one) => one.isUrgent).length
    const waiting = [...queue]
    const first = urgent < maxStarting ? waiting.find((one) => one.isUrgent) : undefined
    if (first !== undefined || urgent > 0 || isDelayed()) return first
    return starting.size < Math.min(maxInBackground, maxStarting) ? waiting[0] : undefined
  }
  /** Begins the delay if it is pending. Only called while no urgent start waits or runs. */
  const isDelayed = (): boolean => {
    if (delay === 'pending' && queue.size > 0) {
      delay = 'running'
      const end = () => {
        delay = 'over'
        startNext()
      }
      setTimeout(end, options.backgroundDelayMs).unref()
    }
    return delay === 'running'
  }
  const startNext = () => {
    for (let entry = takeNext(); entry !== undefined; entry = takeNext()) {
      queue.delete(entry)
      starting.add(entry)
      entry.start()
    }
  }

  return {
    /** The number of starts that wait for a slot. */
    get waiting() {
      return queue.size
    },
    /** Requests a slot. The slot is freed by `leave`, or after `maxHoldMs`. */
    enter(signal: AbortSignal, isUrgent: boolean): StartTicket {
      const { promise: ready, resolve, reject } = withResolvers()
      let timer: NodeJS.Timeout | undefined
      const entry: Entry = {
        isUrgent,
        start() {
          signal.removeEventListener('abort', giveUp)
          const holdMs = entry.isUrgent ? MAX_HOLD_MS : MAX_HOLD_IN_BACKGROUND_MS
          timer = setTimeout(leave, options.maxHoldMs ?? holdMs).unref()
          resolve()
        },
      }
      const leave = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
        queue.delete(entry)
        starting.delete(entry)
        startNext()
      }
      const giveUp = () => {
        reject(signal.reason)
        leave()
      }
      if (signal.aborted) giveUp()
      else {
        signal.addEventListener('abort', giveUp, { once: true })
        queue.add(entry)
        startNext()
      }
      const hurry = () => {
        entry.isUrgent = true
        startNext()
      }
      return { ready, hurry, leave }
    },
  }
}
