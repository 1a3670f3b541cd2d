// Gives each security setting that cannot be read a safe value at start, and reports it.

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

/** Limits that protect: without them, one person could use up what all share. */
const CALL_LIMITS = ['perPrincipal', 'perServer'] as const
/** Enough for one agent at a time. */
const CLOSED_LIMIT = { callsPerMinute: 60, concurrent: 4 }

const TOKEN_OUTAGE_TEXT =
  "'whenStoreIsDown' is closed: tokens of 'toolcrib token add' are refused while the shared store is out of reach"
const OUTAGE_TEXT = "'whenStoreIsDown' is closed: calls with limits are refused while the shared store is out of reach"

function closedLimitText(name: (typeof CALL_LIMITS)[number]): string {
  const whose = name === 'perPrincipal' ? 'each person can make' : 'each server gets'
  return `${whose} ${CLOSED_LIMIT.callsPerMinute} calls per minute, ${CLOSED_LIMIT.concurrent} at the same time`
}

/**
 * `settings` contains a default for each value that could not be read. For most settings the default is the safe value:
 * loopback, a generated token, no argument values in the audit log, the usual limits. These settings need another safe
 * value: `audit`, `enabled`, `inheritEnv`, `pinning`, `toolRules` and the limits for calls. A misspelled key counts as the
 * setting with the most similar name.
 */
export function closeSettings(
  settings: Settings,
  { value, problems, location }: { value: unknown; problems: readonly ConfigProblem[]; location: ConfigLocation },
): ClosedSettings {
  const root = isRecord(value) ? value : {}
  const discovery = isRecord(root.discovery) ? root.discovery : {}
  const rootNames = [...Object.keys(settings), '$schema']
  const discoveryNames = [...Object.keys(settings.discovery), 'toolRules', 'servers', 'sources', 'strategy']
  const alike = (name: string): readonly ConfigLocation[] => [
    ...misspelledKeys(root, name, rootNames, discoveryNames).map((key) => inside(location, key)),
    ...misspelledKeys(discovery, name, discoveryNames).map((key) => inside(location, 'discovery', key)),
  ]
  const wrong = (path: string) =>
    problems.some((one) => one.path === path || [`${path}.`, `${path}[`].some((start) => one.path.startsWith(start)))

  const audits = [...(wrong('audit') ? [inside(location, 'audit')] : []), ...alike('audit')]
  const switches = [
    ...(wrong('discovery.enabled') ? [inside(location, 'discovery', 'enabled')] : []),
    ...alike('enabled'),
  ]
  const inherits = [...(wrong('inheritEnv') ? [inside(location, 'inheritEnv')] : []), ...alike('inheritEnv')]
  const pinnings = [
    ...(wrong('discovery.pinning') ? [inside(location, 'discovery', 'pinning')] : []),
    ...alike('pinning'),
  ]
  const rules = alike('toolRules')
  const limits = isRecord(root.limits) ? root.limits : {}
  const isLimitWrong = (name: string) =>
    wrong(`limits.${name}`) || misspelledKeys(limits, name, Object.keys(settings.limits)).length > 0
  const callLimits = CALL_LIMITS.filter(isLimitWrong)
  const isOutageWrong = isLimitWrong('whenStoreIsDown')
  const http = isRecord(root.http) ? root.http : {}
  const isTokenOutageWrong =
    wrong('http.whenStoreIsDown') || misspelledKeys(http, 'whenStoreIsDown', Object.keys(settings.http)).length > 0
  return {
    settings: {
      ...settings,
      ...(audits.length === 0 ? {} : { audit: { ...settings.audit, mode: 'strict' } }),
      ...(switches.length + pinnings.length === 0
        ? {}
        : {
            discovery: {
              ...settings.discovery,
              ...(switches.length === 0 ? {} : { enabled: false }),
              ...(pinnings.length === 0 ? {} : { pinning: 'block' }),
            },
          }),
      ...(inherits.length === 0 ? {} : { inheritEnv: false }),
      ...(isTokenOutageWrong ? { http: { ...settings.http, whenStoreIsDown: 'closed' } } : {}),
      ...(callLimits.length === 0 && !isOutageWrong
        ? {}
        : {
            limits: {
              ...settings.limits,
              ...Object.fromEntries(callLimits.map((name) => [name, CLOSED_LIMIT])),
              ...(isOutageWrong ? { whenStoreIsDown: 'closed' } : {}),
            },
          }),
    },
    rules: rules.length === 0 ? [] : [closedRule(undefined).rule],
    problems: [
      ...audits.map((at) => failClosedProblem(at, "'audit' is strict: a call that cannot be recorded is refused")),
      ...switches.map((at) => failClosedProblem(at, 'no server is served')),
      ...pinnings.map((at) => failClosedProblem(at, "'pinning' is block: a changed tool is refused")),
      ...inherits.map((at) => failClosedProblem(at, "'inheritEnv' is false: servers get only a few variables")),
      ...rules.map((at) => failClosedProblem(at, 'every tool is disabled')),
      ...callLimits.map((name) => failClosedProblem(inside(location, 'limits', name), closedLimitText(name))),
      ...(isTokenOutageWrong
        ? [failClosedProblem(inside(location, 'http', 'whenStoreIsDown'), TOKEN_OUTAGE_TEXT)]
        : []),
      ...(isOutageWrong ? [failClosedProblem(inside(location, 'limits', 'whenStoreIsDown'), OUTAGE_TEXT)] : []),
    ],
  }
}
