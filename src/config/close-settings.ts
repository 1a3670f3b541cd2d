// Replaces protecting settings that cannot be read by safe values at start, and reports each of them.

import type { z } from 'zod'
import { closedRule } from './closed-rule.ts'
import type { settingsSchema } from './config.ts'
import { closed, misspelt } from './fail-closed.ts'
import { type ConfigProblem, inside, isRecord, type Place } from './problem.ts'
import type { ToolRule } from './server-config.ts'

type Settings = z.output<typeof settingsSchema>

export interface ClosedSettings {
  readonly settings: Settings
  /** In front of all others. */
  readonly rules: readonly ToolRule[]
  readonly problems: readonly ConfigProblem[]
}

/**
 * `settings` holds a default for each value that could not be read. For most settings the default is the safe value:
 * loopback, a token that is made, no argument values in the audit log, the usual bounds. These three have another one.
 * A key that is most like one of them counts as that one.
 */
export function closeSettings(
  settings: Settings,
  { value, problems, place }: { value: unknown; problems: readonly ConfigProblem[]; place: Place },
): ClosedSettings {
  const root = isRecord(value) ? value : {}
  const discovery = isRecord(root.discovery) ? root.discovery : {}
  const rootNames = [...Object.keys(settings), '$schema']
  const discoveryNames = [...Object.keys(settings.discovery), 'toolRules', 'servers', 'sources', 'strategy']
  const alike = (name: string): readonly Place[] => [
    ...misspelt(root, name, rootNames, discoveryNames).map((key) => inside(place, key)),
    ...misspelt(discovery, name, discoveryNames).map((key) => inside(place, 'discovery', key)),
  ]
  const wrong = (path: string) => problems.some((one) => one.path === path || one.path.startsWith(`${path}.`))

  const audits = [...(wrong('audit') ? [inside(place, 'audit')] : []), ...alike('audit')]
  const switches = [...(wrong('discovery.enabled') ? [inside(place, 'discovery', 'enabled')] : []), ...alike('enabled')]
  const rules = alike('toolRules')
  return {
    settings: {
      ...settings,
      ...(audits.length === 0 ? {} : { audit: { ...settings.audit, mode: 'strict' } }),
      ...(switches.length === 0 ? {} : { discovery: { ...settings.discovery, enabled: false } }),
    },
    rules: rules.length === 0 ? [] : [closedRule(undefined).rule],
    problems: [
      ...audits.map((at) => closed(at, "'audit' is strict: a call that cannot be recorded is refused")),
      ...switches.map((at) => closed(at, 'no server is served')),
      ...rules.map((at) => closed(at, 'every tool is disabled')),
    ],
  }
}
