// Waits for work: with a time limit, until a signal aborts, or until other code settles a promise.

import type { StopSignal } from './stop-signal.ts'

/** The longest delay of a timer, 24 days. Node fires a timer with a longer delay at once. */
export const MAX_TIMER_MS = 2_147_483_647

/**
 * Gives the work a signal that aborts when the time is up (never for `Infinity`) or when the caller's signal aborts. In
 * Node 20, a signal of `AbortSignal.any` with `AbortSignal.timeout` can be garbage-collected and then never aborts.
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

/** Returns whether the work ended in time, even with an error. Work that is late continues, and its error is ignored. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const ended = () => true
  const isInTime = await Promise.race([work.then(ended, ended), timeUp])
  clearTimeout(timer)
  return isInTime
}

/** A signal that aborts when the time is up or one of the signals aborts. Its timer does not keep the process alive. */
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

/** Rejects when the signal aborts, with its reason. The work then continues, and its result or error is ignored. */
export function unlessAborted<T>(work: Promise<T>, signal: StopSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Like `Promise.withResolvers`, which Node 20 does not have. */
export function withResolvers<T = void>() {
  let resolve: (value: T) => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<T>((...settle) => {
    ;[resolve, reject] = settle
  })
  return { promise, resolve, reject }
}
