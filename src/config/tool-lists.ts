// A client's allow and deny lists as rules that only ever disable.

import type { Origin, ToolRule } from './server-config.ts'

export interface ToolLists {
  /** Only these may be used; an empty list allows none. */
  readonly allow?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
}

/**
 * Every rule is `enabled: false` and names its server: so none of them makes the tools it does not match disabled by
 * default, none is the default itself, and whatever comes before them decides first.
 */
export function rulesOfLists(server: string, { allow, deny = [] }: ToolLists, origin: Origin): ToolRule[] {
  const rule = (pattern: readonly string[]) => disablingRule(server, pattern, origin)
  const rules: ToolRule[] = []
  // Only negations: the rule is about every tool that is not on the list.
  if (allow !== undefined) rules.push(rule(allow.length === 0 ? ['*'] : allow.map((name) => `!${exactly(name)}`)))
  if (deny.length > 0) rules.push(rule(deny.map(plainly)))
  return rules
}

/** The rule for the same server under another name. `isExact` tells names apart that differ only in case. */
export function renameRule(rule: ToolRule, server: string, isExact: boolean): ToolRule {
  return { ...rule, server: isExact ? exactly(server) : plainly(server) }
}

/** A rule that turns tools of one server off. */
export function disablingRule(server: string, pattern: readonly string[], origin: Origin): ToolRule {
  return { server: plainly(server), pattern, enabled: false, origin }
}

/** Two allow lists together allow what both do. */
export function inBoth(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  return one === undefined || other === undefined ? (one ?? other) : one.filter((name) => other.includes(name))
}

/** The name itself where it reads as nothing else: `server` and patterns are globs or regexes. */
function plainly(name: string): string {
  return /^\w[\w .@:-]*$/.test(name) ? name : exactly(name)
}

// Not a glob: those ignore case, and a tool that differs in case from an allowed one is not allowed.
function exactly(name: string): string {
  return `/^${name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$/`
}
