// afd-pipe: commands one after the other, each with what the earlier ones gave.

import { errorOf } from '../core/errors.ts'
import { type CommandError, type FailureResult, isSuccess } from '../core/result.ts'
import { cutLongText } from '../core/text.ts'
import { type BoundedRun, msSince, startBoundedRun } from './bounded-run.ts'
import type { Invocation } from './invoke.ts'
import { evaluate } from './pipe/conditions.ts'
import { type MissingValue, resolveReferences } from './pipe/references.ts'
import { metadataOfStep, type PipeResult, type PipeStepResult, reportPipe, type StepRun } from './pipe/report.ts'
import { type PipePlan, type PipeStep, planPipe } from './pipe/request.ts'

export type { PipeMetadata, PipeResult, PipeStepResult } from './pipe/report.ts'
export { type PipeRequest, pipeRequestSchema } from './pipe/request.ts'

/** Refuses a pipe in which anything can be seen to be wrong, before any of it runs. */
export async function runPipe(
  request: unknown,
  invocation: Invocation,
  name = 'afd-pipe',
): Promise<PipeResult | FailureResult> {
  const plan = planPipe(request, invocation, name)
  if ('error' in plan) return plan

  const startedAt = performance.now()
  const bounds = startBoundedRun(invocation, plan.timeoutMs)
  const runs: StepRun[] = []
  try {
    for (const step of plan.steps) runs.push(await runStep(step, plan, runs, bounds))
  } finally {
    bounds.close()
  }
  return reportPipe(runs, msSince(startedAt))
}

async function runStep(
  step: PipeStep,
  plan: PipePlan,
  before: readonly StepRun[],
  bounds: BoundedRun,
): Promise<StepRun> {
  const skip = reasonToSkip(step, plan, before, bounds)
  if (skip !== undefined) return notRun(step, 'skipped', skip)

  const scope = { input: plan.input, earlier: before.map((run) => run.step), aliases: plan.aliases }
  const holds = step.when === undefined || evaluate(step.when, scope)
  if (holds === false) return notRun(step, 'skipped')
  if (holds !== true) return notRun(step, 'failure', missingError(step, holds))
  const input = resolveReferences(step.input, scope)
  if (!input.ok) return notRun(step, 'failure', missingError(step, input.missing))

  const { result, content, durationMs } = await bounds.run(step.command, input.value)
  if (result === undefined) return notRun(step, 'failure', stopError(step, plan, bounds), durationMs)
  const outcome = isSuccess(result)
    ? ({ status: 'success', data: result.data } as const)
    : ({ status: 'failure', error: result.error ?? wordless(step) } as const)
  return {
    step: stepResult(step, { ...outcome, executionTimeMs: durationMs, ...metadataOfStep(result) }),
    result,
    content,
  }
}

function reasonToSkip(
  step: PipeStep,
  plan: PipePlan,
  before: readonly StepRun[],
  bounds: BoundedRun,
): CommandError | undefined {
  // Not CANCELLED: that says a change may have happened, and this step never began.
  if (bounds.stopReason() === 'cancelled') return errorOf('STEP_SKIPPED', { reason: 'the pipe was cancelled' })
  const stop = stopError(step, plan, bounds)
  if (stop !== undefined || plan.continueOnFailure) return stop
  const failed = before.find((run) => run.step.status === 'failure')?.step
  if (failed === undefined) return undefined
  return errorOf('STEP_SKIPPED', { reason: `step ${failed.index} ('${cutLongText(failed.command, 80)}') failed` })
}

function stopError({ command }: PipeStep, { timeoutMs = 0 }: PipePlan, bounds: BoundedRun): CommandError | undefined {
  const reason = bounds.stopReason()
  if (reason === undefined) return undefined
  return reason === 'timeout' ? errorOf('PIPELINE_TIMEOUT', { timeoutMs }) : errorOf('CANCELLED', { name: command })
}

function missingError({ index: step }: PipeStep, { reference, reason }: MissingValue): CommandError {
  return errorOf('INVALID_PIPE_REFERENCE', { step, reference, reason }, { step })
}

function wordless({ command }: PipeStep): CommandError {
  return errorOf('INVALID_RESULT', { name: command, reason: 'it failed without an error' })
}

function notRun(step: PipeStep, status: 'skipped' | 'failure', error?: CommandError, executionTimeMs = 0): StepRun {
  return {
    step: stepResult(step, { status, ...(error === undefined ? {} : { error }), executionTimeMs }),
    content: [],
  }
}

function stepResult(
  { index, alias, command }: PipeStep,
  ended: Omit<PipeStepResult, 'index' | 'alias' | 'command'>,
): PipeStepResult {
  return { index, ...(alias === undefined ? {} : { alias }), command, ...ended }
}
