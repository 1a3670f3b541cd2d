// toolcrib config show: prints the configuration in force, with masked secrets.

import type { LoadedConfig } from '../../../config/load/load.ts'
import { ruleText } from '../../../rules/rules.ts'
import { statesOfGateways } from '../../gateway/ask-gateways.ts'
import { openSession } from '../../gateway/session.ts'
import { connectionLine, projectLine, sourceLine } from '../../output/config-lines.ts'
import { count, number, oneLine, wrap } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'

export async function showConfig(work: Work): Promise<number> {
  const { output } = work
  await using session = await openSession(work)
  const { loaded } = session
  const { visible, known } = await session.view()
  const states = await statesOfGateways(work)
  const configured = session.servers.length
  const connected = session.servers.filter((name) => states?.get(name)?.state === 'connected').length
  const unlisted = (await session.unknown()).length
  const total = known.tools.filter((tool) => tool.disabled !== undefined || visible.get(tool.id) !== undefined).length
  const { discovery } = loaded.config
  const file = loaded.origin.kind === 'defaults' ? null : loaded.origin.file
  const document = {
    file,
    origin: loaded.origin.kind,
    project: loaded.project ?? null,
    enabled: discovery.enabled,
    strategy: discovery.strategy ?? 'gateway',
    cache: discovery.cache,
    sources: loaded.sources,
    toolRules: loaded.rules.map(({ origin, ...rule }) =>
      origin === undefined ? rule : { ...rule, from: origin.source },
    ),
    projectRules: loaded.projectRules.map(({ origin, ...rule }) => rule),
    servers: { configured, connected, ...(unlisted === 0 ? {} : { unasked: unlisted }) },
    // If no list of tools is stored, the number of tools is unknown, not 0.
    ...(unlisted > 0 && unlisted === configured ? {} : { tools: { total, enabled: visible.tools.length } }),
  }
  output.show(document, () => [
    'MCP Discovery Configuration:',
    '',
    `File: ${file === null ? 'none (using the servers of your MCP clients)' : output.path(file)}`,
    ...(loaded.project === undefined ? [] : [projectLine(loaded.project, output)]),
    `Status: ${discovery.enabled ? 'Enabled' : 'Disabled'}`,
    `Cache: ${discovery.cache.enabled ? `Enabled (TTL: ${discovery.cache.ttl}s)` : 'Disabled'}`,
    ...(discovery.strategy === undefined ? [] : [`Strategy: ${discovery.strategy}`]),
    '',
    `Sources (${loaded.sources.length})${loaded.sources.length === 0 ? '' : ':'}`,
    ...loaded.sources.map((report) => `  ${sourceLine(report, output, false)}`),
    '',
    `Tool Rules (${loaded.rules.length})${loaded.rules.length === 0 ? '' : ':'}`,
    ...loaded.rules.flatMap((rule, at) => output.wrap(`${at + 1}. ${oneLine(ruleText(rule))}`, '  ')),
    ...(loaded.projectRules.length === 0 ? [] : ['', `Tool Rules of the project (${loaded.projectRules.length}):`]),
    ...loaded.projectRules.flatMap((rule, at) => output.wrap(`${at + 1}. ${oneLine(ruleText(rule))}`, '  ')),
    '',
    ...(output.isVerbose ? [...serverLines(loaded), ''] : []),
    ...wrap(
      `Servers: ${number(configured)} configured, ${number(connected)} connected${states === undefined ? ' (no gateway is running)' : ''}`,
      output.width,
    ),
    ...wrap(toolsLine(total, visible.tools.length, unlisted, configured), output.width),
  ])
  return 0
}

function toolsLine(total: number, enabled: number, unlisted: number, configured: number): string {
  const text = `${count(unlisted, 'server')} ${unlisted === 1 ? 'has not listed its' : 'have not listed their'} tools`
  if (unlisted > 0 && unlisted === configured) return `Tools: not known, ${text}`
  const rest = unlisted === 0 ? '' : `, and ${text}`
  return `Tools: ${number(total)} total, ${number(enabled)} enabled${rest}`
}

function serverLines({ servers }: LoadedConfig): readonly string[] {
  const off = servers.filter(({ enabled }) => !enabled).length
  return [
    `Server entries (${number(servers.length)}${off === 0 ? '' : `, ${number(off)} disabled`}):`,
    ...servers.map((server) => {
      const { name, connection, enabled } = server
      return `  ${oneLine(name)}: ${connectionLine(connection)}${enabled ? '' : ' (disabled)'}`
    }),
  ]
}
