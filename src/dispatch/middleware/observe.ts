// Runs the rest of a middleware chain and reports its outcome without changing it.

import type { Next } from '../../core/call.ts'
import type { CommandResult } from '../../core/result.ts'
import { startStopwatch } from './stopwatch.ts'

export interface ObservedOutcome {
  /** The duration in milliseconds. */
  readonly durationMs: number
  /** Whether the call succeeded. */
  readonly success: boolean
  /** Absent on success, and if the rest of the chain threw. */
  readonly errorCode?: string
  /** The confidence of the result, from 0 to 1, if it states one. */
  readonly confidence?: number
}

export async function observe(next: Next, report: (outcome: ObservedOutcome) => unknown): Promise<CommandResult> {
  const elapsedMs = startStopwatch()
  let result: CommandResult | undefined
  try {
    result = await next()
    return result
  } finally {
    const outcome = outcomeOf(result, elapsedMs())
    ignoreFailure(() => report(outcome))
  }
}

function outcomeOf(result: CommandResult | undefined, durationMs: number): ObservedOutcome {
  return {
    durationMs,
    success: result?.success === true,
    ...(result?.error === undefined ? {} : { errorCode: result.error.code }),
    ...(result?.confidence === undefined ? {} : { confidence: result.confidence }),
  }
}

function ignoreFailure(run: () => unknown): void {
  try {
    // The function may be async, and its unhandled rejection would end the process.
    Promise.resolve(run()).catch(() => {})
  } catch {
    // A failed report must not change the call.
  }
}
