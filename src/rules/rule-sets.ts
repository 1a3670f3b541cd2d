// Combines the rules of the user with those of a project, which cannot enable a tool that the user's rules disable.

import type { ToolRule } from '../config/server-config.ts'
import type { Decide, RuleOwner } from '../core/tool.ts'
import { findOddRules, type KnownTools, type RuleFinding, serversWithoutTools } from './rule-findings.ts'
import { type CompiledRules, compileRules } from './rules.ts'

interface RuleSets {
  readonly rules: readonly ToolRule[]
  readonly projectRules: readonly ToolRule[]
}

export interface CompiledRuleSets {
  readonly decide: Decide
  readonly own: CompiledRules
  readonly project: CompiledRules
}

/**
 * Evaluates each set separately, with its own order, default and allow lists. In a single list, a rule of the project
 * could become the default or the first match for a tool that the rules of the user disable.
 */
export function compileRuleSets({ rules, projectRules }: RuleSets): CompiledRuleSets {
  const [own, project] = [compileRules(rules), compileRules(projectRules)]
  const decide = projectRules.length === 0 ? own.decide : decideByBoth(own.decide, project.decide)
  return { decide, own, project }
}

export type OwnedFinding = RuleFinding & { readonly owner: RuleOwner }

/**
 * The findings of each set, then the findings about both sets. A message about a rule of the project says that the rule
 * is in the config of the project.
 */
export function findOddInSets(compiled: CompiledRuleSets, known: KnownTools): readonly OwnedFinding[] {
  const { own, project } = compiled
  const ofUser = own.rules.length === 0 ? [] : findOddRules(own, known)
  const ofProject = project.rules.length === 0 ? [] : findOddRules(project, known)
  const found = [...ofUser, ...ofProject]
  const preceded = own.rules.length === 0 ? [] : findPreceded(compiled, known, ofProject)
  return [
    ...ofUser.map((finding): OwnedFinding => ({ ...finding, owner: 'user' })),
    ...[...ofProject, ...preceded].map((finding): OwnedFinding => {
      return { ...finding, message: `In the config of the project: ${finding.message}`, owner: 'project' }
    }),
    ...findEmptyTogether(compiled, known, found).map((finding): OwnedFinding => ({ ...finding, owner: 'project' })),
  ]
}

/** Finds rules of the project that decide only about tools that the rules of the user disable. */
function findPreceded(
  { own, project }: CompiledRuleSets,
  { tools }: KnownTools,
  found: readonly RuleFinding[],
): readonly RuleFinding[] {
  const reported = new Set(found.map((finding) => ('rule' in finding ? finding.rule : 0)))
  return project.rules.flatMap(({ number, enabled, written, isDefault }): RuleFinding[] => {
    if (enabled === undefined || isDefault || written.origin !== undefined || reported.has(number)) return []
    const decided = tools.filter(({ server, tool }) => project.decide(server, tool).rule === number)
    if (decided.length === 0 || decided.some(({ server, tool }) => own.decide(server, tool).enabled)) return []
    const message = `Rule ${number} never decides: your own rules disable every tool that it would decide`
    return [{ kind: 'preceded', rule: number, message }]
  })
}

/** Finds servers that lose all their tools only because both sets apply. */
function findEmptyTogether(
  { decide }: CompiledRuleSets,
  { tools }: KnownTools,
  found: readonly RuleFinding[],
): readonly RuleFinding[] {
  const reported = new Set(found.flatMap((finding) => ('server' in finding ? [finding.server] : [])))
  const empty = serversWithoutTools(tools, decide).filter(({ server }) => !reported.has(server))
  return empty.map(({ server, decisions }) => {
    const ofProject = decisions.filter(({ owner }) => owner === 'project').length
    const by = `your rules disable ${toolCount(decisions.length - ofProject)}, those of the project ${toolCount(ofProject)}`
    const message = `Your rules and those of the project together leave server '${server}' without a tool: ${by}`
    return { kind: 'server-without-tools', server, message }
  })
}

function toolCount(count: number): string {
  return count === 1 ? '1 tool' : `${count} tools`
}

/** The rules of the project decide only about tools that the rules of the user enable. */
function decideByBoth(own: Decide, project: Decide): Decide {
  return (server, tool) => {
    const first = own(server, tool)
    if (!first.enabled) return first
    const second = project(server, tool)
    const tags = [...new Set([...first.tags, ...second.tags])]
    const category = first.category ?? second.category
    const labels = { tags, ...(category === undefined ? {} : { category }) }
    return second.enabled ? { ...first, ...labels } : { ...second, ...labels, owner: 'project' }
  }
}
