// The rules of the configuration in force: which rule decides about each tool, and what another rule would change.

import type { LoadedConfig } from '../../config/load/load.ts'
import { readRules } from '../../config/parse-config.ts'
import type { ToolRule } from '../../config/server-config.ts'
import { inSlices } from '../../core/in-slices.ts'
import { isRecord } from '../../core/is-record.ts'
import type { Tool } from '../../core/tool.ts'
import { preparePatterns } from '../../rules/prepare-rules.ts'
import { findRuleProblems } from '../../rules/rule-problems.ts'
import { type CompiledRuleSets, compileRuleSets, findOddInSets } from '../../rules/rule-sets.ts'
import { ruleText } from '../../rules/rule-text.ts'
import type { CompiledRule, CompiledRules } from '../../rules/rules.ts'
import type { InspectorPreview, InspectorRule, InspectorTool } from './api.ts'
import type { TokenCosts } from './token-costs.ts'
import { Refusal } from './visit.ts'

export interface RuleBook {
  /** The rule that decided whether the tool is enabled. Undefined if none did. */
  deciding(tool: Tool): InspectorTool['rule']
  list(tools: readonly Tool[]): Promise<readonly InspectorRule[]>
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
      return rule === undefined || written === undefined ? undefined : { index: rule, text: ruleText(written) }
    },
    async list(tools) {
      const sets = setsOf(loaded())
      const shadows = shadowsIn(sets, tools)
      return [
        ...(await describe(sets.own, tools, (rule) => shadows.get(`user ${rule}`))),
        ...(await describe(sets.project, tools, (rule) => shadows.get(`project ${rule}`))).map(
          (rule): InspectorRule => ({ ...rule, owner: 'project' }),
        ),
      ]
    },
    async preview(request, tools) {
      const { rules, projectRules } = loaded()
      const { rule, at, problems } = readRequest(request, rules.length)
      const changed = [...rules.slice(0, at - 1), rule, ...rules.slice(at - 1)]
      await preparePatterns(changed)
      const before = setsOf(loaded()).decide
      const after = compileRuleSets({ rules: changed, projectRules }).decide
      const unreadable = findRuleProblems([rule], '').map(({ message }) => message)
      await tokens.count(tools)
      const ids = { enabled: [] as string[], disabled: [] as string[], tagged: [] as string[] }
      const kept = { before: [] as Tool[], after: [] as Tool[] }
      await inSlices(tools, (tool) => {
        const [was, is] = [before(tool.sourceId, tool.name), after(tool.sourceId, tool.name)]
        if (was.enabled) kept.before.push(tool)
        if (is.enabled) kept.after.push(tool)
        if (was.enabled !== is.enabled) ids[is.enabled ? 'enabled' : 'disabled'].push(tool.id)
        if (labelsOf(was) !== labelsOf(is)) ids.tagged.push(tool.id)
      })
      return {
        ...ids,
        tokensBefore: tokens.ofAll(kept.before) ?? 0,
        tokensAfter: tokens.ofAll(kept.after) ?? 0,
        problems: [...problems, ...unreadable],
        text: JSON.stringify(writtenForm(rule), null, 2),
      }
    },
  }
}

async function describe(
  { rules, decide }: CompiledRules,
  tools: readonly Tool[],
  shadowOf: (rule: number) => number | undefined,
): Promise<readonly InspectorRule[]> {
  const decides = new Array<number>(rules.length).fill(0)
  const matches = new Array<number>(rules.length).fill(0)
  await inSlices(tools, ({ sourceId, name }) => {
    const { rule } = decide(sourceId, name)
    if (rule !== undefined) decides[rule - 1] = (decides[rule - 1] ?? 0) + 1
    for (const [at, one] of rules.entries()) if (one.matches(sourceId, name)) matches[at] = (matches[at] ?? 0) + 1
  })
  return rules.map((rule, at) => {
    const shadowedBy = shadowOf(rule.number)
    return {
      index: rule.number,
      text: ruleText(rule.written),
      effect: effectOf(rule),
      decides: decides[at] ?? 0,
      matches: matches[at] ?? 0,
      ...(shadowedBy === undefined ? {} : { shadowedBy }),
    }
  })
}

function effectOf({ enabled }: CompiledRule): InspectorRule['effect'] {
  return enabled === undefined ? 'tags' : enabled ? 'enables' : 'disables'
}

/** The rules that never decide, by owner and number, each with the first rule that decides instead. */
function shadowsIn(sets: CompiledRuleSets, tools: readonly Tool[]): ReadonlyMap<string, number> {
  const known = { tools: tools.map(({ sourceId, name }) => ({ server: sourceId, tool: name })) }
  return new Map(
    findOddInSets(sets, known).flatMap((finding) => {
      const [by] = finding.kind === 'shadowed' ? finding.by : []
      return finding.kind === 'shadowed' && by !== undefined ? [[`${finding.owner} ${finding.rule}`, by] as const] : []
    }),
  )
}

interface RuleRequest {
  readonly rule: ToolRule
  readonly at: number
  readonly problems: readonly string[]
}

function readRequest(request: unknown, ruleCount: number): RuleRequest {
  const wrong = (message: string) => new Refusal({ status: 400, message })
  if (!isRecord(request) || !isRecord(request.rule)) {
    throw wrong('Send a JSON object with a rule, such as {"rule": {"pattern": "delete_*", "enabled": false}}.')
  }
  const { at = 1 } = request
  if (typeof at !== 'number' || !Number.isInteger(at) || at < 1 || at > ruleCount + 1) {
    throw wrong(`The position must be a whole number from 1 to ${ruleCount + 1}.`)
  }
  const { rules, problems } = readRules([request.rule], { file: '', path: ['rule'] })
  const [rule] = rules
  const [first] = problems
  // The rule that replaces an invalid one disables tools. Its preview would be about another rule.
  if (rule === undefined || first !== undefined) throw wrong(`The rule is not valid: ${first?.message}`)
  return { rule, at, problems: [] }
}

function labelsOf({ tags, category }: { readonly tags: readonly string[]; readonly category?: string }): string {
  return JSON.stringify([tags, category])
}

/** The rule as it is usually written: a single pattern is not in a list. */
function writtenForm({ pattern, ...rest }: ToolRule): object {
  return { pattern: pattern.length === 1 ? pattern[0] : pattern, ...rest }
}
