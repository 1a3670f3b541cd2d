// How a tool that runs others also reads on in a result that was cut.

import { z } from 'zod'
import { fail } from '../core/errors.ts'
import type { FailureResult } from '../core/result.ts'

/** Beside what names the tool to run, which may then be left out. */
export const readOnShape = {
  handle: z.string().min(1).optional(),
  offset: z.int().min(0).default(0),
}

export const readOnProperties = {
  handle: { type: 'string', minLength: 1 },
  offset: { type: 'integer', minimum: 0 },
}

export const READ_ON = 'A long result is cut and names a handle: pass handle and offset to read on.'

/** Neither a tool nor a handle was given. */
export function nothingToRun(name: string, field: string, find: string): FailureResult {
  const issues = [{ path: field, message: `Required field '${field}' is missing` }]
  return fail('VALIDATION_ERROR', { name, issues, hint: `Use ${find} to find one.` })
}
