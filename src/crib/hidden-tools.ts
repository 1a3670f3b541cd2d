// Hides tools of one server from all clients, by their names.

import { raise } from '../core/errors.ts'
import { compileRules } from '../rules/rules.ts'
import type { ToolSource } from '../sources/source.ts'

type IsHidden = (name: string) => boolean

/** Compiles patterns as in rules. Throws for a pattern that cannot be read. */
export function createIsHidden(patterns: readonly string[]): IsHidden {
  if (patterns.length === 0) return () => false
  const { rules, problems } = compileRules([{ pattern: [...patterns], enabled: false }])
  for (const { message } of problems) {
    raise('INVALID_OPTIONS', { what: 'hide', reason: message, todo: 'Give names, globs or /regex/ patterns of tools.' })
  }
  return (name) => rules.decide('', name).enabled === false
}

/** The same source without the hidden tools. */
export function withoutHidden<S extends ToolSource>(source: S, isHidden: IsHidden): S {
  return { ...source, list: async (signal) => (await source.list(signal)).filter(({ name }) => !isHidden(name)) }
}
