// afd-batch: runs several commands in one request, each with its own result.

import { z } from 'zod'
import { decodeStringified } from '../core/decode.ts'
import { MAX_RESULT_BYTES } from '../core/encode-result.ts'
import { errorOf, fail } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import {
  type CommandError,
  type CommandResult,
  type FailureResult,
  isSuccess,
  type ResultExtras,
  type ResultWarning,
} from '../core/result.ts'
import { cutLongText } from '../core/text.ts'
import { issuesOf } from '../core/validate.ts'
import {
  type BoundedOutcome,
  type BoundedRun,
  contentOf,
  type Invocation,
  msSince,
  startBoundedRun,
} from './bounded-run.ts'

const MAX_ENTRIES = 100
const MAX_PARALLELISM = 16
const MAX_ISSUES_SHOWN = 10

const entryInput = z.preprocess(
  (value) => decodeStringified(value, { type: 'object' }),
  z.custom<Readonly<Record<string, unknown>>>(isRecord, 'expected an object'),
)

const entrySchema = z.strictObject({
  id: z.string().min(1).optional(),
  command: z.string().min(1),
  input: entryInput.optional(),
})

const batchRequestSchema = z.strictObject({
  commands: z.array(entrySchema).min(1).max(MAX_ENTRIES, { error: tooMany }),
  options: z
    .strictObject({
      stopOnError: z.boolean().default(false),
      timeout: z.number().positive().optional(),
      parallelism: z.int().min(1).max(MAX_PARALLELISM).default(1),
    })
    .prefault({}),
})

/** The commands of a batch, and how to run them. */
export type BatchRequest = z.input<typeof batchRequestSchema>

interface BatchEntry {
  readonly id: string
  readonly index: number
  readonly command: string
  readonly input: Readonly<Record<string, unknown>>
}

interface BatchPlan {
  readonly entries: readonly BatchEntry[]
  readonly stopOnError: boolean
  readonly timeoutMs: number | undefined
  readonly parallelism: number
}

/** Returns the plan, or the reason why the request is invalid. */
function planBatch(request: unknown, invocation: Invocation, name: string): BatchPlan | string {
  const parsed = batchRequestSchema.safeParse(request)
  if (!parsed.success) return issuesText(issuesOf(parsed.error.issues, request).map(({ message }) => message))
  const { commands, options } = parsed.data
  const { stopOnError, timeout: timeoutMs, parallelism } = options
  const given = new Set(commands.map(({ id }) => id))
  const entries = commands.map(({ id, command, input = {} }, index) => ({
    // Another entry may use this index as its explicit id.
    id: id ?? (given.has(`${index}`) ? `#${index}` : `${index}`),
    index,
    command,
    input,
  }))
  return findProblem(entries, invocation, name) ?? { entries, stopOnError, timeoutMs, parallelism }
}

function findProblem(entries: readonly BatchEntry[], invocation: Invocation, name: string): string | undefined {
  const owners = new Map<string, number>()
  for (const { id, index, command } of entries) {
    const field = `commands[${index}]`
    if (invocation.isBuiltin(command)) {
      return `Field '${field}.command': '${command}' is a built-in and cannot run inside ${name}`
    }
    const owner = owners.get(id)
    if (owner !== undefined) {
      return `Field '${field}.id': '${cutLongText(id, 80)}' is already the id of commands[${owner}]`
    }
    owners.set(id, index)
  }
  return undefined
}

function issuesText(messages: readonly string[]): string {
  const more = messages.length - MAX_ISSUES_SHOWN
  return `${messages.slice(0, MAX_ISSUES_SHOWN).join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

function tooMany({ input }: { readonly input?: unknown }): string {
  return `has ${Array.isArray(input) ? input.length : 'too many'} entries, but at most ${MAX_ENTRIES} are allowed`
}

/** The result of one command of a batch. */
export interface BatchEntryResult {
  /** The entry's own id, else its index as text, with a `#` in front if another entry has that id. */
  readonly id: string
  /** The position in the request, from 0. */
  readonly index: number
  /** The name of the command. */
  readonly command: string
  /** The result of the command. */
  readonly result: CommandResult
  /** The duration in milliseconds. */
  readonly durationMs: number
}

/** The fields of the result of every batch that ran. */
interface BatchReport extends ResultExtras {
  /** In the order of the request, not in the order of completion. */
  readonly results: readonly BatchEntryResult[]
  /** The number of entries, by their outcome. */
  readonly summary: {
    readonly total: number
    readonly successCount: number
    readonly failureCount: number
    readonly skippedCount: number
  }
  /** The durations in milliseconds, and the times in ISO 8601. */
  readonly timing: {
    readonly totalMs: number
    /** The average of the entries that ran. */
    readonly averageMs: number
    readonly startedAt: string
    readonly completedAt: string
  }
  /** The lowest confidence of the successful entries: 1 if they state none, 0 if no entry succeeded. */
  readonly confidence: number
  /** One sentence about the outcome. */
  readonly reasoning: string
  /** Absent: the data is in the results of the entries. */
  readonly data?: undefined
}

/**
 * The outcome of a batch: a success if any entry succeeded. The number of entries that failed or were skipped is in a
 * warning of a success, or in the error of a failure.
 */
export type BatchResult = BatchReport &
  ({ readonly success: true; readonly error?: undefined } | { readonly success: false; readonly error: CommandError })

interface FinishedEntry {
  readonly status: 'success' | 'failure' | 'skipped'
  readonly entry: BatchEntryResult
  readonly content: BoundedOutcome['content']
}

/** Runs all entries even if some fail, unless `stopOnError` is set. A timeout or a cancel skips the rest. */
export async function runBatch(
  request: unknown,
  invocation: Invocation,
  name = 'afd-batch',
): Promise<BatchResult | FailureResult> {
  const plan = planBatch(request, invocation, name)
  if (typeof plan === 'string') return fail('INVALID_BATCH_REQUEST', { reason: plan })

  const startedAt = new Date().toISOString()
  const startMs = performance.now()
  const bounds = startBoundedRun(invocation, {
    timeoutMs: plan.timeoutMs,
    maxBytes: MAX_RESULT_BYTES,
    count: plan.entries.length,
  })
  try {
    const { done, skipped } = await runEntries(plan, bounds)
    const completedAt = new Date().toISOString()
    return buildReport(done, skipped, { totalMs: msSince(startMs), averageMs: averageMs(done), startedAt, completedAt })
  } finally {
    bounds.close()
  }
}

async function runEntries({ entries, stopOnError, timeoutMs = 0, parallelism }: BatchPlan, bounds: BoundedRun) {
  const done: FinishedEntry[] = []
  let failed: BatchEntry | undefined
  let skipped: ResultWarning | undefined

  function reasonToSkip(): ResultWarning | undefined {
    const reason = bounds.stopReason()
    if (reason === 'timeout')
      return { code: 'BATCH_TIMEOUT', message: `the batch did not finish within ${timeoutMs} ms` }
    if (reason === 'cancelled') return { code: 'CANCELLED', message: 'the batch was cancelled' }
    if (!stopOnError || failed === undefined) return undefined
    const command = cutLongText(failed.command, 80)
    return { code: 'STEP_SKIPPED', message: `commands[${failed.index}] ('${command}') failed and stopOnError is set` }
  }

  async function runOne(entry: BatchEntry): Promise<FinishedEntry> {
    const { id, index, command, input } = entry
    const skip = reasonToSkip()
    if (skip !== undefined) {
      skipped ??= skip
      const result = fail('STEP_SKIPPED', { reason: skip.message })
      return { status: 'skipped', entry: { id, index, command, result, durationMs: 0 }, content: [] }
    }
    const { result: given, content, durationMs } = await bounds.run(command, input)
    const stopped = () =>
      bounds.stopReason() === 'timeout' ? fail('BATCH_TIMEOUT', { timeoutMs }) : fail('CANCELLED', { name: command })
    const result = given ?? stopped()
    if (!isSuccess(result)) failed ??= entry
    return {
      status: isSuccess(result) ? 'success' : 'failure',
      entry: { id, index, command, result, durationMs },
      content,
    }
  }

  const waiting = entries.values()
  async function work(): Promise<void> {
    // All workers share one iterator, so each takes the next entry that has not started.
    for (const entry of waiting) done[entry.index] = await runOne(entry)
  }
  await Promise.all(Array.from({ length: Math.min(parallelism, entries.length) }, work))
  return { done, skipped }
}

function buildReport(
  done: readonly FinishedEntry[],
  skipped: ResultWarning | undefined,
  timing: BatchResult['timing'],
): BatchResult {
  const count = (status: FinishedEntry['status']) => done.filter((one) => one.status === status).length
  const total = done.length
  const successCount = count('success')
  const failureCount = count('failure')
  const skippedCount = count('skipped')
  const hasSucceeded = successCount > 0
  const commands = total === 1 ? 'command' : 'commands'
  const notRun = `${skippedCount} of ${total} ${commands} ${skippedCount === 1 ? 'was' : 'were'}`
  const incomplete = errorOf('BATCH_INCOMPLETE', { failed: failureCount, skipped: skippedCount, total })
  const warnings = [
    ...(hasSucceeded && successCount < total ? [toWarning(incomplete)] : []),
    ...(skipped === undefined ? [] : [{ code: skipped.code, message: `${notRun} not run: ${skipped.message}` }]),
  ]
  return {
    ...(hasSucceeded ? { success: true } : { success: false, error: incomplete }),
    results: done.map(({ entry }) => entry),
    summary: { total, successCount, failureCount, skippedCount },
    timing,
    confidence: lowestConfidence(done),
    reasoning: `${successCount} of ${total} ${commands} succeeded, ${failureCount} failed, ${skippedCount} skipped.`,
    ...(warnings.length === 0 ? {} : { warnings }),
    ...contentOf(done),
  }
}

function toWarning({ code, message, suggestion }: CommandError): ResultWarning {
  return { code, message: `${message}. ${suggestion}` }
}

function lowestConfidence(done: readonly FinishedEntry[]): number {
  const succeeded = done.filter(({ status }) => status === 'success')
  if (succeeded.length === 0) return 0
  // A handler in plain JavaScript can return a confidence that is not a number.
  const stated = succeeded.map(({ entry }) => entry.result.confidence).filter((one) => typeof one === 'number')
  return Math.min(1, ...stated)
}

function averageMs(done: readonly FinishedEntry[]): number {
  const ran = done.filter(({ status }) => status !== 'skipped')
  const sum = ran.reduce((ms, { entry }) => ms + entry.durationMs, 0)
  return ran.length === 0 ? 0 : Math.round(sum / ran.length)
}
