// Tools of one server that no client is to see, by their names.

import { raise } from '../core/errors.ts'
import type { Decide } from '../core/tool.ts'
import { compileRules } from '../rules/rules.ts'

/** Patterns as in rules; one that cannot be read is refused. */
export function hiding(patterns: readonly string[]): Decide | undefined {
  if (patterns.length === 0) return undefined
  const { rules, problems } = compileRules([{ pattern: [...patterns], enabled: false }])
  for (const { message } of problems) {
    raise('INVALID_OPTIONS', { what: 'hide', reason: message, todo: 'Give names, globs or /regex/ patterns of tools.' })
  }
  return rules.decide
}
