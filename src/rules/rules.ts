// Compiles the rules of a config. They decide which tools are enabled, and give tools tags and categories.

import type { ToolRule } from '../config/server-config.ts'
import { inSlices, setNewest } from '../core/collections.ts'
import { raise } from '../core/errors.ts'
import type { Decide, RuleDecision } from '../core/tool.ts'
import type { ToolSource } from '../sources/source.ts'
import { compilePattern, type Pattern, type PatternProblem } from './pattern.ts'

export interface CompiledRule {
  /** The position of the rule in the config, from 1. */
  readonly number: number
  readonly written: ToolRule
  /** The decision of the rule, see `decisionOf`. */
  readonly enabled: boolean | undefined
  /** Whether this is a bare `*` without a server. It decides only if no other rule does. */
  readonly isDefault: boolean
  /** A rule with problems fails closed, see `compileRules`. */
  readonly problems: readonly RuleProblem[]
  readonly patterns: readonly Pattern[]
  covers(server: string): boolean
  matches(server: string, tool: string): boolean
  /** Whether the rule matches by the name of the tool itself, not only by the name of its server. */
  matchesOwnName(server: string, tool: string): boolean
}

export interface CompiledRules {
  readonly rules: readonly CompiledRule[]
  readonly decide: Decide
}

interface RuleProblem extends PatternProblem {
  /** The position in the rule. */
  readonly path: readonly ['server'] | readonly ['pattern'] | readonly ['pattern', number]
}

/**
 * Compiles every rule. A rule with a problem fails closed:
 * - If it enables, it matches no tool, but it still creates an allow list for the servers that it covers.
 * - If it only adds tags or a category, it matches no tool.
 * - If it disables, an invalid pattern matches every tool of the servers that the rule covers, except the tools that a
 *   valid exception excludes. An invalid exception is ignored.
 *
 * A rule with an invalid `server` covers every server.
 */
export function compileRules(
  written: readonly ToolRule[],
  { maxCached = 20_000 }: { readonly maxCached?: number } = {},
): CompiledRules {
  const rules = written.map((rule, index) => compileRule(rule, index + 1))
  return { rules, decide: cacheDecisions(createDecide(rules), maxCached) }
}

function createDecide(rules: readonly CompiledRule[]): Decide {
  const defaultRule = findDefault(rules)
  const enabling = rules.filter(({ enabled }) => enabled === true)

  return (server, tool) => {
    const matching = rules.filter((rule) => rule.matches(server, tool))
    const tags = [...new Set(matching.flatMap(({ written }) => written.tags ?? []))]
    const rule = findDeciding(matching, server, tool) ?? defaultRule
    // Without a default rule, an enabling rule creates an allow list for the servers that it covers.
    const enabled = rule?.enabled ?? !enabling.some(({ covers }) => covers(server))
    const category = matching.find(({ written }) => written.category !== undefined)?.written.category
    const labels = { tags, ...(category === undefined ? {} : { category }) }
    if (rule === undefined) return { enabled, ...labels }
    return { enabled, rule: rule.number, ...(rule.problems.length === 0 ? {} : { isUnreadable: true }), ...labels }
  }
}

/** The default rule: the first bare `*` that decides. */
export function findDefault(rules: readonly CompiledRule[]): CompiledRule | undefined {
  return rules.find(({ isDefault, enabled }) => isDefault && enabled !== undefined)
}

/**
 * The first match decides. If it enables and matches only the name of the server, a later rule that matches the name of
 * the tool decides instead.
 */
function findDeciding(matching: readonly CompiledRule[], server: string, tool: string): CompiledRule | undefined {
  const deciding = matching.filter(({ isDefault, enabled }) => !isDefault && enabled !== undefined)
  const [first, ...later] = deciding
  if (first?.enabled !== true || first.matchesOwnName(server, tool)) return first
  return later.find((rule) => rule.matchesOwnName(server, tool)) ?? first
}

// Every list, search and call needs the decisions about the same tools again.
function cacheDecisions(decide: Decide, maxCached: number): Decide {
  const cache = new Map<string, RuleDecision>()
  return (server, tool) => {
    const key = `${server.length} ${server}${tool}`
    const found = cache.get(key)
    if (found !== undefined) return found
    const decision = decide(server, tool)
    setNewest(cache, key, decision, maxCached)
    return decision
  }
}

function compileRule(written: ToolRule, number: number): CompiledRule {
  const problems: RuleProblem[] = []
  const read = (text: string, path: RuleProblem['path']): Pattern[] => {
    const compiled = compilePattern(text)
    if (compiled.ok) return [compiled.pattern]
    problems.push({ ...compiled.problem, path })
    return []
  }

  const [server] = written.server === undefined ? [] : read(written.server, ['server'])
  const patterns = written.pattern.flatMap((text, index) => read(text, ['pattern', index]))
  if (written.pattern.length === 0) {
    problems.push({ kind: 'empty', message: `Rule ${number} has no pattern`, path: ['pattern'] })
  }
  const enabled = decisionOf(written)
  const matchesNothing = problems.length > 0 && enabled !== false
  // An invalid server pattern covers every server.
  const covers = (name: string) => server === undefined || matchesServer(server, name)
  const testTool = createToolTest(written, patterns, problems)
  return {
    number,
    written,
    enabled,
    isDefault: written.server === undefined && isBareStar(written),
    problems,
    patterns,
    covers,
    matches: (name, tool) => !matchesNothing && covers(name) && testTool.matches(name, tool),
    matchesOwnName: (name, tool) => !matchesNothing && covers(name) && testTool.matchesOwnName(name, tool),
  }
}

/** Undefined for a rule that only tags or categorizes. A rule without `enabled`, `tags` and `category` enables. */
function decisionOf({ enabled, tags, category }: ToolRule): boolean | undefined {
  return enabled ?? (tags === undefined && category === undefined ? true : undefined)
}

function isBareStar({ pattern }: ToolRule): boolean {
  return pattern.length === 1 && pattern[0] === '*'
}

// The `server` of a rule is a pattern, but also matches the server with exactly this name: as a glob, `git[1]` would
// match only the server `git1`.
function matchesServer(pattern: Pattern, name: string): boolean {
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
  const matchesWholeServer = written.server !== undefined && isBareStar(written)
  const isExcluded = (server: string, tool: string) =>
    excluding.some((pattern) => matchesTool(pattern, written, server, tool))

  return {
    matches: (server, tool) =>
      (includesAll || including.some((pattern) => matchesTool(pattern, written, server, tool))) &&
      !isExcluded(server, tool),
    matchesOwnName: (server, tool) =>
      (includesAll || (!matchesWholeServer && including.some((pattern) => pattern.matches(tool)))) &&
      !isExcluded(server, tool),
  }
}

/**
 * Whether a problem of the rule makes it match every tool: it has no pattern, or an invalid pattern that is not an
 * exception (`!`). `!!name` counts as invalid, and not as an exception, because its author may have meant `name`.
 */
export function isWide(written: ToolRule, problems: readonly RuleProblem[]): boolean {
  return problems.some(({ path: [key, index], kind }) => {
    if (key === 'server') return false
    return index === undefined || kind === 'double-negation' || written.pattern[index]?.startsWith('!') !== true
  })
}

/** Without a `server`, a pattern may mean `create_issue` or `github_create_issue`. */
export function matchesTool(pattern: Pick<Pattern, 'matches'>, rule: ToolRule, server: string, tool: string): boolean {
  return pattern.matches(tool) || (rule.server === undefined && pattern.matches(`${server}_${tool}`))
}

/** Returns a text such as `*github*, /issue/ → enabled, tags: [github, issues]`. */
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

/** Compiles the patterns in advance. `compileRules` then takes them from the cache. */
export async function preparePatterns(rules: readonly ToolRule[]): Promise<void> {
  const texts = rules.flatMap(({ pattern, server }) => (server === undefined ? pattern : [server, ...pattern]))
  await inSlices(texts, compilePattern)
}

/** Decides about the known tools in advance. `decide` caches its decisions for the next snapshot. */
export async function decideAhead(
  decide: Decide,
  sources: readonly Pick<ToolSource, 'id' | 'list'>[],
  signal: AbortSignal,
): Promise<void> {
  for (const source of sources) {
    await inSlices(await source.list(signal), ({ name }) => decide(source.id, name))
  }
}

/** Rules that hide the tools with these names and change nothing else. Throws for a pattern that cannot be read. */
export function hideTools(patterns: readonly string[]): Decide {
  // With a server, a pattern matches only the name of the tool, and not SERVER_TOOL.
  const server = 'wrapped'
  const { rules, decide } = compileRules([{ server, pattern: [...patterns], enabled: false }])
  for (const { message } of rules.flatMap(({ problems }) => problems)) {
    raise('INVALID_OPTIONS', { what: 'hide', reason: message, todo: 'Give names, globs or /regex/ patterns of tools.' })
  }
  return (_server, name) => ({ enabled: true, tags: [], isHidden: decide(server, name).enabled === false })
}
