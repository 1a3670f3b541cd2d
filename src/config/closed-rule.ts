// Creates the rule that replaces an unreadable rule until the user corrects it.

import { isRecord } from '../core/is-record.ts'
import { findSimilarTools } from '../core/similarity.ts'
import type { ToolRule } from './server-config.ts'

/** Matches every tool. Unlike a rule with only `*`, a rule with this pattern does not move to the end of the rules. */
const EVERY_TOOL = '/^/'

interface ClosedRule {
  readonly rule: ToolRule
  /** A verb and its object for the report, such as `disables every tool`. */
  readonly effect: string
}

/**
 * A rule that may be meant to disable tools disables everything that it could match. A rule that is clearly meant to
 * enable or to tag has no effect, except that an enabling rule still creates an allow list.
 */
export function closedRule(item: unknown): ClosedRule {
  const { pattern, server } = isRecord(item) ? item : {}
  const ofServer = typeof server === 'string' && server !== '' ? { server } : {}
  const where = 'server' in ofServer ? ` of server '${ofServer.server}'` : ''
  switch (meaningOf(item)) {
    case 'enables':
      return { rule: { ...ofServer, pattern: [`!${EVERY_TOOL}`], enabled: true }, effect: 'enables nothing' }
    case 'tags':
      return { rule: { ...ofServer, pattern: [`!${EVERY_TOOL}`], tags: [] }, effect: 'adds no tag' }
    case 'disables': {
      const patterns = typeof pattern === 'string' ? [pattern] : pattern
      if (!isTextList(patterns)) break
      return { rule: { ...ofServer, pattern: patterns, enabled: false }, effect: 'disables what it matches' }
    }
  }
  return { rule: { ...ofServer, pattern: [EVERY_TOOL], enabled: false }, effect: `disables every tool${where}` }
}

const KEYS = ['pattern', 'server', 'enabled', 'tags', 'category', 'disabled']
const YES: readonly unknown[] = [true, 'true', 'yes', 'on', 1]
const NO: readonly unknown[] = [false, 'false', 'no', 'off', 0]

/** Returns the probable intent of a rule. Each key counts as the most similar known key: `enable: false` disables. */
function meaningOf(item: unknown): 'enables' | 'disables' | 'tags' | 'unclear' {
  if (!isRecord(item)) return 'unclear'
  const read = Object.entries(item).map(([key, value]) => ({ key: findSimilarTools(key, KEYS, 1)[0], value }))
  const verdicts = read.flatMap(({ key, value }) => {
    if (key !== 'enabled' && key !== 'disabled') return []
    const isYes = YES.includes(value) ? true : NO.includes(value) ? false : undefined
    return [isYes === undefined ? undefined : isYes === (key === 'enabled')]
  })
  if (verdicts.some((enables) => enables === false)) return 'disables'
  if (read.some(({ key }) => key === undefined) || verdicts.includes(undefined)) return 'unclear'
  if (verdicts.length > 0) return 'enables'
  return read.some(({ key }) => key === 'tags' || key === 'category') ? 'tags' : 'unclear'
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && one !== '')
}
