// Finds rules that cannot be read, have no effect or an unexpected one, for `config validate`, `list` and `doctor`.

import { type ConfigProblem, pathText } from '../config/problem.ts'
import type { ToolRule } from '../config/server-config.ts'
import { groupBy } from '../core/collections.ts'
import { findSimilarTools } from '../core/similarity.ts'
import { quoteList } from '../core/text.ts'
import type { Decide } from '../core/tool.ts'
import type { NameTest } from './glob.ts'
import { compileRegex, type RegexSource } from './pattern.ts'
import { type CompiledRule, type CompiledRules, compileRules, findDefault, isWide, matchesTool } from './rules.ts'

interface ServerTool {
  readonly server: string
  readonly tool: string
}

export interface KnownTools {
  readonly tools: readonly ServerTool[]
  /** Servers that have not been asked for their tools. */
  readonly unasked?: readonly string[]
  /** All configured servers. Without them, rules that name an unknown server are not reported. */
  readonly servers?: readonly string[]
}

export type RuleFinding =
  /** The rule cannot be read, and fails closed. */
  | Finding<'broken'>
  /** The rule matches tools, but other rules decide for every one of them. */
  | (Finding<'shadowed'> & { readonly by: readonly number[]; readonly contradicts: boolean })
  /** The rule neither decides nor tags. */
  | Finding<'no-effect'>
  | Finding<'matches-nothing'>
  /** The rule names a server that is not configured. */
  | Finding<'no-server'>
  /** The rule belongs to a project, and the rules of the user disable every tool that it would decide. */
  | Finding<'preceded'>
  /** These rules match no tool so far, but could match a tool of a server that has not been asked. */
  | (Finding<'not-asked'> & { readonly rules: readonly number[]; readonly servers: readonly string[] })
  /** The rule would disable these tools, but a rule with precedence enables them. */
  | (Finding<'overruled'> & { readonly tools: readonly ServerTool[] })
  /** The pattern would match these tools if its `\b` also split at `_`. */
  | (Finding<'word-boundary'> & { readonly pattern: string; readonly tools: readonly ServerTool[] })
  /** This server has tools, but the rules disable all of them. */
  | (Omit<Finding<'server-without-tools'>, 'rule'> & { readonly server: string })

interface Finding<K extends string> {
  readonly kind: K
  /** The number of the rule in the config, from 1. If there are several rules, the first. */
  readonly rule: number
  readonly message: string
}

/**
 * Returns the findings in this order: rules that cannot be read, other findings about single rules, one finding about
 * servers that have not been asked, servers without a tool. A rule that cannot be read gets no other finding. A rule
 * made from the tool list of a client is reported only if it cannot be read, because the user cannot change it here.
 */
export function findOddRules(
  { rules, decide }: CompiledRules,
  { tools, unasked = [], servers = [] }: KnownTools,
): readonly RuleFinding[] {
  const broken = rules.flatMap((rule): RuleFinding[] =>
    rule.problems.length === 0 ? [] : [{ kind: 'broken', rule: rule.number, message: describeBroken(rule) }],
  )
  const readable = rules.filter(({ problems, written }) => problems.length === 0 && written.origin === undefined)
  const defaultRule = findDefault(rules)
  const odd = readable.flatMap((rule): RuleFinding[] => {
    const { number, enabled, written } = rule
    if (enabled === undefined && (written.tags ?? []).length === 0 && written.category === undefined) {
      return [{ kind: 'no-effect', rule: number, message: `Rule ${number} does nothing: its list of tags is empty` }]
    }
    const noServer = findNoServer(rule, servers)
    if (noServer.length > 0) return noServer
    // While no tool is known, the matches of the rule are unknown.
    if (tools.length === 0) return []
    const matched = tools.filter(({ server, tool }) => rule.matches(server, tool))
    // The default rule also applies to future tools, so it is never reported as unreached.
    const unreached =
      rule === defaultRule || (matched.length === 0 && couldMatch(rule, unasked))
        ? []
        : findUnreached(rule, matched, decide, rules)
    return [...unreached, ...findOverruled(rule, matched, decide, rules, unreached), ...findBoundaries(rule, tools)]
  })
  const unmatched = readable.filter(
    (rule) =>
      rule !== defaultRule &&
      couldMatch(rule, unasked) &&
      !tools.some(({ server, tool }) => rule.matches(server, tool)) &&
      !odd.some((finding) => finding.kind === 'no-effect' && finding.rule === rule.number),
  )
  return [...broken, ...odd, ...describeUnmatched(unmatched, unasked), ...findEmptyServers(tools, decide)]
}

/** Describes a rule that cannot be read: its number, its effect until it is corrected, and the reasons. */
function describeBroken(rule: CompiledRule): string {
  const reasons = rule.problems.map(({ message }) => message).join('; ')
  return `Rule ${rule.number} cannot be read and ${effectOfBroken(rule)} until it is corrected. ${reasons}`
}

function effectOfBroken({ written, enabled, problems }: CompiledRule): string {
  if (enabled === undefined) return 'has no effect'
  if (enabled) return 'enables nothing'
  const isServerKnown = written.server !== undefined && !problems.some(({ path }) => path[0] === 'server')
  const where = isServerKnown ? ` of server '${written.server}'` : ''
  if (isWide(written, problems)) return `disables every tool${where}`
  return where === '' && written.server !== undefined
    ? 'disables what it matches on every server'
    : 'disables what it matches, ignoring the invalid exception,'
}

function findNoServer({ number, written, covers }: CompiledRule, servers: readonly string[]): RuleFinding[] {
  const { server } = written
  if (server === undefined || servers.length === 0 || servers.some(covers)) return []
  const [similar] = findSimilarTools(server, servers, 1)
  const hint = similar === undefined ? '' : `. Did you mean '${similar}'?`
  return [
    { kind: 'no-server', rule: number, message: `Rule ${number} does nothing: no server is named '${server}'${hint}` },
  ]
}

function couldMatch(rule: CompiledRule, unasked: readonly string[]): boolean {
  return unasked.some((server) => rule.covers(server))
}

function describeUnmatched(unmatched: readonly CompiledRule[], unasked: readonly string[]): RuleFinding[] {
  const [first] = unmatched
  if (first === undefined) return []
  const rules = unmatched.map(({ number }) => number)
  const servers = unasked.filter((server) => unmatched.some((rule) => rule.covers(server)))
  const which = rules.length === 1 ? `Rule ${rules[0]} matches` : `Rules ${rules.join(', ')} match`
  const shown = `${quoteList(servers, MAX_SHOWN)} ${servers.length === 1 ? 'has not listed its' : 'have not listed their'} tools`
  return [{ kind: 'not-asked', rule: first.number, rules, servers, message: `${which} no tool so far: ${shown}` }]
}

/** The servers with tools that are all disabled, each with the decisions about its tools. */
export function serversWithoutTools(tools: readonly ServerTool[], decide: Decide) {
  return Array.from(
    groupBy(tools, ({ server }) => server),
    ([server, own]) => ({ server, decisions: own.map(({ tool }) => decide(server, tool)) }),
  ).filter(({ decisions }) => decisions.every(({ enabled }) => !enabled))
}

function findEmptyServers(tools: readonly ServerTool[], decide: Decide): RuleFinding[] {
  return serversWithoutTools(tools, decide).map(({ server, decisions }) => {
    const by = [...new Set(decisions.flatMap(({ rule }) => rule ?? []))].sort((a, b) => a - b)
    const isByRulesOnly = decisions.every(({ rule }) => rule !== undefined)
    const who = [
      ...(by.length === 0 ? [] : [by.length === 1 ? `rule ${by[0]}` : `rules ${by.join(', ')}`]),
      ...(isByRulesOnly ? [] : [`an allow list that does not name ${decisions.length === 1 ? 'it' : 'them'}`]),
    ]
    const what = decisions.length === 1 ? 'its one tool is' : `all ${decisions.length} are`
    const message = `The rules leave server '${server}' without a tool: ${what} disabled by ${who.join(' and ')}`
    return { kind: 'server-without-tools', server, message }
  })
}

function findUnreached(
  rule: CompiledRule,
  matched: readonly ServerTool[],
  decide: Decide,
  rules: readonly CompiledRule[],
): RuleFinding[] {
  const { number, written, enabled } = rule
  if (matched.length === 0) {
    return [{ kind: 'matches-nothing', rule: number, message: `Rule ${number} matches no tool` }]
  }
  if (enabled === undefined) return []
  const deciding = new Set(matched.map(({ server, tool }) => decide(server, tool).rule ?? number))
  if (deciding.has(number)) return []

  const by = [...deciding].sort((a, b) => a - b)
  const contradicts = by.some((other) => rules[other - 1]?.enabled !== enabled)
  const tags = (written.tags ?? []).length > 0 ? '; only its tags apply' : ''
  const who = by.length === 1 ? `rule ${by[0]} decides` : `rules ${by.join(', ')} decide`
  const message = `Rule ${number} never decides: ${who} for every tool it matches${tags}`
  return [{ kind: 'shadowed', rule: number, message, by, contradicts }]
}

/** Finds tools that a disabling rule matches but another rule enables. Users expect that the disabling rule decides. */
function findOverruled(
  rule: CompiledRule,
  matched: readonly ServerTool[],
  decide: Decide,
  rules: readonly CompiledRule[],
  unreached: readonly RuleFinding[],
): RuleFinding[] {
  if (rule.enabled !== false || rule.isDefault || unreached.length > 0) return []
  const tools = matched.filter(({ server, tool }) => decide(server, tool).enabled)
  const by = [...new Set(tools.map(({ server, tool }) => decide(server, tool).rule))]
  const first = rules[(by[0] ?? 0) - 1]
  if (first === undefined) return []
  const who =
    by.length === 1 ? `rule ${by[0]} has precedence and enables` : `rules ${by.join(', ')} have precedence and enable`
  const message = `Rule ${rule.number} does not disable ${quoteTools(tools)}: ${who} ${tools.length === 1 ? 'it' : 'them'}`
  return [{ kind: 'overruled', rule: rule.number, message, tools }]
}

const MAX_SHOWN = 5

function quoteTools(tools: readonly ServerTool[]): string {
  const names = tools.map(({ server, tool }) => `${server}:${tool}`)
  return quoteList(names, MAX_SHOWN)
}

function findBoundaries(
  { number, patterns, written, covers }: CompiledRule,
  tools: readonly ServerTool[],
): RuleFinding[] {
  return patterns.flatMap((pattern): RuleFinding[] => {
    const wouldMatch = pattern.regex === undefined ? undefined : createBoundaryTest(pattern.regex)
    if (wouldMatch === undefined) return []
    const missed = tools.filter(({ server, tool }) => {
      const holds = (matches: NameTest) => matchesTool({ matches }, written, server, tool)
      return covers(server) && !holds(pattern.matches) && holds(wouldMatch)
    })
    if (missed.length === 0) return []
    const message = `Rule ${number}: ${pattern.text} does not match ${quoteTools(missed)}, because \\b does not split at _`
    return [{ kind: 'word-boundary', rule: number, message, pattern: pattern.text, tools: missed }]
  })
}

/** The character that replaces `_`. It is not a word character and does not occur in names. */
const MARK = '\u001f'

/**
 * `\b` does not split at `_`, so `/\bread\b/` does not match `read_file`. The returned function tests whether a name
 * would match if `_` ended a word. Undefined for a regex without `\b` or with an error.
 */
function createBoundaryTest(regex: RegexSource): NameTest | undefined {
  const source = acceptMark(regex.source)
  if (source === undefined) return undefined
  const compiled = compileRegex({ source, flags: regex.flags })
  if (!compiled.ok) return undefined
  return (name) => compiled.test(name.replaceAll('_', MARK))
}

// The mark must match at every position where `_` did: as itself, in a class, and as one of \w.
function acceptMark(source: string): string | undefined {
  let hasBoundary = false
  let isInClass = false
  const rewritten = source.replace(/\\[\s\S]|[[\]_]/g, (token) => {
    if (token === '[') isInClass = true
    if (token === ']') isInClass = false
    if (token === '\\b' && !isInClass) hasBoundary = true
    if (token !== '_' && token !== '\\w' && token !== '\\_') return token
    return isInClass ? `${token}${MARK}` : `[${token}${MARK}]`
  })
  return hasBoundary ? rewritten : undefined
}

/**
 * Returns a problem for each rule that cannot be read. `file` is the config file that contains the rules. The problem
 * of a rule made from the tool list of a client names the file of that client.
 */
export function findRuleProblems(written: readonly ToolRule[], file: string): readonly ConfigProblem[] {
  return compileRules(written).rules.flatMap((rule): ConfigProblem[] => {
    const [first] = rule.problems
    if (first === undefined) return []
    const { origin } = rule.written
    const path = pathText(['discovery', 'toolRules', rule.number - 1, ...first.path])
    return [
      {
        file: origin?.file ?? file,
        path: origin === undefined ? path : (origin.path ?? ''),
        severity: 'error',
        expected: 'a valid pattern',
        found: 'an invalid one',
        message: describeBroken(rule),
      },
    ]
  })
}
