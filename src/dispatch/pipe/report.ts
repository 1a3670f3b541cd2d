// The result of a pipe: the last data, the result of each step, and the metadata of all steps.

import { errorOf } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import type {
  Alternative,
  CommandError,
  CommandResult,
  ResultExtras,
  ResultMetadata,
  ResultSource,
  ResultWarning,
} from '../../core/result.ts'
import { type BoundedOutcome, contentOf } from '../bounded-run.ts'

export interface PipeStepResult {
  /** The position in the request, from 0. */
  readonly index: number
  /** The name that the request gives to the step. */
  readonly alias?: string
  /** The name of the command. */
  readonly command: string
  /** `skipped`: its condition was false, another step failed or cannot be called, or the pipe was stopped before it. */
  readonly status: 'success' | 'failure' | 'skipped'
  /** The data of a step that succeeded. */
  readonly data?: unknown
  /** Set for a failed step, and for a step that was skipped for a reason other than its own condition. */
  readonly error?: CommandError
  /** The duration in milliseconds. */
  readonly executionTimeMs: number
  /** The metadata of the command's result. Its warnings, sources and alternatives are in the pipe's metadata. */
  readonly metadata?: ResultMetadata
}

type FromStep<T> = T & { readonly stepIndex: number }

export interface PipeMetadata extends ResultMetadata {
  /**
   * The lowest confidence of the completed steps. A step without a confidence counts as 1. 0 if the pipe failed and no
   * step was completed.
   */
  readonly confidence: number
  /** The confidence of each completed step. */
  readonly confidenceBreakdown: readonly ConfidenceOfStep[]
  /** The reasoning of the steps that have one. */
  readonly reasoning: readonly { readonly stepIndex: number; readonly command: string; readonly reasoning: string }[]
  /** The warnings of all steps. */
  readonly warnings: readonly FromStep<ResultWarning>[]
  /** The sources of all steps. */
  readonly sources: readonly FromStep<ResultSource>[]
  /** The alternatives of all steps. */
  readonly alternatives: readonly FromStep<Alternative>[]
  /** The duration of the pipe in milliseconds. */
  readonly executionTimeMs: number
  /** The number of steps that succeeded. */
  readonly completedSteps: number
  /** The number of steps in the request. */
  readonly totalSteps: number
}

interface ConfidenceOfStep {
  /** The position of the step, from 0. */
  readonly step: number
  /** The name that the request gives to the step. */
  readonly alias?: string
  /** The name of the command. */
  readonly command: string
  /** From 0 to 1. */
  readonly confidence: number
  /** The reasoning in the result of the step. */
  readonly reasoning?: string
}

/** The fields of every pipe that ran. */
interface PipeReport extends ResultExtras {
  /** The data of the last step that succeeded, or null. */
  readonly data: unknown
  /** The metadata of all steps together. */
  readonly metadata: PipeMetadata
  /** The result of each step, in order. */
  readonly steps: readonly PipeStepResult[]
}

/**
 * The outcome of a pipe: a success if no step has an error. `error` is that of the first failed step, or else of the
 * first skipped step with an error. `error.details.step` is the index of that step.
 */
export type PipeResult = PipeReport &
  ({ readonly success: true; readonly error?: undefined } | { readonly success: false; readonly error: CommandError })

export interface StepRun {
  readonly step: PipeStepResult
  /** Absent if the command did not run or did not finish. */
  readonly result?: CommandResult
  readonly content: BoundedOutcome['content']
}

export function reportPipe(runs: readonly StepRun[], executionTimeMs: number): PipeResult {
  const steps = runs.map(({ step }) => step)
  const completed = runs.filter(({ step }) => step.status === 'success')
  // A step can be skipped because of a later step that cannot run, so look for a failed step first.
  const broken = steps.find(({ status }) => status === 'failure') ?? steps.find(({ error }) => error !== undefined)
  const error = broken === undefined ? undefined : withStep(broken.error ?? missingError(broken), broken.index)
  const confidenceBreakdown = completed.map(confidenceOf)
  const lowest = Math.min(1, ...confidenceBreakdown.map(({ confidence }) => confidence))
  return {
    ...(error === undefined ? { success: true } : { success: false, error }),
    data: completed.at(-1)?.step.data ?? null,
    metadata: {
      confidence: completed.length === 0 && broken !== undefined ? 0 : lowest,
      confidenceBreakdown,
      reasoning: runs.flatMap(({ step: { index: stepIndex, command }, result }) =>
        result?.reasoning === undefined ? [] : [{ stepIndex, command, reasoning: result.reasoning }],
      ),
      warnings: runs.flatMap((run) => fromStep(run, run.result?.warnings)),
      sources: runs.flatMap((run) => fromStep(run, run.result?.sources)),
      alternatives: runs.flatMap((run) => fromStep(run, run.result?.alternatives)),
      executionTimeMs,
      completedSteps: completed.length,
      totalSteps: steps.length,
    },
    steps,
    ...contentOf(runs),
  }
}

/** The metadata that a step keeps from its result. Empty if there is none. */
export function metadataOfStep(result: CommandResult): { metadata?: ResultMetadata } {
  const { confidence, reasoning, plan } = result
  // The step has its own executionTimeMs.
  const { executionTimeMs, ...rest } = result.metadata ?? {}
  const stated = Object.entries({ confidence, reasoning, plan, ...rest }).filter(([, value]) => value !== undefined)
  return stated.length === 0 ? {} : { metadata: Object.fromEntries(stated) }
}

function confidenceOf({ step: { index, alias, command }, result }: StepRun): ConfidenceOfStep {
  const confidence = typeof result?.confidence === 'number' ? result.confidence : 1
  const reasoning = typeof result?.reasoning === 'string' ? { reasoning: result.reasoning } : {}
  return { step: index, ...(alias === undefined ? {} : { alias }), command, confidence, ...reasoning }
}

function fromStep<T extends object>({ step }: StepRun, values: readonly T[] = []): FromStep<T>[] {
  // A handler in plain JavaScript can return values of other types: only the basic form of its result is checked.
  if (!Array.isArray(values as unknown)) return []
  return values.flatMap((one) => (isRecord(one) ? [{ ...one, stepIndex: step.index }] : []))
}

/** A handler in plain JavaScript can fail without an error. */
export function missingError({ command }: { readonly command: string }): CommandError {
  return errorOf('INVALID_RESULT', { name: command, reason: 'it failed without an error' })
}

function withStep(error: CommandError, step: number): CommandError {
  return { ...error, details: { ...error.details, step } }
}
