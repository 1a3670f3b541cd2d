// Parses a config file item by item: settings with their defaults, servers, sources and rules.

import type { z } from 'zod'
import { defined } from '../core/defined.ts'
import { isRecord } from '../core/is-record.ts'
import { check } from './check.ts'
import { closedRule, closeSettings } from './close-settings.ts'
import { type Config, ruleSchema, type SourceInput, settingsSchema, sourceSchema } from './config.ts'
import { readServers } from './config-entry.ts'
import { type ConfigLocation, type ConfigProblem, failClosedProblem, inside, problemAt, shapeOf } from './problem.ts'
import type { OwnGateway } from './self.ts'
import type { ToolRule } from './server-config.ts'
import { type EntryLocation, type ImportResult, noServers } from './server-entry.ts'

export interface ParsedConfig {
  readonly config: Config
  /** The servers of the config, with the rules from their allow and deny lists. */
  readonly entries: ImportResult
  readonly rules: readonly ToolRule[]
  /** Each source with its location in the file. */
  readonly sources: readonly { readonly source: SourceInput; readonly location: ConfigLocation }[]
  readonly problems: readonly ConfigProblem[]
}

export function defaultConfig(): Config {
  return withoutLists(settingsSchema.parse({}))
}

/** `own` describes this gateway. It is a function, because the addresses of the gateway depend on the HTTP settings. */
export function parseConfig(
  value: unknown,
  location: Omit<EntryLocation, 'own'>,
  own?: (http: Config['http']) => OwnGateway,
): ParsedConfig {
  const { value: read, problems } = check(settingsSchema, value, location, {
    dropInvalid: true,
    confusable: 'discovery',
  })
  if (read === undefined) return { config: defaultConfig(), entries: noServers([]), rules: [], sources: [], problems }
  const { settings, ...safe } = closeSettings(read, { value, problems, location })
  const { servers, sources, toolRules } = settings.discovery
  const discovery = inside({ ...location, own: own?.(settings.http) }, 'discovery')
  const entries = readServers(servers, inside(discovery, 'servers'), 'error')
  const rules = readRules(toolRules, inside(discovery, 'toolRules'))
  const readSources = readSourceList(sources, inside(discovery, 'sources'))
  return {
    config: withoutLists(settings),
    entries,
    rules: [...safe.rules, ...rules.rules],
    sources: readSources.items,
    problems: [...problems, ...safe.problems, ...entries.problems, ...rules.problems, ...readSources.problems],
  }
}

function withoutLists({ $schema: _, discovery, ...rest }: z.output<typeof settingsSchema>): Config {
  const { servers, sources, toolRules, ...settings } = discovery
  return { ...rest, discovery: settings }
}

function readSourceList(
  list: unknown,
  location: ConfigLocation,
): { items: ParsedConfig['sources']; problems: ConfigProblem[] } {
  if (list === undefined) return { items: [], problems: [] }
  if (!Array.isArray(list)) return { items: [], problems: [notAList(list, location)] }
  const read = list.map((item: unknown, index) => {
    const at = inside(location, index)
    return { at, ...check(sourceSchema, item, at) }
  })
  return {
    items: read.flatMap(({ at, value }) => (value === undefined ? [] : [{ source: value, location: at }])),
    problems: read.flatMap(({ problems }) => problems),
  }
}

/** Every tool is compared with every pattern. More patterns would block other requests while a config is loaded. */
const MAX_PATTERNS = 1_000

export function readRules(list: unknown, location: ConfigLocation): { rules: ToolRule[]; problems: ConfigProblem[] } {
  if (list === undefined) return { rules: [], problems: [] }
  const wrong = Array.isArray(list) ? tooManyPatterns(list, location) : notAList(list, location)
  if (!Array.isArray(list) || wrong !== undefined) {
    const { rule, effect } = closedRule(undefined)
    const problems = wrong === undefined ? [] : [wrong]
    return { rules: [rule], problems: [...problems, failClosedProblem(location, `'toolRules' ${effect}`)] }
  }
  const read = list.map((item: unknown, index) => {
    const at = inside(location, index)
    const { value, problems } = check(ruleSchema, item, at)
    if (value !== undefined && problems.length === 0) return { rule: toRule(value), problems }
    const { rule, effect } = closedRule(item)
    return { rule, problems: [...problems, failClosedProblem(at, `rule ${index + 1} ${effect}`)] }
  })
  return { rules: read.map(({ rule }) => rule), problems: read.flatMap(({ problems }) => problems) }
}

function tooManyPatterns(list: readonly unknown[], location: ConfigLocation): ConfigProblem | undefined {
  const patterns = list.reduce<number>((sum, item) => {
    const pattern: unknown = isRecord(item) ? item.pattern : undefined
    return sum + (Array.isArray(pattern) ? pattern.length : 1)
  }, 0)
  if (patterns <= MAX_PATTERNS) return undefined
  return problemAt(location, { expected: `at most ${MAX_PATTERNS} patterns`, found: `${patterns} patterns` })
}

function notAList(value: unknown, location: ConfigLocation): ConfigProblem {
  return problemAt(location, { expected: 'a list', found: shapeOf(value) })
}

function toRule({ pattern = '*', server, enabled, tags, category }: z.output<typeof ruleSchema>): ToolRule {
  return defined({ pattern: typeof pattern === 'string' ? [pattern] : pattern, server, enabled, tags, category })
}
