// Replaces each security setting and each rule that cannot be read with a safe one, and reports it.

import type { z } from 'zod'
import { isRecord } from '../core/is-record.ts'
import { findSimilarTools } from '../core/similarity.ts'
import { knownKeys, misspelledKeys } from './check.ts'
import { settingsSchema } from './config.ts'
import { type ConfigLocation, type ConfigProblem, failClosedProblem, inside } from './problem.ts'
import type { ToolRule } from './server-config.ts'

type Settings = z.output<typeof settingsSchema>

interface CloseResult {
  readonly settings: Settings
  /** These rules come before all others. */
  readonly rules: readonly ToolRule[]
  readonly problems: readonly ConfigProblem[]
}

/** The value of a config file, and the problems that its check has found. */
interface CheckedFile {
  readonly value: unknown
  readonly problems: readonly ConfigProblem[]
  readonly location: ConfigLocation
}

/** A security setting with a default that is not its safe value. */
interface ClosedSetting {
  /** The key that contains the setting. Undefined for a setting at the root of the file. */
  readonly section?: 'discovery' | 'http' | 'limits'
  readonly name: string
  /** The safe value and its consequence, for the report. */
  readonly effect: string
  /** Returns the changed part of the settings. Rules are not part of them. */
  close?(settings: Settings): Partial<Settings>
}

/** Enough for one agent at a time. Without limits, one person could use up the capacity that all share. */
const CLOSED_LIMIT = { callsPerMinute: 60, concurrent: 4 }
const CLOSED_LIMIT_TEXT = `${CLOSED_LIMIT.callsPerMinute} calls per minute, ${CLOSED_LIMIT.concurrent} at the same time`

const TOOL_RULES: ClosedSetting = { section: 'discovery', name: 'toolRules', effect: 'every tool is disabled' }

const CLOSED_SETTINGS: readonly ClosedSetting[] = [
  {
    name: 'audit',
    effect: "'audit' is strict: a call that cannot be recorded is refused",
    close: ({ audit }) => ({ audit: { ...audit, mode: 'strict' } }),
  },
  {
    section: 'discovery',
    name: 'enabled',
    effect: 'no server is served',
    close: ({ discovery }) => ({ discovery: { ...discovery, enabled: false } }),
  },
  {
    section: 'discovery',
    name: 'pinning',
    effect: "'pinning' is block: a changed tool is refused",
    close: ({ discovery }) => ({ discovery: { ...discovery, pinning: 'block' } }),
  },
  {
    name: 'inheritEnv',
    effect: "'inheritEnv' is false: servers get only a few variables",
    close: () => ({ inheritEnv: false }),
  },
  TOOL_RULES,
  {
    section: 'limits',
    name: 'perPrincipal',
    effect: `each person can make ${CLOSED_LIMIT_TEXT}`,
    close: ({ limits }) => ({ limits: { ...limits, perPrincipal: CLOSED_LIMIT } }),
  },
  {
    section: 'limits',
    name: 'perServer',
    effect: `each server gets ${CLOSED_LIMIT_TEXT}`,
    close: ({ limits }) => ({ limits: { ...limits, perServer: CLOSED_LIMIT } }),
  },
  {
    section: 'http',
    name: 'whenStoreIsDown',
    effect:
      "'whenStoreIsDown' is closed: tokens of 'toolcrib token add' are refused while the shared store is out of reach",
    close: ({ http }) => ({ http: { ...http, whenStoreIsDown: 'closed' } }),
  },
  {
    section: 'limits',
    name: 'whenStoreIsDown',
    effect: "'whenStoreIsDown' is closed: calls with limits are refused while the shared store is out of reach",
    close: ({ limits }) => ({ limits: { ...limits, whenStoreIsDown: 'closed' } }),
  },
]

/**
 * Replaces each setting in `CLOSED_SETTINGS` that cannot be read with its safe value. Other settings that cannot be
 * read have their defaults in `settings`, which are safe: loopback, a generated token, no argument values in the audit
 * log, the usual limits.
 */
export function closeSettings(settings: Settings, file: CheckedFile): CloseResult {
  let closed = settings
  const rules: ToolRule[] = []
  const problems: ConfigProblem[] = []
  for (const setting of CLOSED_SETTINGS) {
    const unreadable = findUnreadable(setting, file)
    if (unreadable.length === 0) continue
    problems.push(...unreadable.map((location) => failClosedProblem(location, setting.effect)))
    if (setting === TOOL_RULES) rules.push(closedRule(undefined).rule)
    closed = { ...closed, ...setting.close?.(closed) }
  }
  return { settings: closed, rules, problems }
}

/**
 * Returns the locations of the setting, if it cannot be read, and of misspelled keys that are most similar to its name.
 * A misspelled setting of the root or of `discovery` is found in both of them, because users confuse the two.
 */
function findUnreadable(
  { section, name }: ClosedSetting,
  { value, problems, location }: CheckedFile,
): readonly ConfigLocation[] {
  const root = recordOf(value)
  const path = section === undefined ? [name] : [section, name]
  const text = path.join('.')
  const hasProblem = problems.some(
    (one) => one.path === text || one.path.startsWith(`${text}.`) || one.path.startsWith(`${text}[`),
  )
  if (section === 'http' || section === 'limits') {
    const misspelled = misspelledKeys(recordOf(root[section]), name, knownKeys(settingsSchema, [section]))
    return [...(hasProblem ? [name] : []), ...misspelled].map((key) => inside(location, section, key))
  }
  const rootNames = knownKeys(settingsSchema, [])
  const discoveryNames = knownKeys(settingsSchema, ['discovery'])
  const inDiscovery = misspelledKeys(recordOf(root.discovery), name, discoveryNames, rootNames)
  return [
    // `readRules` reports and replaces each rule that cannot be read.
    ...(hasProblem && name !== TOOL_RULES.name ? [inside(location, ...path)] : []),
    ...misspelledKeys(root, name, rootNames, discoveryNames).map((key) => inside(location, key)),
    ...inDiscovery.map((key) => inside(location, 'discovery', key)),
  ]
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

/** Matches every tool. Unlike a rule with only `*`, a rule with this pattern does not move to the end of the rules. */
const EVERY_TOOL = '/^/'

interface ClosedRule {
  readonly rule: ToolRule
  /** A verb and its object for the report, such as `disables every tool`. */
  readonly effect: string
}

/**
 * Creates the rule that replaces an unreadable rule until the user corrects it. A rule that may be meant to disable
 * tools disables everything that it could match. A rule that is clearly meant to enable or to tag has no effect, except
 * that an enabling rule still creates an allow list.
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
