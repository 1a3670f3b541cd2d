// How many servers may be starting at a time, over all sources. Those that a caller waits for do not queue behind the rest.

import { availableParallelism } from 'node:os'

export interface StartLimiter {
  /** Waits for a place. The place is given back by `leave`, and by itself after `maxHoldMs`. */
  enter(signal: AbortSignal, isUrgent: boolean): StartTicket
}

export interface StartTicket {
  readonly ready: Promise<void>
  /** Somebody waits for this one now. */
  hurry(): void
  /** Twice without harm, and also before it was its turn. */
  leave(): void
}

export interface StartLimiterOptions {
  /** How many may start that a caller waits for (default 8); there are never more of the others. */
  readonly maxStarting?: number
  /** How many may start that no caller waits for (default: a core is left free). They wait while a caller waits. */
  readonly maxInBackground?: number
  /** A start that takes longer goes on, but no longer holds up the others (default 10,000; 3,000 in the background). */
  readonly maxHoldMs?: number
}

const MAX_STARTING = 8
const MAX_HOLD_MS = 10_000
const MAX_HOLD_IN_BACKGROUND_MS = 3_000

interface Entry {
  isUrgent: boolean
  start(): void
}

export function createStartLimiter(options: StartLimiterOptions = {}): StartLimiter {
  const { maxStarting = MAX_STARTING, maxInBackground = Math.max(1, availableParallelism() - 1) } = options
  const queue = new Set<Entry>()
  const starting = new Set<Entry>()

  const takeNext = (): Entry | undefined => {
    const urgent = [...starting].filter((one) => one.isUrgent).length
    const waiting = [...queue]
    const first = urgent < maxStarting ? waiting.find((one) => one.isUrgent) : undefined
    if (first !== undefined || urgent > 0) return first
    return starting.size < Math.min(maxInBackground, maxStarting) ? waiting[0] : undefined
  }
  const next = () => {
    for (let entry = takeNext(); entry !== undefined; entry = takeNext()) {
      queue.delete(entry)
      starting.add(entry)
      entry.start()
    }
  }

  return {
    enter(signal, isUrgent) {
      let timer: NodeJS.Timeout | undefined
      const leave = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
        queue.delete(entry)
        starting.delete(entry)
        next()
      }
      let giveUp = () => {}
      let entry: Entry = { isUrgent, start: () => {} }
      const ready = new Promise<void>((resolve, reject) => {
        giveUp = () => {
          reject(signal.reason)
          leave()
        }
        entry = {
          isUrgent,
          start() {
            signal.removeEventListener('abort', giveUp)
            const holdMs = entry.isUrgent ? MAX_HOLD_MS : MAX_HOLD_IN_BACKGROUND_MS
            timer = setTimeout(leave, options.maxHoldMs ?? holdMs)
            timer.unref()
            resolve()
          },
        }
        if (signal.aborted) return giveUp()
        signal.addEventListener('abort', giveUp, { once: true })
        queue.add(entry)
        next()
      })
      return {
        ready,
        hurry() {
          entry.isUrgent = true
          next()
        },
        leave,
      }
    },
  }
}
