// Tries a failed call again where that may help and cannot do harm.

import type { CommandContext, Middleware } from '../../core/call.ts'
import { type CommandError, type CommandResult, withMetadata } from '../../core/result.ts'
import { checkNumber, MAX_TIMER_MS } from './check-number.ts'

export interface RetryOptions {
  /** Tries in all, the first one included (default 3, at most 100). */
  readonly attempts?: number
  /** The longest wait before the second try (default 100); it doubles with each further one. */
  readonly baseMs?: number
  /** No wait is longer than this (default 5,000). */
  readonly maxMs?: number
  /** Wait a random part of the time, so that callers who failed together do not return together (default true). */
  readonly jitter?: boolean
  /**
   * Whether a command that is not known to be read-only may run again after this error. Say yes only where running
   * twice is the same as running once. Errors that are not `retryable` are never asked about.
   */
  when?(error: CommandError, context: CommandContext): boolean
  /** From 0 up to 1. */
  random?(): number
}

export function retry({
  attempts = 3,
  baseMs = 100,
  maxMs = 5_000,
  jitter = true,
  when = () => false,
  random = Math.random,
}: RetryOptions = {}): Middleware {
  checkNumber('retry', 'attempts', attempts, { min: 1, max: 100, whole: true })
  checkNumber('retry', 'baseMs', baseMs, { min: 0, max: MAX_TIMER_MS })
  checkNumber('retry', 'maxMs', maxMs, { min: 0, max: MAX_TIMER_MS })

  const mayRepeat = ({ success, error }: CommandResult, context: CommandContext): boolean =>
    !success && error?.retryable === true && (context.command.mutation === false || when(error, context))
  const waitMsAfter = (attempt: number): number =>
    Math.min(maxMs, baseMs * 2 ** (attempt - 1)) * (jitter ? random() : 1)

  return async (_commandName, _input, context, next) => {
    for (let attempt = 1; ; attempt += 1) {
      const result = await next()
      const goesOn =
        attempt < attempts && mayRepeat(result, context) && (await waited(waitMsAfter(attempt), context.signal))
      if (!goesOn) return attempt === 1 ? result : withMetadata(result, { attempts: attempt })
    }
  }
}

/** True after the time; false at once when the signal aborts. */
function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const stop = () => finish(false)
    const timer = setTimeout(() => finish(true), ms)
    signal.addEventListener('abort', stop, { once: true })
    function finish(isOver: boolean): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      resolve(isOver)
    }
  })
}
