// Waiting for something that does not know the signal of whoever waits.

import type { StopSignal } from './stop-signal.ts'

/** Rejects with the signal's reason as soon as it aborts; the work goes on, and its late result or error goes nowhere. */
export function unlessAborted<T>(work: Promise<T>, signal: StopSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
