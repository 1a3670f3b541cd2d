// A timeout with two limits: the time without a sign of life, and the total time.

import { Stop, type StopSignal } from '../../core/stop-signal.ts'

interface ClockOptions {
  readonly signal: StopSignal
  /** The longest time without a sign of life. */
  readonly timeoutMs: number
  /** The total limit. Default: `timeoutMs`. */
  readonly maxMs?: number
}

/** A class, because every call creates a clock: each object literal with a getter has its own hidden class. */
export class Clock {
  readonly #stop = new Stop()
  readonly #caller: StopSignal
  readonly #timeoutMs: number
  readonly #maxMs: number
  readonly #startedAt = performance.now()
  /** The time of the last sign of life. */
  #touchedAt = this.#startedAt
  /** One timer for both limits. It never fires too late: a sign of life only moves the limit further away. */
  #timer: NodeJS.Timeout | undefined
  #pauses = 0
  #exceededMs: number | undefined

  constructor({ signal, timeoutMs, maxMs = timeoutMs }: ClockOptions) {
    this.#caller = signal
    this.#timeoutMs = timeoutMs
    this.#maxMs = maxMs
    // By hand, not AbortSignal.any: the caller's signal may outlive many clocks and must not keep them.
    if (signal.aborted) {
      this.#passOn()
      return
    }
    signal.addEventListener('abort', this.#passOn, { once: true })
    this.#timer = setTimeout(this.#check, Math.min(timeoutMs, maxMs))
  }

  /** Aborts when the time is up, or when the caller's signal does. */
  get signal(): StopSignal {
    return this.#stop
  }

  /** The limit that was exceeded; undefined if there is none. */
  get exceededMs(): number | undefined {
    return this.#exceededMs
  }

  /** Restarts the time without a sign of life. */
  touch(): void {
    this.#touchedAt = performance.now()
  }

  /** Stops counting the time without a sign of life until the returned function is called. */
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
    const quietMs = this.#pauses > 0 ? totalMs : this.#touchedAt + this.#timeoutMs - now
    if (totalMs <= 0) this.#expire(this.#maxMs)
    else if (quietMs <= 0) this.#expire(this.#timeoutMs)
    // Rounded up, because a timer rounds down and would then fire too early once more.
    else this.#timer = setTimeout(this.#check, Math.ceil(Math.min(totalMs, quietMs)))
  }

  #expire(limitMs: number): void {
    this.#timer = undefined
    this.#exceededMs = limitMs
    this.#stop.abort(new DOMException(`No answer in ${limitMs} ms`, 'TimeoutError'))
  }

  readonly #passOn = (): void => this.#stop.abort(this.#caller.reason)
}
