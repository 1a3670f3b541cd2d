// Formats a rule on one line that is safe for a terminal.

import type { ToolRule } from '../../config/server-config.ts'
import { ruleText } from '../../rules/rule-text.ts'
import { oneLine } from './text.ts'

export function ruleLine(rule: ToolRule): string {
  return oneLine(ruleText(rule))
}
