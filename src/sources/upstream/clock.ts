// A timeout with two limits: the time without a sign of life, and the total time.

export interface Clock {
  /** Aborts at a limit, or when the caller's signal aborts. */
  readonly signal: AbortSignal
  /** The limit that was exceeded, or undefined. */
  readonly exceededMs: number | undefined
  /** Call it for each sign of life: it restarts `timeoutMs`. */
  touch(): void
  /** Pauses `timeoutMs` until the returned function is called. */
  pause(): () => void
  stop(): void
}

export interface ClockOptions {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** The total limit. Default: `timeoutMs`. */
  readonly maxMs?: number
}

export function createClock({ signal, timeoutMs, maxMs = timeoutMs }: ClockOptions): Clock {
  const controller = new AbortController()
  let exceededMs: number | undefined
  let pauses = 0
  let quiet: NodeJS.Timeout | undefined

  const expire = (limitMs: number) => {
    exceededMs = limitMs
    controller.abort(new DOMException(`No answer in ${limitMs} ms`, 'TimeoutError'))
  }
  const restart = () => {
    clearTimeout(quiet)
    if (pauses === 0 && !controller.signal.aborted) quiet = setTimeout(expire, timeoutMs, timeoutMs)
  }
  const total = setTimeout(expire, maxMs, maxMs)
  // Not AbortSignal.any: the caller's signal can outlive many clocks and must not keep references to them.
  const passOn = () => controller.abort(signal.reason)
  if (signal.aborted) passOn()
  else signal.addEventListener('abort', passOn, { once: true })
  restart()

  return {
    signal: controller.signal,
    get exceededMs() {
      return exceededMs
    },
    touch: restart,
    pause() {
      pauses++
      clearTimeout(quiet)
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        pauses--
        restart()
      }
    },
    stop() {
      clearTimeout(quiet)
      clearTimeout(total)
      signal.removeEventListener('abort', passOn)
    },
  }
}
