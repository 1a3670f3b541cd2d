// afd-pipe: runs commands one after the other. A step can use the data of earlier steps.

import { MAX_RESULT_BYTES } from '../../core/encode-result.ts'
import { errorOf } from '../../core/errors.ts'
import { type CommandError, type FailureResult, isSuccess } from '../../core/result.ts'
import { cutLongText } from '../../core/text.ts'
import { type BoundedRun, msSince, startBoundedRun } from '../bounded-run.ts'
import { createAllowance, MAX_REFERENCED_BYTES } from './allowance.ts'
import { evaluate, type Undecided } from './conditions.ts'
import { affordReferences, type PipeScope, resolveReferences } from './references.ts'
import {
  metadataOfStep,
  missingError,
  type PipeResult,
  type PipeStepResult,
  reportPipe,
  type StepRun,
} from './report.ts'
import { type PipeInvocation, type PipePlan, type PipeStep, planPipe } from './request.ts'

export type { PipeMetadata, PipeResult, PipeStepResult } from './report.ts'
export type { PipeInvocation, PipeRequest } from './request.ts'

/** Half of the maximum size of a result, because the last data occurs in it twice. */
const MAX_RESULTS_BYTES = MAX_RESULT_BYTES / 2

/**
 * Runs the steps in order. Refuses a malformed pipe before any step runs, and, unless `continueOnFailure` is set, also
 * a pipe with a command that cannot be called.
 */
export async function runPipe(
  request: unknown,
  invocation: PipeInvocation,
  name = 'afd-pipe',
): Promise<PipeResult | FailureResult> {
  const plan = planPipe(request, invocation, name)
  if ('error' in plan) return plan

  const startedAt = performance.now()
  const refused = plan.continueOnFailure ? undefined : refuseSteps(plan, invocation)
  if (refused !== undefined) return reportPipe(refused, msSince(startedAt))

  const bounds = startBoundedRun(invocation, {
    timeoutMs: plan.timeoutMs,
    maxBytes: MAX_RESULTS_BYTES,
    count: plan.steps.length,
  })
  const allowance = createAllowance()
  const runs: StepRun[] = []
  try {
    for (const step of plan.steps) {
      const scope = { input: plan.input, earlier: runs.map((run) => run.step), aliases: plan.aliases, allowance }
      runs.push(await runStep(step, plan, scope, bounds))
    }
  } finally {
    bounds.close()
  }
  return reportPipe(runs, msSince(startedAt))
}

/** The results of all steps if one of the commands cannot be called. Undefined if every command can be called. */
function refuseSteps({ steps }: PipePlan, invocation: PipeInvocation): readonly StepRun[] | undefined {
  const refusals = new Map<string, CommandError | undefined>()
  for (const { command } of steps) {
    if (!refusals.has(command)) refusals.set(command, invocation.refusal?.(command)?.error)
  }
  const first = steps.find(({ command }) => refusals.get(command) !== undefined)
  if (first === undefined) return undefined
  const skip = errorOf('STEP_SKIPPED', { reason: `step ${first.index} (${quoted(first)}) cannot run` })
  return steps.map((step) => {
    const error = refusals.get(step.command)
    return error === undefined ? noResult(step, 'skipped', skip) : noResult(step, 'failure', error)
  })
}

async function runStep(step: PipeStep, plan: PipePlan, scope: PipeScope, bounds: BoundedRun): Promise<StepRun> {
  const skip = reasonToSkip(step, plan, scope, bounds)
  if (skip !== undefined) return noResult(step, 'skipped', skip)

  const verdict = step.when === undefined || evaluate(step.when, scope)
  if (verdict === false) return noResult(step, 'skipped')
  if (verdict !== true) return noResult(step, 'failure', undecidedError(step, 'when', plan, verdict))
  // The size is checked before the input is built: short references can expand to more data than fits into memory.
  const input = affordReferences(step.input, scope) ? resolveReferences(step.input, scope) : 'too-much'
  if (input === 'too-much') return noResult(step, 'failure', undecidedError(step, 'input', plan, input))
  if (!input.ok) return noResult(step, 'failure', undecidedError(step, 'input', plan, input.missing))

  const { result, content, durationMs } = await bounds.run(step.command, input.value)
  if (result === undefined) return noResult(step, 'failure', stopError(step, plan, bounds), durationMs)
  const outcome = isSuccess(result)
    ? ({ status: 'success', data: result.data } as const)
    : ({ status: 'failure', error: result.error ?? missingError(step) } as const)
  return {
    step: stepResult(step, { ...outcome, executionTimeMs: durationMs, ...metadataOfStep(result) }),
    result,
    content,
  }
}

function reasonToSkip(
  step: PipeStep,
  plan: PipePlan,
  { earlier }: PipeScope,
  bounds: BoundedRun,
): CommandError | undefined {
  // Not CANCELLED: that code means that the command may have changed something, and this step never began.
  if (bounds.stopReason() === 'cancelled') return errorOf('STEP_SKIPPED', { reason: 'the pipe was cancelled' })
  const stop = stopError(step, plan, bounds)
  if (stop !== undefined || plan.continueOnFailure) return stop
  const index = earlier.findIndex(({ status }) => status === 'failure')
  const failed = earlier[index]
  if (failed === undefined) return undefined
  return errorOf('STEP_SKIPPED', { reason: `step ${index} (${quoted(failed)}) failed` })
}

function stopError({ command }: PipeStep, { timeoutMs = 0 }: PipePlan, bounds: BoundedRun): CommandError | undefined {
  const reason = bounds.stopReason()
  if (reason === undefined) return undefined
  return reason === 'timeout' ? errorOf('PIPELINE_TIMEOUT', { timeoutMs }) : errorOf('CANCELLED', { name: command })
}

function undecidedError(
  { index: step }: PipeStep,
  field: 'when' | 'input',
  { name }: PipePlan,
  obstacle: Undecided,
): CommandError {
  if (obstacle !== 'too-much') {
    const { reference, reason } = obstacle
    return errorOf('INVALID_PIPE_REFERENCE', { step, reference, reason }, { step })
  }
  const path = `steps[${step}].${field}`
  const problem = `the references and comparisons of this pipe exceed its limit of ${MAX_REFERENCED_BYTES} bytes`
  const issues = [{ path, message: `Field '${path}': ${problem}` }]
  const hint = 'Refer to the part that the step needs, like "$prev.items[0].id", or send several pipes.'
  return errorOf('VALIDATION_ERROR', { name, issues, hint }, { step, issues })
}

function quoted({ command }: { readonly command: string }): string {
  return `'${cutLongText(command, 80)}'`
}

function noResult(step: PipeStep, status: 'skipped' | 'failure', error?: CommandError, executionTimeMs = 0): StepRun {
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
