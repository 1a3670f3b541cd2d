// Retries a call after a retryable error, if the command changes no data or if the option `when` allows it.

import type { CommandContext, Middleware } from '../../core/call.ts'
import { type CommandError, type CommandResult, withMetadata } from '../../core/result.ts'
import { MAX_TIMER_MS } from '../../core/waiting.ts'
import { checkNumber } from './check-number.ts'

/** The options of `retry`. */
export interface RetryOptions {
  /** Total number of attempts, including the first (default 3, at most 100). */
  readonly attempts?: number
  /** The maximum wait before the second attempt (default 100). It doubles with each attempt. */
  readonly baseMs?: number
  /** The upper limit of every wait (default 5,000). */
  readonly maxMs?: number
  /** Waits a random part of the time, so that callers that failed together do not retry together (default true). */
  readonly jitter?: boolean
  /**
   * Decides whether a command that may change data is retried after this error. Return true only if running the command
   * twice has the same effect as running it once. Called only for `retryable` errors.
   */
  when?(error: CommandError, context: CommandContext): boolean
  /** Returns a number from 0 to 1. */
  random?(): number
}

/**
 * Middleware that repeats a command with `mutation: false`, or one that `when` allows, after a `retryable` failure.
 *
 * @example
 * ```ts
 * retry({ attempts: 5, when: (error) => error.code === 'DATABASE_BUSY' }) // also repeats commands that change data
 * ```
 */
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
      const isRepeated =
        attempt < attempts &&
        mayRepeat(result, context) &&
        (await waitUnlessAborted(waitMsAfter(attempt), context.signal))
      if (!isRepeated) return attempt === 1 ? result : withMetadata(result, { attempts: attempt })
    }
  }
}

/** Resolves with true after `ms`, or with false as soon as the signal aborts. */
function waitUnlessAborted(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const stop = () => finish(false)
    const timer = setTimeout(() => finish(true), ms)
    signal.addEventListener('abort', stop, { once: true })
    function finish(hasWaited: boolean): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      resolve(hasWaited)
    }
  })
}
