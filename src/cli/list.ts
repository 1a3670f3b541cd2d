// toolcrib list: the configured servers, from what is known of them.

import type { Command } from 'commander'
import type { ServerSummary } from '../disclosure/gateway/list-servers.ts'
import type { Environment } from './environment.ts'
import type { Known, WithKnown } from './known/known.ts'
import { whyNoServers } from './no-servers.ts'
import { remarkLines } from './output/remark-lines.ts'
import { columnsOf, count, number, oneLine, wrap } from './output/text.ts'
import { servingNoteLine } from './serving-notes.ts'
import { type CommonFlags, commandOf, failWith, run, type Work } from './work.ts'

export interface ListFlags extends CommonFlags {
  readonly status?: boolean
  readonly tools?: boolean
}

/** One word for it: what the gateway's tool calls connected, for the model, may be running or only known. */
type Status = 'connected' | 'starting' | 'known' | 'unknown' | 'disconnected'

interface ListedServer extends Pick<ServerSummary, 'name' | 'description' | 'toolCount' | 'reason'> {
  readonly status: Status
  /** With --tools. */
  readonly disabledCount?: number
  readonly tokens?: number
}

export function listCommand(environment: Environment): Command {
  return commandOf('list', 'List the configured MCP servers.', 'list --status --tools')
    .option('--status', 'show which are running, by asking a running gateway')
    .option('--tools', 'show how many tools each has, how many are disabled, and what they cost in tokens')
    .action((flags: ListFlags) =>
      run(environment, flags, async (work) => {
        const { withKnown } = await import('./known/with-known.ts')
        return list(work, flags, withKnown)
      }),
    )
}

export async function list(work: Work, flags: ListFlags, withKnown: WithKnown): Promise<number> {
  // Whatever is not known stays so: a list starts nothing.
  const need = { isNeeded: () => false, isPatient: true }
  return withKnown(work, need, (known) => show(work, flags, known))
}

async function show(work: Work, flags: ListFlags, known: Known): Promise<number> {
  const { output } = work
  const { collectServers } = await import('./collect.ts')
  const collected = await collectServers(known)
  if ('error' in collected) return failWith(output, collected.error)
  const unknown = new Set(await known.unknown())
  const live = flags.status === true ? await liveStates(work) : undefined
  const { unusableServers } = await import('./unusable-servers.ts')
  const unusable = unusableServers(work.environment, known.startable)
  const costs =
    flags.tools === true ? (await (await import('./tool-costs.ts')).toolCosts(await known.view())).byServer : undefined
  const servers = collected.servers.map(({ name, description, toolCount }): ListedServer => {
    // None was started for this: what a running gateway says comes first, then what would keep it from starting.
    const { state, reason } = live?.get(name) ?? unusable.get(name) ?? { state: 'known' as const }
    const cost = costs?.get(name)
    const status = STATUSES[state]
    return {
      name,
      ...(description === undefined ? {} : { description }),
      ...(toolCount === undefined ? {} : { toolCount }),
      status: status === 'known' && unknown.has(name) ? 'unknown' : status,
      ...(reason === undefined ? {} : { reason }),
      ...(cost === undefined ? {} : { disabledCount: cost.disabled, tokens: cost.tokens }),
    }
  })
  const off = known.switchedOff
  const remarks = await known.remarks()
  const document = {
    servers,
    total: servers.length,
    ...(servers.length === 0 ? { reason: whyNoServers(work, known) } : {}),
    ...(off.length === 0 ? {} : { switchedOff: off }),
    ...(known.notes.length === 0 ? {} : { notes: known.notes }),
    ...(remarks.length === 0 ? {} : { warnings: remarks }),
    ...(known.note === undefined ? {} : { note: known.note }),
  }
  output.show(document, () => {
    if (output.isQuiet) return servers.map(({ name }) => oneLine(name))
    const { home } = work.environment
    const notes = known.notes.flatMap((note) => wrap(`Note: ${servingNoteLine(note, home)}`, output.width))
    if (servers.length === 0) {
      const why = wrap(whyNoServers(work, known), output.width, '  ')
      return ['MCP Servers (0 configured)', '', ...why, ...(notes.length === 0 ? [] : ['', ...notes])]
    }
    const blocks = servers.map((server) => describe(server, unknown.has(server.name), flags, work))
    const rest = off.length === 0 ? [] : ['', `Switched off in the configuration: ${off.map(oneLine).join(', ')}`]
    return [
      `MCP Servers (${servers.length} configured):`,
      ...blocks.flatMap((block) => ['', ...block]),
      ...rest,
      ...(notes.length === 0 ? [] : ['', ...notes]),
      ...remarkLines(remarks, output),
      ...(known.note === undefined ? [] : ['', ...wrap(known.note, output.width)]),
    ]
  })
  return 0
}

function describe(server: ListedServer, isUnknown: boolean, flags: ListFlags, { output }: Work): readonly string[] {
  const { paint, width } = output
  const { name, description, status, reason, toolCount, disabledCount = 0, tokens } = server
  const isDown = status === 'disconnected'
  const mark = isDown ? paint.red('✗') : status === 'unknown' ? paint.dim('?') : paint.green('✓')
  const more =
    flags.tools === true && !isUnknown ? [`${number(disabledCount)} disabled`, count(tokens ?? 0, 'token')] : []
  const counted = toolCount === undefined ? 'tools not known yet' : [count(toolCount, 'tool'), ...more].join(', ')
  const title = `${mark} ${paint.bold(oneLine(name))}`
  const isShort = columnsOf(title) + columnsOf(counted) + 3 <= width
  return [
    ...(isShort ? [`${title} (${counted})`] : [title, ...wrap(`(${counted})`, width, '  ')]),
    ...(description === undefined ? [] : wrap(description, width, '  ')),
    ...(flags.status === true ? [`  Status: ${SHOWN[status]}`] : []),
    ...(isDown && reason !== undefined ? wrap(`Reason: ${reason}`, width, '  ') : []),
  ]
}

const STATUSES: Readonly<Record<ServerSummary['state'], Status>> = {
  connected: 'connected',
  starting: 'starting',
  known: 'known',
  failed: 'disconnected',
}

const SHOWN: Readonly<Record<Status, string>> = {
  connected: 'Connected',
  starting: 'Starting',
  known: 'Known (not running)',
  unknown: 'Not asked yet (not running)',
  disconnected: 'Disconnected',
}

async function liveStates(work: Work) {
  const { statesOfGateways } = await import('./control/gateway-states.ts')
  return statesOfGateways(work)
}
