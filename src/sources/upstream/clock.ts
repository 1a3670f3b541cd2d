// A timeout with two limits: the time without activity, and the total time.

import { Stop, type StopSignal } from '../../core/stop-signal.ts'

interface ClockOptions {
  readonly signal: StopSignal
  readonly timeoutMs: number
  /** The limit of the total time. Default: `timeoutMs`. */
  readonly maxMs?: number
}

/** A class, because every call creates a clock, and an object of a class is cheaper than a literal with getters. */
export class Clock {
  readonly #stop = new Stop()
  readonly #caller: StopSignal
  readonly #timeoutMs: number
  readonly #maxMs: number
  readonly #startedAt = performance.now()
  /** The time of the last activity. */
  #touchedAt = this.#startedAt
  /** One timer for both limits. It never fires too late, because activity only moves a limit further away. */
  #timer: NodeJS.Timeout | undefined
  #pauses = 0
  #exceededMs: number | undefined

  constructor({ signal, timeoutMs, maxMs = timeoutMs }: ClockOptions) {
    this.#caller = signal
    this.#timeoutMs = timeoutMs
    this.#maxMs = maxMs
    // A listener and not AbortSignal.any: the caller's signal may outlive many clocks and must not keep them in memory.
    if (signal.aborted) {
      this.#passOn()
      return
    }
    signal.addEventListener('abort', this.#passOn, { once: true })
    this.#timer = setTimeout(this.#check, Math.min(timeoutMs, maxMs))
  }

  /** Aborts when the time is up, or when the caller's signal aborts. */
  get signal(): StopSignal {
    return this.#stop
  }

  /** The limit that was exceeded. Undefined if the time is not up. */
  get exceededMs(): number | undefined {
    return this.#exceededMs
  }

  /** Records activity: the time without activity starts again. */
  touch(): void {
    this.#touchedAt = performance.now()
  }

  /** Stops counting the time without activity until the returned function is called. */
  pause(): () => void {
    this.#pauses++
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#pauses--
      this.touch()
      // During the pause the timer was set for the total limit only.
      if (this.#timer !== undefined && !this.#stop.aborted) this.#check()
    }
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#caller.removeEventListener('abort', this.#passOn)
  }

  /** Expires, or sets the timer for the next limit. */
  readonly #check = (): void => {
    clearTimeout(this.#timer)
    const now = performance.now()
    const totalMs = this.#startedAt + this.#maxMs - now
    const idleMs = this.#pauses > 0 ? totalMs : this.#touchedAt + this.#timeoutMs - now
    if (totalMs <= 0) this.#expire(this.#maxMs)
    else if (idleMs <= 0) this.#expire(this.#timeoutMs)
    // Rounded up, because a timer rounds down and would fire too early.
    else this.#timer = setTimeout(this.#check, Math.ceil(Math.min(totalMs, idleMs)))
  }

  #expire(limitMs: number): void {
    this.#timer = undefined
    this.#exceededMs = limitMs
    this.#stop.abort(new DOMException(`No answer in ${limitMs} ms`, 'TimeoutError'))
  }

  readonly #passOn = (): void => this.#stop.abort(this.#caller.reason)
}
