// The rules of a config, compiled: which tools are enabled, by which rule, and how they are tagged.

import type { ToolRule } from '../config/server-config.ts'
import type { Decide, RuleDecision } from '../core/tool.ts'
import { compilePattern, type Pattern, type PatternProblem } from './pattern.ts'

export interface CompiledRule {
  /** As written, from 1. */
  readonly number: number
  readonly written: ToolRule
  /** Its decision, see `decisionOf`. */
  readonly enabled: boolean | undefined
  /** The bare `*` without a server: consulted when no other rule decides. */
  readonly isDefault: boolean
  /** A rule with problems fails closed, see `compileRules`. */
  readonly problems: readonly RuleProblem[]
  readonly patterns: readonly Pattern[]
  /** Whether it is about tools of this server at all. */
  covers(server: string): boolean
  matches(server: string, tool: string): boolean
  /** Whether it matches by the name of the tool itself, and not only by the name of its server. */
  matchesOwnName(server: string, tool: string): boolean
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
 * A rule with a problem still compiles, and fails closed. A disabling rule disables everything that it could be about:
 * all tools of its server, or all tools where it names none or its `server` cannot be read. An enabling rule enables
 * nothing, and still makes an allow list. A tagging rule tags nothing.
 */
export function compileRules(
  written: readonly ToolRule[],
  { maxRemembered = 20_000 }: { readonly maxRemembered?: number } = {},
): { readonly rules: CompiledRules; readonly problems: readonly RuleProblem[] } {
  const rules = written.map((rule, index) => compileRule(rule, index + 1))
  const decide = remember(createJudge(rules), maxRemembered)
  return { rules: { rules, decide }, problems: rules.flatMap(({ problems }) => problems) }
}

function createJudge(rules: readonly CompiledRule[]): Decide {
  const fallback = findDefault(rules)
  const enabling = rules.filter(({ enabled }) => enabled === true)

  return (server, tool) => {
    const matching = rules.filter((rule) => rule.matches(server, tool))
    const tags = [...new Set(matching.flatMap(({ written }) => written.tags ?? []))]
    const rule = firstOf(matching, server, tool) ?? fallback
    // Without a default, an enabling rule makes an allow list of the servers that it covers.
    const enabled = rule?.enabled ?? !enabling.some(({ covers }) => covers(server))
    const category = matching.find(({ written }) => written.category !== undefined)?.written.category
    const said = { tags, ...(category === undefined ? {} : { category }) }
    if (rule === undefined) return { enabled, ...said }
    return { enabled, rule: rule.number, ...(rule.problems.length === 0 ? {} : { isUnreadable: true }), ...said }
  }
}

/** The default rule in force: the first one that decides. */
export function findDefault(rules: readonly CompiledRule[]): CompiledRule | undefined {
  return rules.find(({ isDefault, enabled }) => isDefault && enabled !== undefined)
}

/** The first match decides. An enabling one that only knows the server gives way to a later one that knows the tool. */
function firstOf(matching: readonly CompiledRule[], server: string, tool: string): CompiledRule | undefined {
  const deciding = matching.filter(({ isDefault, enabled }) => !isDefault && enabled !== undefined)
  const [first, ...later] = deciding
  if (first?.enabled !== true || first.matchesOwnName(server, tool)) return first
  return later.find((rule) => rule.matchesOwnName(server, tool)) ?? first
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

function compileRule(written: ToolRule, number: number): CompiledRule {
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
  const enabled = decisionOf(written)
  const isInert = problems.length > 0 && enabled !== false
  // A server that cannot be read could be any.
  const covers = (name: string) => server === undefined || isServer(server, name)
  const testTool = createToolTest(written, patterns, problems)
  return {
    number,
    written,
    enabled,
    isDefault: written.server === undefined && isBareStar(written),
    problems,
    patterns,
    covers,
    matches: (name, tool) => !isInert && covers(name) && testTool.matches(name, tool),
    matchesOwnName: (name, tool) => !isInert && covers(name) && testTool.matchesOwnName(name, tool),
  }
}

/** Undefined for a rule that only tags or categorizes. A rule that says none of these enables. */
export function decisionOf({ enabled, tags, category }: ToolRule): boolean | undefined {
  return enabled ?? (tags === undefined && category === undefined ? true : undefined)
}

function isBareStar({ pattern }: ToolRule): boolean {
  return pattern.length === 1 && pattern[0] === '*'
}

// The same globs and regexes as for tools. A name with a bracket in it is still that name.
function isServer(pattern: Pattern, name: string): boolean {
  return pattern.text === name || pattern.matches(name) !== pattern.negated
}

function createToolTest(
  written: ToolRule,
  patterns: readonly Pattern[],
  problems: readonly RuleProblem[],
): Pick<CompiledRule, 'matches' | 'matchesOwnName'> {
  const excluding = patterns.filter(({ negated }) => negated)
  const including = patterns.filter(({ negated }) => !negated)
  const onlyExcludes = written.pattern.every((text) => text.startsWith('!'))
  const includesAll = onlyExcludes || isWide(written, problems)
  const isOfServer = written.server !== undefined && isBareStar(written)
  const isExcluded = (server: string, tool: string) =>
    excluding.some((pattern) => matchesTool(pattern, written, server, tool))

  return {
    matches: (server, tool) =>
      (includesAll || including.some((pattern) => matchesTool(pattern, written, server, tool))) &&
      !isExcluded(server, tool),
    matchesOwnName: (server, tool) =>
      (includesAll || (!isOfServer && including.some((pattern) => pattern.matches(tool)))) && !isExcluded(server, tool),
  }
}

/** Whether a pattern that cannot be read could have matched any tool. An exception (`!`) that cannot be read could not. */
export function isWide(written: ToolRule, problems: readonly RuleProblem[]): boolean {
  return problems.some(({ path: [key, index], kind }) => {
    if (key === 'server') return false
    return index === undefined || kind === 'double-negation' || written.pattern[index]?.startsWith('!') !== true
  })
}

/** Without a `server`, a pattern may be meant for `create_issue` or for `github_create_issue`. */
export function matchesTool(pattern: Pick<Pattern, 'matches'>, rule: ToolRule, server: string, tool: string): boolean {
  return pattern.matches(tool) || (rule.server === undefined && pattern.matches(`${server}_${tool}`))
}
