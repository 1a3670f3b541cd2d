// The rules of a config, compiled: which tools are enabled, by which rule, and how they are tagged.

import type { ToolRule } from '../config/server-config.ts'
import type { Decide, RuleDecision } from '../core/tool.ts'
import { compilePattern, type Pattern, type PatternProblem } from './pattern.ts'

export interface CompiledRule {
  /** As written, from 1. */
  readonly number: number
  readonly written: ToolRule
  /** The bare `*` of no server: consulted when no other rule decides. */
  readonly isDefault: boolean
  /** It has a problem, and matches less than was written, or nothing. */
  readonly isBroken: boolean
  readonly patterns: readonly Pattern[]
  /** Whether it is about tools of this server at all. */
  covers(server: string): boolean
  matches(server: string, tool: string): boolean
}

export interface CompiledRules {
  readonly rules: readonly CompiledRule[]
  readonly decide: Decide
}

export interface RuleProblem extends PatternProblem {
  /** The number of the rule, from 1. */
  readonly rule: number
  /** Where in the rule. */
  readonly path: readonly ['server'] | readonly ['pattern'] | readonly ['pattern', number]
}

/**
 * Rules with problems still compile, and err towards disabled: one that enables or only tags matches nothing, one that
 * disables goes by those of its patterns that can be read. That may be less than was meant, so a config with problems
 * should be refused where there is a choice.
 */
export function compileRules(
  written: readonly ToolRule[],
  { maxRemembered = 20_000 }: { readonly maxRemembered?: number } = {},
): { readonly rules: CompiledRules; readonly problems: readonly RuleProblem[] } {
  const compiled = written.map((rule, index) => compileRule(rule, index + 1))
  const rules = compiled.map(({ rule }) => rule)
  const decide = remember(createJudge(rules), maxRemembered)
  return { rules: { rules, decide }, problems: compiled.flatMap(({ problems }) => problems) }
}

function createJudge(rules: readonly CompiledRule[]): Decide {
  const fallback = rules.find(({ isDefault, written }) => isDefault && written.enabled !== undefined)
  const enabledByNone = fallback?.written.enabled ?? !rules.some(({ written }) => written.enabled === true)

  return (server, tool) => {
    const matching = rules.filter((rule) => rule.matches(server, tool))
    const tags = [...new Set(matching.flatMap(({ written }) => written.tags ?? []))]
    const rule = matching.find(({ isDefault, written }) => !isDefault && written.enabled !== undefined) ?? fallback
    const enabled = rule?.written.enabled ?? enabledByNone
    const category = matching.find(({ written }) => written.category !== undefined)?.written.category
    const said = { tags, ...(category === undefined ? {} : { category }) }
    return rule === undefined ? { enabled, ...said } : { enabled, rule: rule.number, ...said }
  }
}

// Every list, search and call asks again about the same tools.
function remember(decide: Decide, maxRemembered: number): Decide {
  const known = new Map<string, RuleDecision>()
  return (server, tool) => {
    const key = `${server.length} ${server}${tool}`
    const found = known.get(key)
    if (found !== undefined) return found
    const decision = decide(server, tool)
    known.set(key, decision)
    const [oldest] = known.size > maxRemembered ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
    return decision
  }
}

interface Compilation {
  readonly rule: CompiledRule
  readonly problems: readonly RuleProblem[]
}

function compileRule(written: ToolRule, number: number): Compilation {
  const problems: RuleProblem[] = []
  const read = (text: string, path: RuleProblem['path']): Pattern[] => {
    const compiled = compilePattern(text)
    if (compiled.ok) return [compiled.pattern]
    problems.push({ ...compiled.problem, rule: number, path })
    return []
  }

  const [server] = written.server === undefined ? [] : read(written.server, ['server'])
  const patterns = written.pattern.flatMap((text, index) => read(text, ['pattern', index]))
  if (written.pattern.length === 0) {
    problems.push({ kind: 'empty', message: `Rule ${number} has no pattern`, rule: number, path: ['pattern'] })
  }
  const isBroken = problems.length > 0
  const testTool = createToolTest(written, patterns)
  const isOff = isBroken && (written.enabled !== false || problems.some(({ path }) => path[0] === 'server'))
  const covers = (name: string) => !isOff && (server === undefined || isServer(server, name))
  const rule: CompiledRule = {
    number,
    written,
    isDefault: written.server === undefined && written.pattern.length === 1 && written.pattern[0] === '*',
    isBroken,
    patterns,
    covers,
    matches: (name, tool) => covers(name) && testTool(name, tool),
  }
  return { rule, problems }
}

// The same globs and regexes as for tools. A name with a bracket in it is still that name.
function isServer(pattern: Pattern, name: string): boolean {
  return pattern.text === name || pattern.matches(name) !== pattern.negated
}

function createToolTest(written: ToolRule, patterns: readonly Pattern[]): CompiledRule['matches'] {
  const excluding = patterns.filter(({ negated }) => negated)
  const including = patterns.filter(({ negated }) => !negated)
  // Asked of what was written: with its one other pattern unreadable, `!a` alone must not come to mean all but a.
  const onlyExcludes = written.pattern.length > 0 && written.pattern.every((text) => text.startsWith('!'))

  return (server, tool) => {
    const matches = (pattern: Pattern) => matchesTool(pattern, written, server, tool)
    return (onlyExcludes || including.some(matches)) && !excluding.some(matches)
  }
}

/** Without a `server`, a pattern may be meant for `create_issue` or for `github_create_issue`. */
export function matchesTool(pattern: Pick<Pattern, 'matches'>, rule: ToolRule, server: string, tool: string): boolean {
  return pattern.matches(tool) || (rule.server === undefined && pattern.matches(`${server}_${tool}`))
}
