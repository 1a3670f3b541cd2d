// Input against a zod schema, and what is wrong with it in words that name the field.

import { z } from 'zod'
import { cutLongText } from './text.ts'
import type { Validation, ValidationIssue } from './tool.ts'

/** More than anyone reads or mends at once; what is sent may be wrong in a million places. */
const MAX_ISSUES = 50

export function validateWith(type: z.core.$ZodType, input: unknown): Validation {
  try {
    return toValidation(z.safeParse(type, input), input)
  } catch (error) {
    return tooDeep(error)
  }
}

/**
 * Also for schemas that wait (an asynchronous refinement). Never tries without waiting first: the promise of a
 * refinement that was left behind so would end the process when it rejects.
 */
export async function validateAsync(type: z.core.$ZodType, input: unknown): Promise<Validation> {
  try {
    return toValidation(await z.safeParseAsync(type, input), input)
  } catch (error) {
    return tooDeep(error)
  }
}

/** Only a recursive schema on hostile input runs out of stack. */
function tooDeep(error: unknown): Validation {
  if (error instanceof RangeError) return { ok: false, issues: [{ path: '', message: 'Input: nested too deeply' }] }
  throw error
}

function toValidation(parsed: z.ZodSafeParseResult<unknown>, input: unknown): Validation {
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, issues: issuesOf(parsed.error.issues, input) }
}

/** Zod's findings in words that name the field, as many of them as are worth it. */
export function issuesOf(issues: readonly z.core.$ZodIssue[], input: unknown): ValidationIssue[] {
  const described = issues.slice(0, MAX_ISSUES).flatMap((issue) => describe(issue, input))
  return described.slice(0, MAX_ISSUES)
}

function describe(issue: z.core.$ZodIssue, input: unknown): ValidationIssue[] {
  const path = pathText(issue.path)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MAX_ISSUES).map((key) => {
      const full = pathText([...issue.path, key])
      return { path: full, message: `Unknown field '${full}'` }
    })
  }
  // What an author's own check says is better than anything we could.
  if (path !== '' && issue.code !== 'custom' && isMissing(input, issue.path)) {
    return [{ path, message: `Required field '${path}' is missing` }]
  }
  const best = issue.code === 'invalid_union' ? closestBranch(issue.errors) : undefined
  if (best !== undefined) {
    const nested = best.slice(0, MAX_ISSUES).map((one) => ({ ...one, path: [...issue.path, ...one.path] }))
    return issuesOf(nested, input)
  }
  const message = issue.code === 'invalid_union' ? wantedTypes(issue.errors) : undefined
  const said = cutLongText((message ?? issue.message).replace(/^Invalid input: /, ''), 300)
  return [{ path, message: path === '' ? `Input: ${said}` : `Field '${path}': ${said}` }]
}

/** The one branch of a union that the input was meant for: the others did not even have its type. */
function closestBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined {
  const near = branches.filter(
    (branch) => !branch.some((issue) => issue.path.length === 0 && issue.code === 'invalid_type'),
  )
  return near.length === 1 ? near[0] : undefined
}

/** `expected string or array`, where no branch of a union even had the type of the input. */
function wantedTypes(branches: readonly (readonly z.core.$ZodIssue[])[]): string | undefined {
  const types = branches.flatMap((branch) =>
    branch.flatMap((issue) => (issue.code === 'invalid_type' && issue.path.length === 0 ? [issue.expected] : [])),
  )
  return types.length === 0 ? undefined : `expected ${[...new Set(types)].join(' or ')}`
}

function pathText(path: readonly PropertyKey[]): string {
  const parts = path.map((key, index) =>
    typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${cutLongText(String(key), 80)}`,
  )
  return cutLongText(parts.join(''), 200)
}

function isMissing(input: unknown, path: readonly PropertyKey[]): boolean {
  let value = input
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return true
    value = (value as Record<PropertyKey, unknown>)[key] // hasOwn was just checked
  }
  return value === undefined
}
