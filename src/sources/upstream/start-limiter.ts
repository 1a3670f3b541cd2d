// How many servers may be starting at a time, over all sources; those that a caller waits for come first.

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
  /** Default 8. */
  readonly maxStarting?: number
  /** A start that takes longer goes on, but no longer holds up the others (default 10,000). */
  readonly maxHoldMs?: number
}

const MAX_STARTING = 8
const MAX_HOLD_MS = 10_000

interface Entry {
  isUrgent: boolean
  start(): void
}

export function createStartLimiter(options: StartLimiterOptions = {}): StartLimiter {
  const { maxStarting = MAX_STARTING, maxHoldMs = MAX_HOLD_MS } = options
  const queue = new Set<Entry>()
  let starting = 0

  const next = () => {
    while (starting < maxStarting && queue.size > 0) {
      const [first] = queue
      const entry = [...queue].find((one) => one.isUrgent) ?? first
      if (entry === undefined) return
      queue.delete(entry)
      starting++
      entry.start()
    }
  }

  return {
    enter(signal, isUrgent) {
      let state: 'waiting' | 'starting' | 'over' = 'waiting'
      let timer: NodeJS.Timeout | undefined
      const leave = () => {
        const before = state
        state = 'over'
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
        queue.delete(entry)
        if (before === 'starting') starting--
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
            state = 'starting'
            signal.removeEventListener('abort', giveUp)
            timer = setTimeout(leave, maxHoldMs)
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
        },
        leave,
      }
    },
  }
}
