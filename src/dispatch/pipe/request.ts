// The schema of a pipe request, and the plan that is made from a valid request.

import { z } from 'zod'
import { decodeStringified } from '../../core/decode.ts'
import { fail } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import type { CommandResult, FailureResult } from '../../core/result.ts'
import { cutLongText } from '../../core/text.ts'
import type { ValidationIssue } from '../../core/tool.ts'
import { issuesOf } from '../../core/validate.ts'
import { issueAt, issueDetails } from '../../core/validation-issue.ts'
import type { Invocation } from '../bounded-run.ts'
import { type Condition, conditionProblem } from './conditions.ts'
import { ALIAS, findBadReference, isNestedDeeper, isReference, RESERVED_WORDS } from './references.ts'

const MAX_STEPS = 100
const MAX_LEVELS = 64

const stepInput = z.custom<Readonly<Record<string, unknown>> | string>(
  (value) => isRecord(value) || isReference(value),
  'expected an object, or a reference like "$prev"',
)

const stepSchema = z.strictObject({
  command: z.string().min(1),
  input: z.preprocess(decodeObject, stepInput).optional(),
  as: z.string().optional(),
  when: z.preprocess(decodeObject, z.unknown()).optional(),
})

const pipeRequestSchema = z.strictObject({
  input: z.unknown().optional(),
  steps: z.array(stepSchema).max(MAX_STEPS, { error: tooMany }),
  options: z
    .strictObject({
      continueOnFailure: z.boolean().default(false),
      timeoutMs: z.number().positive().optional(),
    })
    .prefault({}),
})

/** The steps of a pipe. A step can refer to the data of earlier steps, as in `$prev.id`. */
export type PipeRequest = z.input<typeof pipeRequestSchema>

export interface PipeInvocation extends Invocation {
  /** Returns a failure if it is already known that this command cannot be called. */
  refusal?(name: string): CommandResult | undefined
}

export interface PipeStep {
  readonly index: number
  readonly command: string
  readonly input: unknown
  readonly alias: string | undefined
  readonly when: Condition | undefined
}

export interface PipePlan {
  /** The name of the pipe tool, used in errors. */
  readonly name: string
  readonly input: unknown
  readonly steps: readonly PipeStep[]
  readonly aliases: ReadonlyMap<string, number>
  readonly continueOnFailure: boolean
  readonly timeoutMs: number | undefined
}

/** Returns the plan, or the failure that explains why the request is invalid. */
export function planPipe(request: unknown, invocation: Invocation, name: string): PipePlan | FailureResult {
  const parsed = pipeRequestSchema.safeParse(request)
  if (!parsed.success) return invalid(name, issuesOf(parsed.error.issues, request))
  const { input, options } = parsed.data
  const steps = parsed.data.steps.map(
    ({ command, input = {}, as: alias, when }, index): PipeStep => ({
      index,
      command,
      input,
      alias,
      when: when as Condition | undefined, // conditionProblem checks its form below
    }),
  )
  const builtin = steps.find(({ command }) => invocation.isBuiltin(command))
  if (builtin !== undefined) {
    const details = { step: builtin.index }
    return fail('BUILTIN_NOT_ALLOWED', { name: builtin.command, where: 'a pipe' }, { details })
  }
  const aliases = firstOwners(steps)
  const issues = steps.flatMap((step) => issuesOfStep(step, aliases))
  if (issues.length > 0) return invalid(name, issues)

  const hasInput = input !== undefined
  for (const { index: step, input, when } of steps) {
    const bad = findBadReference([input, when], { step, stepCount: steps.length, hasInput, aliases })
    if (bad !== undefined) return fail('INVALID_PIPE_REFERENCE', { step, ...bad }, { details: { step } })
  }
  const { continueOnFailure, timeoutMs } = options
  return { name, input, steps, aliases, continueOnFailure, timeoutMs }
}

/** The index of the first step with each alias. */
function firstOwners(steps: readonly PipeStep[]): ReadonlyMap<string, number> {
  const owners = new Map<string, number>()
  for (const { alias, index } of steps) if (alias !== undefined && !owners.has(alias)) owners.set(alias, index)
  return owners
}

function issuesOfStep(step: PipeStep, aliases: ReadonlyMap<string, number>): readonly ValidationIssue[] {
  const { index, alias, input, when } = step
  const tooDeep = `is nested deeper than ${MAX_LEVELS} levels`
  const issue = (field: string, problem: string | undefined): readonly ValidationIssue[] => {
    const path = `steps[${index}].${field}`
    return problem === undefined ? [] : [issueAt(path, problem)]
  }
  return [
    ...issue('as', alias === undefined ? undefined : aliasProblem(alias, index, aliases)),
    ...issue('input', isNestedDeeper(input, MAX_LEVELS) ? tooDeep : undefined),
    // The depth is checked first, because conditionProblem is recursive.
    ...issue(
      'when',
      when === undefined ? undefined : isNestedDeeper(when, MAX_LEVELS) ? tooDeep : conditionProblem(when),
    ),
  ]
}

function aliasProblem(alias: string, index: number, aliases: ReadonlyMap<string, number>): string | undefined {
  const shown = `'${cutLongText(alias, 80)}'`
  if (RESERVED_WORDS.has(alias)) return `${shown} is a reserved word; choose another alias`
  if (!ALIAS.test(alias))
    return `${shown} is not a valid alias; use letters, digits, _ and -, and start with a letter or _`
  const owner = aliases.get(alias)
  return owner === index ? undefined : `${shown} is already the alias of step ${owner}`
}

function invalid(name: string, issues: readonly ValidationIssue[]): FailureResult {
  const hint = `Send {"steps": [{"command": "name", "input": {"id": "$prev.id"}}, …]} with at most ${MAX_STEPS} steps.`
  return fail('VALIDATION_ERROR', { name, issues, hint }, { details: { issues: issueDetails(issues) } })
}

function decodeObject(value: unknown): unknown {
  return decodeStringified(value, { type: 'object' })
}

function tooMany({ input }: { readonly input?: unknown }): string {
  return `has ${Array.isArray(input) ? input.length : 'too many'} steps, but at most ${MAX_STEPS} are allowed`
}
