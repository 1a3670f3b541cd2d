// Finds an invalid tool pattern in the rights of a token.

import type { Rights } from '../../core/rights.ts'
import { compilePattern } from '../../rules/pattern.ts'

/** The reason why a pattern is invalid. Undefined if all patterns are valid. */
export function wrongPattern(rights: Rights | undefined): string | undefined {
  for (const text of rights?.tools ?? []) {
    const compiled = compilePattern(text)
    if (!compiled.ok) return compiled.problem.message
  }
  return undefined
}
