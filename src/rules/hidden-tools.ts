// Compiles `hide`: patterns of tools that exist for no client.

import { raise } from '../core/errors.ts'
import type { Decide } from '../core/tool.ts'
import { compileRules } from './rules.ts'

/** Rules that hide the tools with these names and change nothing else. Throws for a pattern that cannot be read. */
export function hideTools(patterns: readonly string[]): Decide {
  const { rules, problems } = compileRules([{ pattern: [...patterns], enabled: false }])
  for (const { message } of problems) {
    raise('INVALID_OPTIONS', { what: 'hide', reason: message, todo: 'Give names, globs or /regex/ patterns of tools.' })
  }
  // The patterns match names only: the option belongs to one server.
  return (_server, name) => ({ enabled: true, tags: [], isHidden: rules.decide('', name).enabled === false })
}
