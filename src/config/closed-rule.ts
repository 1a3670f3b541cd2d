// The rule that is in force in the place of one that cannot be read, until that is corrected.

import { findSimilarTools } from '../core/similarity.ts'
import { isRecord } from './problem.ts'
import type { ToolRule } from './server-config.ts'

/** Matches every tool and, unlike a lone `*`, where it stands. */
const EVERY_TOOL = '/^/'

export interface ClosedRule {
  readonly rule: ToolRule
  /** A verb and its object, for the report: `disables every tool`. */
  readonly effect: string
}

/**
 * A rule that may be meant to disable disables everything that it could be about. A rule that is clearly meant to
 * enable or to tag does neither; an enabling rule still makes an allow list.
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
      if (!isTexts(patterns)) break
      return { rule: { ...ofServer, pattern: patterns, enabled: false }, effect: 'disables what it matches' }
    }
  }
  return { rule: { ...ofServer, pattern: [EVERY_TOOL], enabled: false }, effect: `disables every tool${where}` }
}

const KEYS = ['pattern', 'server', 'enabled', 'tags', 'category', 'disabled']
const YES: readonly unknown[] = [true, 'true', 'yes', 'on', 1]
const NO: readonly unknown[] = [false, 'false', 'no', 'off', 0]

/** Keys count under the name that they are most like: `enable: false` and `disabled: true` both disable. */
function meaningOf(item: unknown): 'enables' | 'disables' | 'tags' | 'unclear' {
  if (!isRecord(item)) return 'unclear'
  const read = Object.entries(item).map(([key, value]) => ({ key: findSimilarTools(key, KEYS, 1)[0], value }))
  const verdicts = read.flatMap(({ key, value }) => {
    if (key !== 'enabled' && key !== 'disabled') return []
    const says = YES.includes(value) ? true : NO.includes(value) ? false : undefined
    return [says === undefined ? undefined : says === (key === 'enabled')]
  })
  if (verdicts.some((enables) => enables === false)) return 'disables'
  if (read.some(({ key }) => key === undefined) || verdicts.includes(undefined)) return 'unclear'
  if (verdicts.length > 0) return 'enables'
  return read.some(({ key }) => key === 'tags' || key === 'category') ? 'tags' : 'unclear'
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && one !== '')
}
