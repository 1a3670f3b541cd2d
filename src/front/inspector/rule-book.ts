// The rules of the current configuration: which rule decides about each tool, and what a further rule would change.

import type { LoadedConfig } from '../../config/load/load.ts'
import { readRules } from '../../config/parse-config.ts'
import type { ToolRule } from '../../config/server-config.ts'
import { inSlices } from '../../core/collections.ts'
import { isRecord } from '../../core/is-record.ts'
import type { Tool } from '../../core/tool.ts'
import { findRuleProblems } from '../../rules/rule-findings.ts'
import { type CompiledRuleSets, compileRuleSets } from '../../rules/rule-sets.ts'
import { type CompiledRule, type CompiledRules, findDefault, preparePatterns, ruleText } from '../../rules/rules.ts'
import type { InspectorPreview, InspectorRule, InspectorTool } from './api.ts'
import type { TokenCosts } from './token-costs.ts'
import { Refusal } from './visit.ts'

export interface RuleBook {
  /** The rule that decided whether the tool is enabled. Undefined if none did. */
  deciding(tool: Tool): InspectorTool['rule']
  list(tools: readonly Tool[]): Promise<readonly InspectorRule[]>
  /** Shows what a rule would change. Writes nothing. */
  preview(request: unknown, tools: readonly Tool[]): Promise<InspectorPreview>
}

export function createRuleBook(loaded: () => LoadedConfig, tokens: TokenCosts): RuleBook {
  const compiled = new WeakMap<LoadedConfig, CompiledRuleSets>()
  const setsOf = (config: LoadedConfig): CompiledRuleSets => {
    const sets = compiled.get(config) ?? compileRuleSets(config)
    compiled.set(config, sets)
    return sets
  }
  return {
    deciding({ sourceId, name }) {
      const config = loaded()
      const { rule, owner } = setsOf(config).decide(sourceId, name)
      const written = (owner === 'project' ? config.projectRules : config.rules)[(rule ?? 0) - 1]
      if (rule === undefined || written === undefined) return undefined
      return { index: rule, text: ruleText(written), ...(owner === 'project' ? { owner } : {}) }
    },
    async list(tools) {
      const { own, project, decide } = setsOf(loaded())
      const isLeftToUser: Applies = (server, tool) => decide(server, tool).owner !== 'project'
      const isLeftToProject: Applies = (server, tool) => own.decide(server, tool).enabled
      return [
        ...(await describeRules(own, tools, isLeftToUser)),
        ...(await describeRules(project, tools, isLeftToProject)).map(
          (rule): InspectorRule => ({ ...rule, owner: 'project' }),
        ),
      ]
    },
    async preview(request, tools) {
      const { rules, projectRules } = loaded()
      const { rule, at } = readRequest(request, rules.length)
      const changed = [...rules.slice(0, at - 1), rule, ...rules.slice(at - 1)]
      await preparePatterns(changed)
      const before = setsOf(loaded()).decide
      const after = compileRuleSets({ rules: changed, projectRules }).decide
      await tokens.count(tools)
      const ids = { enabled: [] as string[], disabled: [] as string[], tagged: [] as string[] }
      const enabledTools = { before: [] as Tool[], after: [] as Tool[] }
      await inSlices(tools, (tool) => {
        const [was, is] = [before(tool.sourceId, tool.name), after(tool.sourceId, tool.name)]
        if (was.enabled) enabledTools.before.push(tool)
        if (is.enabled) enabledTools.after.push(tool)
        if (was.enabled !== is.enabled) ids[is.enabled ? 'enabled' : 'disabled'].push(tool.id)
        if (labelsOf(was) !== labelsOf(is)) ids.tagged.push(tool.id)
      })
      return {
        ...ids,
        tokensBefore: tokens.ofAll(enabledTools.before) ?? 0,
        tokensAfter: tokens.ofAll(enabledTools.after) ?? 0,
        problems: findRuleProblems([rule], '').map(({ message }) => message),
        text: JSON.stringify(writtenForm(rule), null, 2),
      }
    },
  }
}

/** The effect of one rule on the known tools. */
interface Effect {
  decides: number
  matches: number
  /** The rules that decide about the tools that this rule matches. */
  readonly deciding: Set<number>
}

/** Whether the rules of this set decide about the tool. The rules of the other set may decide instead. */
type Applies = (server: string, tool: string) => boolean

async function describeRules(
  { rules, decide }: CompiledRules,
  tools: readonly Tool[],
  applies: Applies,
): Promise<readonly InspectorRule[]> {
  const fallback = findDefault(rules)
  const effects = rules.map((): Effect => ({ decides: 0, matches: 0, deciding: new Set() }))
  await inSlices(tools, ({ sourceId, name }) => {
    const { rule: decider } = decide(sourceId, name)
    const decided = decider === undefined ? undefined : effects[decider - 1]
    if (decided !== undefined && applies(sourceId, name)) decided.decides++
    for (const [at, rule] of rules.entries()) {
      const effect = effects[at]
      if (effect === undefined || !rule.matches(sourceId, name)) continue
      effect.matches++
      effect.deciding.add(decider ?? rule.number)
    }
  })
  return rules.map((rule, at) => {
    const { decides = 0, matches = 0, deciding = new Set<number>() } = effects[at] ?? {}
    // A rule that only tags does not decide, and the default rule is also for tools that come later.
    const canDecide = rule.enabled !== undefined && rule !== fallback
    const isShadowed = canDecide && matches > 0 && !deciding.has(rule.number)
    return {
      index: rule.number,
      text: ruleText(rule.written),
      effect: effectOf(rule),
      decides,
      matches,
      ...(isShadowed ? { shadowedBy: Math.min(...deciding) } : {}),
    }
  })
}

function effectOf({ enabled }: CompiledRule): InspectorRule['effect'] {
  if (enabled === undefined) return 'tags'
  return enabled ? 'enables' : 'disables'
}

function readRequest(request: unknown, ruleCount: number): { readonly rule: ToolRule; readonly at: number } {
  const refusalOf = (message: string) => new Refusal({ status: 400, message })
  if (!isRecord(request) || !isRecord(request.rule)) {
    throw refusalOf('Send a JSON object with a rule, such as {"rule": {"pattern": "delete_*", "enabled": false}}.')
  }
  const { at = 1 } = request
  if (typeof at !== 'number' || !Number.isInteger(at) || at < 1 || at > ruleCount + 1) {
    throw refusalOf(`The position must be a whole number from 1 to ${ruleCount + 1}.`)
  }
  const { rules, problems } = readRules([request.rule], { file: '', path: ['rule'] })
  const [rule] = rules
  const [first] = problems
  // `readRules` replaces an invalid rule with one that disables tools. A preview of that rule would be misleading.
  if (rule === undefined || first !== undefined) throw refusalOf(`The rule is not valid: ${first?.message}`)
  return { rule, at }
}

function labelsOf({ tags, category }: { readonly tags: readonly string[]; readonly category?: string }): string {
  return JSON.stringify([tags, category])
}

/** The rule as it is usually written: a single pattern is not in a list. */
function writtenForm({ pattern, ...rest }: ToolRule): object {
  return { pattern: pattern.length === 1 ? pattern[0] : pattern, ...rest }
}
