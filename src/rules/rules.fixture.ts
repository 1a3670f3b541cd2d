// Rules the slow, obvious way: every clause as a sentence, nothing compiled and nothing remembered.

import type { ToolRule } from '../config/server-config.ts'
import type { RuleDecision } from '../core/tool.ts'

export function decideSlowly(rules: readonly ToolRule[], server: string, tool: string): RuleDecision {
  const tags: string[] = []
  for (const rule of rules) {
    if (!matchesRule(rule, server, tool)) continue
    for (const tag of rule.tags ?? []) if (!tags.includes(tag)) tags.push(tag)
  }
  // First match wins, the default not among them.
  for (const [index, rule] of rules.entries()) {
    if (rule.enabled === undefined || isDefault(rule)) continue
    if (matchesRule(rule, server, tool)) return { enabled: rule.enabled, rule: index + 1, tags }
  }
  for (const [index, rule] of rules.entries()) {
    if (rule.enabled !== undefined && isDefault(rule)) return { enabled: rule.enabled, rule: index + 1, tags }
  }
  return { enabled: !rules.some((rule) => rule.enabled === true), tags }
}

export function matchesRule(rule: ToolRule, server: string, tool: string): boolean {
  if (rule.server !== undefined && !matchesText(rule.server, server)) return false
  const names = rule.server === undefined ? [tool, `${server}_${tool}`] : [tool]
  const wanted = rule.pattern.filter((text) => !text.startsWith('!'))
  const unwanted = rule.pattern.filter((text) => text.startsWith('!')).map((text) => text.slice(1))
  if (unwanted.some((text) => names.some((name) => matchesText(text, name)))) return false
  return wanted.length === 0 || wanted.some((text) => names.some((name) => matchesText(text, name)))
}

function isDefault(rule: ToolRule): boolean {
  return rule.server === undefined && rule.pattern.length === 1 && rule.pattern[0] === '*'
}

/** Globs with `*` alone, and regexes as the language has them: short names only. */
function matchesText(text: string, name: string): boolean {
  const regex = /^\/(.*)\/(\w*)$/.exec(text)
  if (regex !== null) return new RegExp(regex[1] ?? '', regex[2]).test(name)
  const source = text.replace(/[.\\+?^${}()|[\]-]/g, '\\$&').replaceAll('*', '[\\s\\S]*')
  return new RegExp(`^${source}$`, 'i').test(name)
}
