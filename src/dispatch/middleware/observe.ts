// Runs the rest of a chain and reports how it went, for those who watch calls without touching them.

import type { Next } from '../../core/call.ts'
import type { CommandResult } from '../../core/result.ts'
import { startStopwatch } from './stopwatch.ts'

export interface Outcome {
  readonly durationMs: number
  readonly success: boolean
  /** Absent on success, and where the rest of the chain threw. */
  readonly errorCode?: string
  readonly confidence?: number
}

export async function observe(next: Next, report: (outcome: Outcome) => unknown): Promise<CommandResult> {
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

function outcomeOf(result: CommandResult | undefined, durationMs: number): Outcome {
  return {
    durationMs,
    success: result?.success === true,
    ...(result?.error === undefined ? {} : { errorCode: result.error.code }),
    ...(result?.confidence === undefined ? {} : { confidence: result.confidence }),
  }
}

function ignoreFailure(run: () => unknown): void {
  try {
    // An async function fits a type that returns void; its rejection would end the process.
    Promise.resolve(run()).catch(() => {})
  } catch {
    // The call went as it went, whether or not somebody could write it down.
  }
}
