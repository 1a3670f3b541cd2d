// Ends a call that takes too long: its signal aborts, and its caller gets TIMEOUT whether or not the handler listens.

import type { CommandContext, Middleware } from '../../core/call.ts'
import { fail } from '../../core/errors.ts'
import type { CommandResult } from '../../core/result.ts'
import type { ExecutionTime } from '../../core/tool.ts'
import { checkNumber, MAX_TIMER_MS } from './check-number.ts'

export interface TimeoutOptions {
  /** For every command that `byExecutionTime` does not name. Without it: 60 s, `slow` 5 min, `long-running` 60 min. */
  readonly ms?: number
  readonly byExecutionTime?: Readonly<Partial<Record<ExecutionTime, number>>>
}

const DEFAULT_MS = 60_000
const DEFAULT_MS_BY_EXECUTION_TIME: TimeoutOptions['byExecutionTime'] = {
  slow: 5 * 60_000,
  'long-running': 60 * 60_000,
}

export function timeout(options: number | TimeoutOptions = {}): Middleware {
  const { ms, byExecutionTime = {} }: TimeoutOptions = typeof options === 'number' ? { ms: options } : options
  if (ms !== undefined) checkMs('ms', ms)
  for (const [name, value] of Object.entries(byExecutionTime)) checkMs(`byExecutionTime.${name}`, value)
  const fallback = ms === undefined ? DEFAULT_MS_BY_EXECUTION_TIME : {}
  const msByExecutionTime = { ...fallback, ...byExecutionTime }

  return async (commandName, _input, context, next) => {
    const { executionTime } = context.command
    const afterMs = (executionTime && msByExecutionTime[executionTime]) ?? ms ?? DEFAULT_MS
    const rest = new AbortController()
    // By hand, not AbortSignal.any: the caller's signal may outlive many calls and must keep nothing of this one.
    const passOn = () => rest.abort(context.signal.reason)
    if (context.signal.aborted) passOn()
    else context.signal.addEventListener('abort', passOn, { once: true })

    let timer: NodeJS.Timeout | undefined
    const timeIsUp = new Promise<CommandResult>((resolve) => {
      timer = setTimeout(() => {
        // Before the abort, so that no handler's answer to the abort is faster.
        resolve(overdue(commandName, afterMs, context))
        rest.abort(new DOMException(`'${commandName}' did not finish in ${afterMs} ms`, 'TimeoutError'))
      }, afterMs)
    })
    try {
      // The race also handles the loser: a late rejection is dropped like a late result.
      return await Promise.race([next({ ...context, signal: rest.signal }), timeIsUp])
    } finally {
      clearTimeout(timer)
      context.signal.removeEventListener('abort', passOn)
    }
  }
}

// A cancelled call may still answer for itself until time is up; then it was cancelled, not too slow.
function overdue(name: string, afterMs: number, { signal }: CommandContext): CommandResult {
  return signal.aborted ? fail('CANCELLED', { name }) : fail('TIMEOUT', { name, afterMs })
}

function checkMs(name: string, value: number): void {
  checkNumber('timeout', name, value, { min: 1, max: MAX_TIMER_MS })
}
