// The user's rules and those of a project, as one decision: the user's come first, and a project can only narrow further.

import type { ToolRule } from '../config/server-config.ts'
import type { Decide, RuleOwner } from '../core/tool.ts'
import { findOddRules, type KnownTools, type RuleFinding } from './rule-findings.ts'
import { type CompiledRules, compileRules } from './rules.ts'

export interface RuleSets {
  readonly rules: readonly ToolRule[]
  readonly projectRules: readonly ToolRule[]
}

export interface CompiledRuleSets {
  readonly decide: Decide
  readonly sets: readonly { readonly owner: RuleOwner; readonly rules: CompiledRules }[]
}

/**
 * Each set is judged by itself, with its own order, default and allow lists: in one list, a rule of the project could
 * become the default or the first match for a tool that the user's rules disable.
 */
export function compileRuleSets({ rules, projectRules }: RuleSets): CompiledRuleSets {
  const [own, project] = [compileRules(rules).rules, compileRules(projectRules).rules]
  return {
    decide: projectRules.length === 0 ? own.decide : narrowed(own.decide, project.decide),
    sets: [
      { owner: 'user', rules: own },
      { owner: 'project', rules: project },
    ],
  }
}

/** The findings of each set; a message about a rule of the project says that it is one. */
export function findOddInSets({ sets }: CompiledRuleSets, known: KnownTools): readonly RuleFinding[] {
  return sets.flatMap(({ owner, rules }) => {
    const findings = rules.rules.length === 0 ? [] : findOddRules(rules, known)
    if (owner === 'user') return findings
    return findings.map((finding) => ({ ...finding, message: `In the config of the project: ${finding.message}` }))
  })
}

function narrowed(own: Decide, project: Decide): Decide {
  return (server, tool) => {
    const first = own(server, tool)
    if (!first.enabled) return first
    const second = project(server, tool)
    const tags = [...new Set([...first.tags, ...second.tags])]
    const category = first.category ?? second.category
    const said = { tags, ...(category === undefined ? {} : { category }) }
    return second.enabled ? { ...first, ...said } : { ...second, ...said, owner: 'project' }
  }
}
