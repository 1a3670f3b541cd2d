// How long something may take: so long without a sign of life, and so long in all.

export interface Clock {
  /** Aborts when time is up, or when the caller's signal does. */
  readonly signal: AbortSignal
  /** The limit that was passed; undefined while none was. */
  readonly exceededMs: number | undefined
  /** A sign of life. */
  touch(): void
  /** Stands still until the function it gives back is called. */
  pause(): () => void
  stop(): void
}

export interface ClockOptions {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** In all; without it the same. */
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
  // By hand, not AbortSignal.any: the caller's signal may outlive many of these and must keep nothing of them.
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
