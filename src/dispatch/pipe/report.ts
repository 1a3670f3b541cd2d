// What a pipe gives back: the last data, what each step did, and what the steps said about themselves.

import type {
  Alternative,
  CommandError,
  CommandResult,
  ResultMetadata,
  ResultSource,
  ResultWarning,
} from '../../core/result.ts'
import { isRecord } from '../../core/schema.ts'
import { contentOf, type Outcome } from '../bounded-run.ts'

export interface PipeStepResult {
  readonly index: number
  readonly alias?: string
  readonly command: string
  readonly status: 'success' | 'failure' | 'skipped'
  readonly data?: unknown
  /** Of a failed step, and of one that was skipped for any reason but its own condition. */
  readonly error?: CommandError
  readonly executionTimeMs: number
  /** What the command said of its own run; its warnings, sources and alternatives are in the pipe's metadata. */
  readonly metadata?: ResultMetadata
}

export type FromStep<T> = T & { readonly stepIndex: number }

export interface PipeMetadata extends ResultMetadata {
  /** The weakest link: the lowest of the completed steps, where one that states none counts as 1. */
  readonly confidence: number
  readonly confidenceBreakdown: readonly ConfidenceOfStep[]
  readonly reasoning: readonly { readonly stepIndex: number; readonly command: string; readonly reasoning: string }[]
  readonly warnings: readonly FromStep<ResultWarning>[]
  readonly sources: readonly FromStep<ResultSource>[]
  readonly alternatives: readonly FromStep<Alternative>[]
  readonly executionTimeMs: number
  /** Those that succeeded. */
  readonly completedSteps: number
  readonly totalSteps: number
}

export interface ConfidenceOfStep {
  readonly step: number
  readonly alias?: string
  readonly command: string
  readonly confidence: number
  /** As the step stated it. */
  readonly reasoning?: string
}

export interface PipeResult extends CommandResult {
  /** Of the last step that succeeded; null where none did. */
  readonly data: unknown
  /** Of the first step that failed, or else was skipped with one, with `details.step`. */
  readonly error?: CommandError
  readonly metadata: PipeMetadata
  readonly steps: readonly PipeStepResult[]
}

export interface StepRun {
  readonly step: PipeStepResult
  /** Absent where the command did not run to its end. */
  readonly result?: CommandResult
  readonly content: Outcome['content']
}

export function reportPipe(runs: readonly StepRun[], executionTimeMs: number): PipeResult {
  const steps = runs.map(({ step }) => step)
  const completed = runs.filter(({ step }) => step.status === 'success')
  // A step may be skipped for what comes after it.
  const broken = steps.find(({ status }) => status === 'failure') ?? steps.find(({ error }) => error !== undefined)
  const confidenceBreakdown = completed.map(confidenceOf)
  const lowest = Math.min(1, ...confidenceBreakdown.map(({ confidence }) => confidence))
  return {
    success: broken === undefined,
    data: completed.at(-1)?.step.data ?? null,
    ...(broken?.error === undefined ? {} : { error: withStep(broken.error, broken.index) }),
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

/** What a step keeps of its result's extras, or nothing. */
export function metadataOfStep(result: CommandResult): { metadata?: ResultMetadata } {
  const { confidence, reasoning, plan } = result
  // Its own time is on the step already.
  const { executionTimeMs, ...rest } = result.metadata ?? {}
  const said = Object.entries({ confidence, reasoning, plan, ...rest }).filter(([, value]) => value !== undefined)
  return said.length === 0 ? {} : { metadata: Object.fromEntries(said) }
}

function confidenceOf({ step: { index, alias, command }, result }: StepRun): ConfidenceOfStep {
  const confidence = typeof result?.confidence === 'number' ? result.confidence : 1
  const reasoning = typeof result?.reasoning === 'string' ? { reasoning: result.reasoning } : {}
  return { step: index, ...(alias === undefined ? {} : { alias }), command, confidence, ...reasoning }
}

function fromStep<T extends object>({ step }: StepRun, said: readonly T[] = []): FromStep<T>[] {
  // A handler may be plain JavaScript, and only the outline of its result has been checked: the type may be wrong.
  if (!Array.isArray(said as unknown)) return []
  return said.flatMap((one) => (isRecord(one) ? [{ ...one, stepIndex: step.index }] : []))
}

function withStep(error: CommandError, step: number): CommandError {
  return { ...error, details: { ...error.details, step } }
}
