// A slow and simple implementation of the rules, without categories and caching. Tests compare the real one with it.

import type { ToolRule } from '../config/server-config.ts'
import type { RuleDecision } from '../core/tool.ts'

/** Patterns that are invalid. */
export const UNREADABLE = ['/(/', '/(?=a)/', '{a', '!!a', '!/(/', '!{a']

export function decideSlowly(rules: readonly ToolRule[], server: string, tool: string): RuleDecision {
  const tags: string[] = []
  for (const rule of rules) {
    if (!matchesRule(rule, server, tool)) continue
    for (const tag of rule.tags ?? []) if (!tags.includes(tag)) tags.push(tag)
  }
  const decisionBy = (enabled: boolean, at: number): RuleDecision => {
    const rule = rules[at]
    const unreadable = rule !== undefined && isUnreadable(rule) ? { isUnreadable: true as const } : {}
    return { enabled, rule: at + 1, tags, ...unreadable }
  }
  // The first match decides. The default rule is checked later.
  for (const [index, rule] of rules.entries()) {
    const enabled = effectOf(rule)
    if (enabled === undefined || isDefault(rule) || !matchesRule(rule, server, tool)) continue
    // If an enabling rule matches only the name of the server, a later rule that matches the name of the tool decides.
    if (enabled && !namesTool(rule, tool)) {
      for (const [at, later] of rules.entries()) {
        const other = effectOf(later)
        if (at <= index || other === undefined || isDefault(later)) continue
        if (matchesRule(later, server, tool) && namesTool(later, tool)) return decisionBy(other, at)
      }
    }
    return decisionBy(enabled, index)
  }
  for (const [index, rule] of rules.entries()) {
    const enabled = effectOf(rule)
    if (enabled !== undefined && isDefault(rule)) return decisionBy(enabled, index)
  }
  // Without a default rule, an enabling rule creates an allow list: for its server if it names one, else for all
  // servers.
  return { enabled: !rules.some((rule) => effectOf(rule) === true && coversServer(rule, server)), tags }
}

export function matchesRule(rule: ToolRule, server: string, tool: string): boolean {
  // A rule that cannot be read enables nothing and tags nothing.
  if (isUnreadable(rule) && effectOf(rule) !== false) return false
  if (!coversServer(rule, server)) return false
  const names = rule.server === undefined ? [tool, `${server}_${tool}`] : [tool]
  const excluding = rule.pattern.filter((text) => isReadable(text) && text.startsWith('!')).map((text) => text.slice(1))
  if (excluding.some((text) => names.some((name) => matchesText(text, name)))) return false
  return includesAll(rule) || includingPatterns(rule).some((text) => names.some((name) => matchesText(text, name)))
}

/** A rule without `enabled` and `tags` enables. A rule with only `tags` decides nothing. */
function effectOf({ enabled, tags }: ToolRule): boolean | undefined {
  if (enabled !== undefined) return enabled
  return tags === undefined ? true : undefined
}

/** Whether the rule matches the name of the tool itself. A `*` together with a `server` matches only the server. */
function namesTool(rule: ToolRule, tool: string): boolean {
  if (includesAll(rule)) return true
  if (rule.server !== undefined && rule.pattern.join() === '*') return false
  return includingPatterns(rule).some((text) => matchesText(text, tool))
}

/** Whether the rule has only exceptions, or an unreadable pattern that could have meant any tool. */
function includesAll(rule: ToolRule): boolean {
  return (
    rule.pattern.every((text) => text.startsWith('!')) ||
    rule.pattern.some((text) => !isReadable(text) && (!text.startsWith('!') || text.startsWith('!!')))
  )
}

function includingPatterns(rule: ToolRule): readonly string[] {
  return rule.pattern.filter((text) => isReadable(text) && !text.startsWith('!'))
}

function coversServer({ server: text }: ToolRule, server: string): boolean {
  return text === undefined || !isReadable(text) || matchesText(text, server)
}

function isUnreadable({ pattern, server }: ToolRule): boolean {
  return [...pattern, ...(server === undefined ? [] : [server])].some((text) => !isReadable(text))
}

function isReadable(text: string): boolean {
  return !UNREADABLE.includes(text)
}

function isDefault(rule: ToolRule): boolean {
  return rule.server === undefined && rule.pattern.length === 1 && rule.pattern[0] === '*'
}

/** Matches globs that contain only `*`, and regexes by the RegExp of JavaScript. Suitable only for short names. */
function matchesText(text: string, name: string): boolean {
  const regex = /^\/(.*)\/(\w*)$/.exec(text)
  if (regex !== null) return new RegExp(regex[1] ?? '', regex[2]).test(name)
  const source = text.replace(/[.\\+?^${}()|[\]-]/g, '\\$&').replaceAll('*', '[\\s\\S]*')
  return new RegExp(`^${source}$`, 'i').test(name)
}
