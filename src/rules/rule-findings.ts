// What is odd about rules that are valid: for `config validate`, which knows the tools they are written for.

import { quoteList } from '../core/text.ts'
import type { NameTest } from './glob.ts'
import { type CompiledRule, type CompiledRules, matchesTool } from './rules.ts'
import { splitAtUnderscores } from './word-boundary.ts'

export interface ToolName {
  readonly server: string
  readonly tool: string
}

export type RuleFinding =
  /** It matches tools, and earlier rules decide for every one of them. */
  | (Finding<'shadowed'> & { readonly by: readonly number[]; readonly contradicts: boolean })
  | Finding<'matches-nothing'>
  /** Its `\b` would match these tools if `_` ended a word. */
  | (Finding<'word-boundary'> & { readonly pattern: string; readonly tools: readonly ToolName[] })

interface Finding<K extends string> {
  readonly kind: K
  /** The number of the rule, as written, from 1. */
  readonly rule: number
  readonly message: string
}

/** In the order of the rules. Rules with problems are left out: what they match is not what was meant. */
export function findOddRules({ rules, decide }: CompiledRules, tools: readonly ToolName[]): readonly RuleFinding[] {
  // Nothing is known yet, so nothing is odd.
  if (tools.length === 0) return []
  const fallback = rules.find(({ isDefault, written }) => isDefault && written.enabled !== undefined)
  return rules
    .filter(({ isBroken }) => !isBroken)
    .flatMap((rule) => {
      const matched = tools.filter(({ server, tool }) => rule.matches(server, tool))
      // A default waits for the tools of tomorrow; only a second one never gets its turn.
      const reach = rule === fallback ? [] : findUnreached(rule, matched, decide, rules)
      return [...reach, ...findBoundaries(rule, tools)]
    })
}

function findUnreached(
  rule: CompiledRule,
  matched: readonly ToolName[],
  decide: CompiledRules['decide'],
  rules: readonly CompiledRule[],
): RuleFinding[] {
  const { number, written } = rule
  if (matched.length === 0) {
    return [{ kind: 'matches-nothing', rule: number, message: `Rule ${number} matches no tool` }]
  }
  if (written.enabled === undefined) return []
  const deciding = new Set(matched.map(({ server, tool }) => decide(server, tool).rule ?? number))
  if (deciding.has(number)) return []

  const by = [...deciding].sort((a, b) => a - b)
  const contradicts = by.some((other) => rules[other - 1]?.written.enabled !== written.enabled)
  const tags = (written.tags ?? []).length > 0 ? '; only its tags apply' : ''
  const who = by.length === 1 ? `rule ${by[0]} decides` : `rules ${by.join(', ')} decide`
  const message = `Rule ${number} never decides: ${who} first for every tool it matches${tags}`
  return [{ kind: 'shadowed', rule: number, message, by, contradicts }]
}

const MAX_SHOWN = 5

function findBoundaries(
  { number, patterns, written, covers }: CompiledRule,
  tools: readonly ToolName[],
): RuleFinding[] {
  return patterns.flatMap((pattern): RuleFinding[] => {
    const split = pattern.regex === undefined ? undefined : splitAtUnderscores(pattern.regex)
    if (split === undefined) return []
    const missed = tools.filter(({ server, tool }) => {
      const holds = (matches: NameTest) => matchesTool({ matches }, written, server, tool)
      return covers(server) && !holds(pattern.matches) && holds(split)
    })
    if (missed.length === 0) return []
    const shown = quoteList(
      missed.map(({ server, tool }) => `${server}:${tool}`),
      MAX_SHOWN,
    )
    const message = `Rule ${number}: ${pattern.text} does not match ${shown}, because \\b does not split at _`
    return [{ kind: 'word-boundary', rule: number, message, pattern: pattern.text, tools: missed }]
  })
}
