// Waits with a limit.

import type { StopSignal } from './stop-signal.ts'

/**
 * Gives the work a signal that aborts when the time is up, or when the caller's does; `Infinity` waits for the caller
 * alone. By hand: AbortSignal.any of AbortSignal.timeout never aborts once memory was collected (Node 20).
 */
export async function withPatience<T>(
  ms: number,
  signal: StopSignal,
  work: (patience: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const expire = () => controller.abort(new DOMException(`No answer in ${ms} ms`, 'TimeoutError'))
  const passOn = () => controller.abort(signal.reason)
  const timer = Number.isFinite(ms) ? setTimeout(expire, ms) : undefined
  if (signal.aborted) passOn()
  else signal.addEventListener('abort', passOn, { once: true })
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', passOn)
  }
}

/** Resolves when the work is done or the time is up, whichever is first. The work goes on; its error is not reported here. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work.then(ignore, ignore), late])
  clearTimeout(timer)
}

function ignore(): void {}
