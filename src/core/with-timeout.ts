// Waits with a time limit.

import type { StopSignal } from './stop-signal.ts'

/**
 * Gives the work a signal that aborts when the time is up or when the caller's signal aborts. With `Infinity` only the
 * caller's signal counts. `AbortSignal.any` with `AbortSignal.timeout` is not used: in Node 20, such a signal can be
 * garbage-collected and then never aborts.
 */
export async function withTimeout<T>(
  ms: number,
  signal: StopSignal,
  work: (limited: AbortSignal) => Promise<T>,
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

/**
 * Resolves when the work has ended, successfully or not, or when the time is up. Returns whether the work ended in
 * time. Work that did not end in time continues, and a later error of it is ignored here.
 */
export async function atMost(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const isInTime = await Promise.race([work.then(ended, ended), timeUp])
  clearTimeout(timer)
  return isInTime
}

function ended(): true {
  return true
}
