// Builds the issues of a validation, and their form in an error.

import type { ValidationIssue } from './tool.ts'

/** An issue with the value at this path. An empty path is the whole input. */
export function issueAt(path: string, text: string): ValidationIssue {
  return { path, message: path === '' ? `Input: ${text}` : `Field '${path}': ${text}`, text }
}

/** The issues as the details of an error contain them. */
export function issueDetails(issues: readonly ValidationIssue[]): readonly Pick<ValidationIssue, 'path' | 'message'>[] {
  return issues.map(({ path, message }) => ({ path, message }))
}
