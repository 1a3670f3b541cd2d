// Describes a rule in one line.

import type { ToolRule } from '../config/server-config.ts'
import { decisionOf } from './rules.ts'

/** For example `*github*, /issue/ → enabled, tags: [github, issues]`. */
export function ruleText(rule: ToolRule): string {
  const { pattern, server, tags = [], category, origin } = rule
  const enabled = decisionOf(rule)
  const effects = [
    ...(enabled === undefined ? [] : [enabled ? 'enabled' : 'disabled']),
    ...(tags.length === 0 ? [] : [`tags: [${tags.join(', ')}]`]),
    ...(category === undefined ? [] : [`category: ${category}`]),
  ]
  const serverPart = server === undefined ? '' : `${server}: `
  const originPart = origin === undefined ? '' : ` (from ${origin.source})`
  return `${serverPart}${pattern.join(', ')} → ${effects.join(', ') || 'no effect'}${originPart}`
}
