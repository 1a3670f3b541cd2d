// A signal with a time limit, for work that goes on after the function that started it has returned.

import type { StopSignal } from './stop-signal.ts'

/**
 * Returns a signal that aborts when the time is up or when one of the signals aborts. The timer does not keep the
 * process alive. `AbortSignal.any` with `AbortSignal.timeout` is not used, for the same reason as in `withTimeout`.
 */
export function timeLimit(ms: number, ...signals: readonly StopSignal[]): AbortSignal {
  const controller = new AbortController()
  const stop = (reason: unknown) => {
    clearTimeout(timer)
    for (const signal of signals) signal.removeEventListener('abort', passOn)
    controller.abort(reason)
  }
  const passOn = () => stop(signals.find((signal) => signal.aborted)?.reason)
  const expire = () => stop(new DOMException(`No answer in ${ms} ms`, 'TimeoutError'))
  const timer = setTimeout(expire, ms).unref()
  for (const signal of signals) signal.addEventListener('abort', passOn, { once: true })
  if (signals.some((signal) => signal.aborted)) passOn()
  return controller.signal
}
