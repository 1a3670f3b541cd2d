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
  readonly #total: NodeJS.Timeout
  #quiet: NodeJS.Timeout | undefined
  #pauses = 0
  #exceededMs: number | undefined

  constructor({ signal, timeoutMs, maxMs = timeoutMs }: ClockOptions) {
    this.#caller = signal
    this.#timeoutMs = timeoutMs
    this.#total = setTimeout(this.#expire, maxMs, maxMs)
    // By hand, not AbortSignal.any: the caller's signal may outlive many clocks and must not keep them.
    if (signal.aborted) this.#passOn()
    else signal.addEventListener('abort', this.#passOn, { once: true })
    this.touch()
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
    clearTimeout(this.#quiet)
    if (this.#pauses > 0 || this.#stop.aborted) return
    this.#quiet = setTimeout(this.#expire, this.#timeoutMs, this.#timeoutMs)
  }

  /** Stops counting the time without a sign of life until the returned function is called. */
  pause(): () => void {
    this.#pauses++
    clearTimeout(this.#quiet)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#pauses--
      this.touch()
    }
  }

  stop(): void {
    clearTimeout(this.#quiet)
    clearTimeout(this.#total)
    this.#caller.removeEventListener('abort', this.#passOn)
  }

  readonly #expire = (limitMs: number): void => {
    this.#exceededMs = limitMs
    this.#stop.abort(new DOMException(`No answer in ${limitMs} ms`, 'TimeoutError'))
  }

  readonly #passOn = (): void => this.#stop.abort(this.#caller.reason)
}
