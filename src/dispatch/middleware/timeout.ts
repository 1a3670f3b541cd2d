// Ends a call that takes too long: aborts its signal and answers TIMEOUT, even if the handler ignores the signal.

import type { Middleware } from '../../core/call.ts'
import { fail } from '../../core/errors.ts'
import type { CommandResult } from '../../core/result.ts'
import { Stop, type StopSignal, stopSignalOf, withSignal } from '../../core/stop-signal.ts'
import type { ExecutionTime } from '../../core/tool.ts'
import { MAX_TIMER_MS } from '../../core/waiting.ts'
import { checkNumber } from './check-number.ts'

/** The options of `timeout`. */
export interface TimeoutOptions {
  /** The limit for commands that `byExecutionTime` does not list. Default: 60 s, `slow` 5 min, `long-running` 60 min. */
  readonly ms?: number
  /** Limits in milliseconds by the `executionTime` of a command. */
  readonly byExecutionTime?: Readonly<Partial<Record<ExecutionTime, number>>>
}

const DEFAULT_MS = 60_000
const DEFAULT_MS_BY_EXECUTION_TIME: TimeoutOptions['byExecutionTime'] = {
  slow: 5 * 60_000,
  'long-running': 60 * 60_000,
}

/**
 * Middleware that ends a call at its time limit: it aborts the signal of the call and answers TIMEOUT.
 *
 * @example
 * ```ts
 * timeout(5_000)
 * timeout({ ms: 5_000, byExecutionTime: { slow: 60_000 } })
 * ```
 */
export function timeout(options: number | TimeoutOptions = {}): Middleware {
  const { ms, byExecutionTime = {} }: TimeoutOptions = typeof options === 'number' ? { ms: options } : options
  if (ms !== undefined) checkMs('ms', ms)
  for (const [name, value] of Object.entries(byExecutionTime)) checkMs(`byExecutionTime.${name}`, value)
  const fallback = ms === undefined ? DEFAULT_MS_BY_EXECUTION_TIME : {}
  const msByExecutionTime = { ...fallback, ...byExecutionTime }

  return async (commandName, _input, context, next) => {
    const { executionTime } = context.command
    const afterMs = (executionTime && msByExecutionTime[executionTime]) ?? ms ?? DEFAULT_MS
    const signal = stopSignalOf(context)
    const innerStop = new Stop()
    // AbortSignal.any is not used: the caller's signal can outlive many calls and must not keep references to this one.
    const passOn = () => innerStop.abort(signal.reason)
    if (signal.aborted) passOn()
    else signal.addEventListener('abort', passOn, { once: true })

    let timer: NodeJS.Timeout | undefined
    const timeIsUp = new Promise<CommandResult>((resolve) => {
      timer = setTimeout(() => {
        // Resolved before the abort, so that an answer that the handler gives on abort is not used.
        resolve(overdueFailure(commandName, afterMs, signal))
        innerStop.abort(new DOMException(`'${commandName}' did not finish within ${afterMs} ms`, 'TimeoutError'))
      }, afterMs)
    })
    try {
      // Promise.race handles both promises, so a late rejection is ignored like a late result.
      return await Promise.race([next(withSignal(context, innerStop)), timeIsUp])
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', passOn)
    }
  }
}

// The rest of the chain may still answer after a cancellation. If it has not answered at the time limit, the result is
// CANCELLED.
function overdueFailure(name: string, afterMs: number, signal: StopSignal): CommandResult {
  return signal.aborted ? fail('CANCELLED', { name }) : fail('TIMEOUT', { name, afterMs })
}

function checkMs(name: string, value: number): void {
  checkNumber('timeout', name, value, { min: 1, max: MAX_TIMER_MS })
}
