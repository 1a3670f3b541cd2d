// The arguments `handle` and `offset`, with which a caller reads more of a result that was cut.

import { z } from 'zod'
import { fail } from '../core/errors.ts'
import type { FailureResult } from '../core/result.ts'

/** For tools that run other tools. With these arguments, the field that names the tool to run must be optional. */
export const readOnShape = {
  handle: z.string().min(1).optional(),
  offset: z.int().min(0).default(0),
}

export const readOnProperties = {
  handle: { type: 'string', minLength: 1 },
  offset: { type: 'integer', minimum: 0 },
}

export const READ_ON = 'A long result is cut and names a handle: pass handle and offset to read on.'

/** The error for a call with neither a tool nor a handle. `field` names the tool to run: `tool` or `command`. */
export function nothingToRun(name: string, field: string, find: string): FailureResult {
  const issues = [{ path: field, message: `Required field '${field}' is missing` }]
  return fail('VALIDATION_ERROR', { name, issues, hint: `Use ${find} to find a ${field}.` })
}
