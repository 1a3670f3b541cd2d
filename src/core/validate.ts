// Validates input against a zod schema, and describes each fault with the name of the field.

import { z } from 'zod'
import { cutLongText } from './text.ts'
import type { Validation, ValidationIssue } from './tool.ts'
import { issueAt } from './validation-issue.ts'

/** The maximum number of reported faults. Input may be wrong in a million places. */
export const MAX_ISSUES = 50

export function validateWith(type: z.core.$ZodType, input: unknown): Validation {
  try {
    return toValidation(z.safeParse(type, input), input)
  } catch (error) {
    return handleStackOverflow(error)
  }
}

/**
 * For schemas with asynchronous checks. Does not try the synchronous parse first, which would start an asynchronous
 * check and abandon it. If the abandoned check rejected later, the unhandled rejection would end the process.
 */
export async function validateAsync(type: z.core.$ZodType, input: unknown): Promise<Validation> {
  try {
    return toValidation(await z.safeParseAsync(type, input), input)
  } catch (error) {
    return handleStackOverflow(error)
  }
}

/** Turns a stack overflow into an issue, and throws any other error. Only hostile input overflows the stack. */
export function handleStackOverflow(error: unknown): Validation {
  if (error instanceof RangeError) return { ok: false, issues: [issueAt('', 'nested too deeply')] }
  throw error
}

function toValidation(parsed: z.ZodSafeParseResult<unknown>, input: unknown): Validation {
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, issues: issuesOf(parsed.error.issues, input) }
}

/** Turns zod issues into messages that name the field, up to the maximum number. */
export function issuesOf(issues: readonly z.core.$ZodIssue[], input: unknown): ValidationIssue[] {
  const described = issues.slice(0, MAX_ISSUES).flatMap((issue) => toIssues(issue, input))
  return described.slice(0, MAX_ISSUES)
}

function toIssues(issue: z.core.$ZodIssue, input: unknown): ValidationIssue[] {
  const path = pathText(issue.path)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MAX_ISSUES).map((key) => {
      const full = pathText([...issue.path, key])
      return { path: full, message: `Unknown field '${full}'` }
    })
  }
  // The message of an author's own check is better than a general one, so `custom` issues are kept.
  if (path !== '' && issue.code !== 'custom' && isMissing(input, issue.path)) {
    return [{ path, message: `Required field '${path}' is missing` }]
  }
  const best = issue.code === 'invalid_union' ? closestBranch(issue.errors) : undefined
  if (best !== undefined) {
    const nested = best.slice(0, MAX_ISSUES).map((one) => ({ ...one, path: [...issue.path, ...one.path] }))
    return issuesOf(nested, input)
  }
  const message = issue.code === 'invalid_union' ? wantedTypes(issue.errors) : undefined
  // Most messages of zod start with these words, which the error around the issues says already.
  return [issueAt(path, cutLongText((message ?? issue.message).replace(/^Invalid input: /, ''), 300))]
}

/** The union branch that the input was meant for: the only one that accepts its type. */
function closestBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined {
  const fitting = branches.filter(
    (branch) => !branch.some((issue) => issue.path.length === 0 && issue.code === 'invalid_type'),
  )
  return fitting.length === 1 ? fitting[0] : undefined
}

/** `expected string or array`: the types of the branches that refuse the type of the input, if there are any. */
function wantedTypes(branches: readonly (readonly z.core.$ZodIssue[])[]): string | undefined {
  const types = branches.flatMap((branch) =>
    branch.flatMap((issue) => (issue.code === 'invalid_type' && issue.path.length === 0 ? [issue.expected] : [])),
  )
  return types.length === 0 ? undefined : `expected ${[...new Set(types)].join(' or ')}`
}

export function pathText(path: readonly PropertyKey[]): string {
  const parts = path.map((key, index) =>
    typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${cutLongText(String(key), 80)}`,
  )
  return cutLongText(parts.join(''), 200)
}

export function isMissing(input: unknown, path: readonly PropertyKey[]): boolean {
  let value = input
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return true
    value = (value as Record<PropertyKey, unknown>)[key] // hasOwn was just checked
  }
  return value === undefined
}
