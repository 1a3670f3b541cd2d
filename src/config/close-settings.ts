// Gives each security setting that cannot be read a safe value, and reports it.

import type { z } from 'zod'
import { isRecord } from '../core/is-record.ts'
import { closedRule } from './closed-rule.ts'
import type { settingsSchema } from './config.ts'
import { failClosedProblem, misspelledKeys } from './fail-closed.ts'
import { type ConfigLocation, type ConfigProblem, inside } from './problem.ts'
import type { ToolRule } from './server-config.ts'

type Settings = z.output<typeof settingsSchema>

interface ClosedSettings {
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

/** The limits that protect the gateway: without them, one person could use up the capacity that all share. */
const CALL_LIMITS = ['perPrincipal', 'perServer'] as const
type CallLimit = (typeof CALL_LIMITS)[number]
/** Enough for one agent at a time. */
const CLOSED_LIMIT = { callsPerMinute: 60, concurrent: 4 }

/**
 * `settings` contains a default for each value that could not be read. For most settings the default is the safe value:
 * loopback, a generated token, no argument values in the audit log, the usual limits. The settings in `Unreadable` need
 * another safe value.
 */
export function closeSettings(settings: Settings, file: CheckedFile): ClosedSettings {
  const unreadable = findUnreadable(settings, file)
  return {
    settings: withSafeValues(settings, unreadable),
    rules: unreadable.toolRules.length === 0 ? [] : [closedRule(undefined).rule],
    problems: reportUnreadable(unreadable, file.location),
  }
}

/** The settings that cannot be read. A misspelled key counts as the setting with the most similar name. */
interface Unreadable {
  readonly audit: readonly ConfigLocation[]
  readonly enabled: readonly ConfigLocation[]
  readonly inheritEnv: readonly ConfigLocation[]
  readonly pinning: readonly ConfigLocation[]
  /** Only misspelled keys. `readRules` replaces each rule that cannot be read. */
  readonly toolRules: readonly ConfigLocation[]
  readonly callLimits: readonly CallLimit[]
  /** Whether `limits.whenStoreIsDown` cannot be read. */
  readonly isLimitOutageUnreadable: boolean
  /** Whether `http.whenStoreIsDown` cannot be read. */
  readonly isTokenOutageUnreadable: boolean
}

function findUnreadable(settings: Settings, { value, problems, location }: CheckedFile): Unreadable {
  const root = recordOf(value)
  const discovery = recordOf(root.discovery)
  const rootNames = [...Object.keys(settings), '$schema']
  const discoveryNames = [...Object.keys(settings.discovery), 'toolRules', 'servers', 'sources', 'strategy']
  const findMisspelled = (name: string): readonly ConfigLocation[] => [
    ...misspelledKeys(root, name, rootNames, discoveryNames).map((key) => inside(location, key)),
    ...misspelledKeys(discovery, name, discoveryNames).map((key) => inside(location, 'discovery', key)),
  ]
  const hasProblem = (path: string) =>
    problems.some((one) => one.path === path || [`${path}.`, `${path}[`].some((start) => one.path.startsWith(start)))
  const find = (name: string, ...parents: readonly string[]) => {
    const path = [...parents, name]
    return [...(hasProblem(path.join('.')) ? [inside(location, ...path)] : []), ...findMisspelled(name)]
  }
  const isUnreadableIn = (section: 'limits' | 'http', name: string) =>
    hasProblem(`${section}.${name}`) ||
    misspelledKeys(recordOf(root[section]), name, Object.keys(settings[section])).length > 0
  return {
    audit: find('audit'),
    enabled: find('enabled', 'discovery'),
    inheritEnv: find('inheritEnv'),
    pinning: find('pinning', 'discovery'),
    toolRules: findMisspelled('toolRules'),
    callLimits: CALL_LIMITS.filter((name) => isUnreadableIn('limits', name)),
    isLimitOutageUnreadable: isUnreadableIn('limits', 'whenStoreIsDown'),
    isTokenOutageUnreadable: isUnreadableIn('http', 'whenStoreIsDown'),
  }
}

function withSafeValues(settings: Settings, unreadable: Unreadable): Settings {
  const { audit, discovery, http, limits } = settings
  const { callLimits, isLimitOutageUnreadable, isTokenOutageUnreadable } = unreadable
  return {
    ...settings,
    audit: { ...audit, ...(unreadable.audit.length === 0 ? {} : { mode: 'strict' }) },
    discovery: {
      ...discovery,
      ...(unreadable.enabled.length === 0 ? {} : { enabled: false }),
      ...(unreadable.pinning.length === 0 ? {} : { pinning: 'block' }),
    },
    ...(unreadable.inheritEnv.length === 0 ? {} : { inheritEnv: false }),
    http: { ...http, ...(isTokenOutageUnreadable ? { whenStoreIsDown: 'closed' } : {}) },
    limits: {
      ...limits,
      ...Object.fromEntries(callLimits.map((name) => [name, CLOSED_LIMIT])),
      ...(isLimitOutageUnreadable ? { whenStoreIsDown: 'closed' } : {}),
    },
  }
}

const TOKEN_OUTAGE_TEXT =
  "'whenStoreIsDown' is closed: tokens of 'toolcrib token add' are refused while the shared store is out of reach"
const LIMIT_OUTAGE_TEXT =
  "'whenStoreIsDown' is closed: calls with limits are refused while the shared store is out of reach"

function reportUnreadable(unreadable: Unreadable, location: ConfigLocation): readonly ConfigProblem[] {
  const { audit, enabled, pinning, inheritEnv, toolRules, callLimits } = unreadable
  const { isLimitOutageUnreadable, isTokenOutageUnreadable } = unreadable
  const report = (locations: readonly ConfigLocation[], effect: string) =>
    locations.map((at) => failClosedProblem(at, effect))
  return [
    ...report(audit, "'audit' is strict: a call that cannot be recorded is refused"),
    ...report(enabled, 'no server is served'),
    ...report(pinning, "'pinning' is block: a changed tool is refused"),
    ...report(inheritEnv, "'inheritEnv' is false: servers get only a few variables"),
    ...report(toolRules, 'every tool is disabled'),
    ...callLimits.flatMap((name) => report([inside(location, 'limits', name)], closedLimitText(name))),
    ...report(isTokenOutageUnreadable ? [inside(location, 'http', 'whenStoreIsDown')] : [], TOKEN_OUTAGE_TEXT),
    ...report(isLimitOutageUnreadable ? [inside(location, 'limits', 'whenStoreIsDown')] : [], LIMIT_OUTAGE_TEXT),
  ]
}

function closedLimitText(name: CallLimit): string {
  const whose = name === 'perPrincipal' ? 'each person can make' : 'each server gets'
  return `${whose} ${CLOSED_LIMIT.callsPerMinute} calls per minute, ${CLOSED_LIMIT.concurrent} at the same time`
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}
