// The validation problems in the answer of the gateway, by field.

import type { FieldProblem } from '../../form/field-problems.ts'
import { isRecord } from '../../is-record.ts'
import type { CallState } from './use-call.ts'

interface CallProblems {
  /** Problems of the value at a path. */
  readonly fields: readonly FieldProblem[]
  /** Problems without a path. */
  readonly others: readonly string[]
}

/** The problems of the arguments that were sent. They stay until the next run. */
export function problemsOf(state: CallState): CallProblems {
  const fields: FieldProblem[] = []
  const others: string[] = []
  for (const issue of issuesOf(state)) {
    if (!isRecord(issue) || typeof issue.message !== 'string') continue
    const { path, message } = issue
    if (typeof path === 'string' && path !== '') fields.push({ path, message })
    else others.push(message)
  }
  return { fields, others }
}

/** The list of issues of a `VALIDATION_ERROR`, empty for every other answer. */
export function issuesOf(state: CallState): readonly unknown[] {
  if (state.kind !== 'done' || state.outcome.kind !== 'result') return []
  const { structuredContent } = state.outcome.result
  const error = isRecord(structuredContent) && isRecord(structuredContent.error) ? structuredContent.error : {}
  if (error.code !== 'VALIDATION_ERROR' || !isRecord(error.details)) return []
  return Array.isArray(error.details.issues) ? error.details.issues : []
}
