// Waits for work that cannot be aborted, but only until a signal aborts.

import type { StopSignal } from './stop-signal.ts'

/**
 * Rejects with the reason of the signal as soon as it aborts. The work continues, and its late result or error is
 * ignored.
 */
export function unlessAborted<T>(work: Promise<T>, signal: StopSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
