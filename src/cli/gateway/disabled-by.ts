// Names the rule that disables a tool and the file that contains it, so that a person can change it.

import type { LoadedConfig } from '../../config/load/load.ts'
import type { CommandError } from '../../core/result.ts'
import type { Disabled } from '../../core/tool.ts'
import type { View } from '../../disclosure/view.ts'
import { ruleText } from '../../rules/rules.ts'
import { oneLine, shortPath } from '../output/text.ts'
import type { NamedTool } from '../words/tool-words.ts'

interface RulesInForce {
  readonly loaded: LoadedConfig
  readonly view: View
  readonly home: string
}

/** Makes a TOOL_DISABLED error suggest which rule to change, and in which file. Returns other errors unchanged. */
export function withDisablingRule(error: CommandError, { server, tool }: NamedTool, rules: RulesInForce): CommandError {
  if (error.code !== 'TOOL_DISABLED') return error
  const target = rules.view.lookup({ server, tool })
  if (!target.found || target.visibility.degree !== 'disabled') return error
  return { ...error, suggestion: `${whatToChange(target.visibility, rules)}, or use another tool.` }
}

function whatToChange({ rule: position, owner, isUnreadable }: Disabled, { loaded, home }: RulesInForce): string {
  const { origin, project, projectRules } = loaded
  const isOfProject = owner === 'project' && project !== undefined
  const rules = isOfProject ? projectRules : loaded.rules
  const file = isOfProject ? project.file : origin.kind === 'defaults' ? undefined : origin.file
  const shownFile = file === undefined ? 'the config' : oneLine(shortPath(file, home))
  const rule = position === undefined ? undefined : rules[position - 1]
  if (rule === undefined) return `Add a rule that enables it to toolRules in ${shownFile}`
  const shown = oneLine(ruleText(rule))
  if (isUnreadable === true && rule.origin === undefined) {
    return `Correct rule ${position} of toolRules in ${shownFile} (${shown}), which cannot be read (\`toolcrib config validate\` shows why)`
  }
  return rule.origin === undefined
    ? `Change rule ${position} of toolRules in ${shownFile} (${shown})`
    : `Change the list in ${oneLine(shortPath(rule.origin.file, home))} that defines rule ${position} (${shown})`
}
