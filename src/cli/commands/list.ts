// toolcrib list: lists the configured servers, from their cached descriptions.

import type { Command } from 'commander'
import { defined } from '../../core/defined.ts'
import type { DescribedTool } from '../../core/tool.ts'
import type { ServerSummary } from '../../disclosure/strategies/gateway/pages.ts'
import type { Environment } from '../../setup/environment.ts'
import type { CatalogReader, WithCatalog } from '../cache/cached-catalog.ts'
import { servingNoteLine, warningLines, whyNoServers } from '../output/notes.ts'
import { columnsOf, count, number, oneLine, wrap } from '../output/text.ts'
import { type CommonFlags, commandOf, run, type Work } from '../output/work.ts'

interface ListFlags extends CommonFlags {
  readonly status?: boolean
  readonly tools?: boolean
}

/** Unlike in `list_mcp_servers`, a server with cached tools that is not running is `known`, and not `connected`. */
type Status = 'connected' | 'starting' | 'known' | 'unknown' | 'disconnected'

interface ListedServer extends Pick<ServerSummary, 'name' | 'description' | 'toolCount' | 'reason'> {
  readonly status: Status
  /** Only with --tools. */
  readonly disabledCount?: number
  /** The number of tools that differ from their pins, or that were added after the pins. */
  readonly changedCount?: number
  /** Only with --tools. */
  readonly tokens?: number
}

export function createCommand(environment: Environment): Command {
  return commandOf('list', 'List the configured MCP servers.', 'list --status --tools')
    .option('--status', 'show which servers are running (asks a running gateway)')
    .option('--tools', 'also show how many tools of each server are disabled, and the tokens of the enabled ones')
    .action((flags: ListFlags) =>
      run(environment, flags, async (work) =>
        list(work, flags, (await import('../cache/with-catalog.ts')).withCatalog),
      ),
    )
}

export async function list(work: Work, flags: ListFlags, withCatalog: WithCatalog): Promise<number> {
  // `list` starts no server, so the tools of a server without a cached description stay unknown.
  const need = { isNeeded: () => false, isPatient: true }
  return withCatalog(work, need, (catalog) => show(work, flags, catalog))
}

async function show(work: Work, flags: ListFlags, catalog: CatalogReader): Promise<number> {
  const { output } = work
  const { summarizeServer } = await import('../../disclosure/strategies/gateway/pages.ts')
  const view = await catalog.view()
  const live =
    flags.status === true ? await (await import('../gateway/ask-gateways.ts')).statesOfGateways(work) : undefined
  const { unusableServers } = await import('../gateway/unreachable.ts')
  const unusable = unusableServers(work.environment, catalog.startable, view.sources)
  const costs =
    flags.tools === true ? (await (await import('../strategy/tool-costs.ts')).toolCosts(view)).byServer : undefined
  const servers = view.sources.map((source): ListedServer => {
    const { name, description, toolCount } = summarizeServer(source)
    // The state in a running gateway takes precedence over a reason that would prevent a start.
    const { state, reason } = live?.get(name) ?? unusable.get(name) ?? { state: 'known' as const }
    const cost = costs?.get(name)
    const changed = view.known.tools.filter((tool) => tool.sourceId === name && differsFromPin(tool)).length
    const status = STATUSES[state]
    return defined({
      name,
      description,
      toolCount,
      status: status === 'known' && toolCount === undefined ? 'unknown' : status,
      reason: reason === undefined ? undefined : output.keepConfig(reason),
      changedCount: changed === 0 ? undefined : changed,
      disabledCount: cost?.disabled,
      tokens: cost?.tokens,
    })
  })
  const { switchedOff, servingNotes, projectNote } = catalog
  const warnings = [...catalog.sourceWarnings, ...(await catalog.ruleWarnings())]
  const whyNone = output.keepConfig(whyNoServers(catalog))
  const document = defined({
    servers,
    total: servers.length,
    reason: servers.length === 0 ? whyNone : undefined,
    switchedOff: switchedOff.length === 0 ? undefined : switchedOff,
    notes: servingNotes.length === 0 ? undefined : servingNotes,
    warnings: warnings.length === 0 ? undefined : warnings.map(({ message }) => message),
    note: projectNote,
  })
  output.show(document, () => {
    if (output.isQuiet) return servers.map(({ name }) => oneLine(name))
    const { home } = work.environment
    const notes = servingNotes.flatMap((note) => output.wrap(`Note: ${servingNoteLine(note, home)}`))
    if (servers.length === 0) {
      const why = output.wrap(whyNone, '  ')
      const more = [...(notes.length === 0 ? [] : ['', ...notes]), ...warningLines(warnings, output)]
      return ['MCP Servers (0 configured)', '', ...why, ...more]
    }
    const blocks = servers.map((server) => serverLines(server, flags, work))
    const off = `Disabled in the configuration: ${switchedOff.map(oneLine).join(', ')}`
    return [
      `MCP Servers (${servers.length} configured):`,
      ...blocks.flatMap((block) => ['', ...block]),
      ...(switchedOff.length === 0 ? [] : ['', off]),
      ...(notes.length === 0 ? [] : ['', ...notes]),
      ...warningLines(warnings, output),
      ...(projectNote === undefined ? [] : ['', ...wrap(projectNote, output.width)]),
    ]
  })
  return 0
}

/** False if the pins of the server cannot be read. */
function differsFromPin({ change }: DescribedTool): boolean {
  return change !== undefined && change.kind !== 'unknown'
}

function serverLines(server: ListedServer, flags: ListFlags, { output }: Work): readonly string[] {
  const { paint, width } = output
  const { name, description, status, reason, toolCount, disabledCount = 0, changedCount = 0, tokens = 0 } = server
  const isDown = status === 'disconnected'
  const mark = isDown ? paint.red('✗') : status === 'unknown' ? paint.dim('?') : paint.green('✓')
  const changed = changedCount === 0 ? [] : [`${number(changedCount)} changed`]
  const more = flags.tools === true ? [`${number(disabledCount)} disabled`, count(tokens, 'token')] : []
  const counted =
    toolCount === undefined ? 'tools not known yet' : [count(toolCount, 'tool'), ...changed, ...more].join(', ')
  const title = `${mark} ${paint.bold(oneLine(name))}`
  const isShort = columnsOf(title) + columnsOf(counted) + 3 <= width
  return [
    ...(isShort ? [`${title} (${counted})`] : [title, ...wrap(`(${counted})`, width, '  ')]),
    ...(description === undefined ? [] : output.wrap(description, '  ')),
    ...(flags.status === true ? [`  Status: ${STATUS_TEXTS[status]}`] : []),
    ...(isDown && reason !== undefined ? output.wrap(`Reason: ${reason}`, '  ') : []),
  ]
}

const STATUSES: Readonly<Record<ServerSummary['state'], Status>> = {
  connected: 'connected',
  starting: 'starting',
  known: 'known',
  failed: 'disconnected',
}

const STATUS_TEXTS: Readonly<Record<Status, string>> = {
  connected: 'Connected',
  starting: 'Starting',
  known: 'Known (not running)',
  unknown: 'Not started yet',
  disconnected: 'Disconnected',
}
