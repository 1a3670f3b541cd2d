// Converts the allow and deny lists of a client into rules that only disable.

import type { Origin, ToolRule } from './server-config.ts'

export interface ToolLists {
  /** Only these tools are allowed. An empty list allows none. */
  readonly allow?: readonly string[] | undefined
  /** These tools are not allowed. */
  readonly deny?: readonly string[] | undefined
}

/**
 * Returns one rule per list, with a server and `enabled: false`. Such a rule disables only the tools that it matches: an
 * enabling rule could also disable tools that it does not match, and a rule without a server could be the default rule.
 * Earlier rules have precedence.
 */
export function rulesOfLists(server: string, { allow, deny = [] }: ToolLists, origin: Origin): ToolRule[] {
  const rule = (pattern: readonly string[]) => disablingRule(server, pattern, origin)
  const rules: ToolRule[] = []
  // With only negations, the rule matches every tool that is not in the list.
  if (allow !== undefined)
    rules.push(rule(allow.length === 0 ? ['*'] : allow.map((name) => `!${toExactPattern(name)}`)))
  if (deny.length > 0) rules.push(rule(deny.map(toPattern)))
  return rules
}

/** The rule for the same server under another name. `isExact` distinguishes names that differ only in case. */
export function renameRule(rule: ToolRule, server: string, isExact: boolean): ToolRule {
  return { ...rule, server: isExact ? toExactPattern(server) : toPattern(server) }
}

/** A rule that disables tools of one server. */
export function disablingRule(server: string, pattern: readonly string[], origin: Origin): ToolRule {
  return { server: toPattern(server), pattern, enabled: false, origin }
}

/** The tools that both allow lists contain. A missing list allows everything. */
export function inBoth(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  return one === undefined || other === undefined ? (one ?? other) : one.filter((name) => other.includes(name))
}

/** The name itself, or a regex if it has special characters. `server` and patterns are globs or regexes. */
function toPattern(name: string): string {
  return /^\w[\w .@:-]*$/.test(name) ? name : toExactPattern(name)
}

// Uses a regex, because globs ignore case: a tool that differs in case from an allowed one is not allowed.
function toExactPattern(name: string): string {
  return `/^${name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$/`
}
