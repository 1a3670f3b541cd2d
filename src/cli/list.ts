// toolcrib list: the configured servers, from what is known of them.

import type { Command } from 'commander'
import type { ServerSummary } from '../disclosure/gateway/list-servers.ts'
import type { Environment } from './environment.ts'
import type { Known, WithKnown } from './known/known.ts'
import { count, number, oneLine, wrap } from './output/text.ts'
import { type CommonFlags, commandOf, failWith, run, type Work } from './work.ts'

export interface ListFlags extends CommonFlags {
  readonly status?: boolean
  readonly tools?: boolean
}

interface ListedServer extends ServerSummary {
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
  const unusable = await unusableServers(work.environment, known.startable, unknown)
  const costs =
    flags.tools === true ? (await (await import('./tool-costs.ts')).toolCosts(await known.view())).byServer : undefined
  const servers = collected.servers.map((server): ListedServer => {
    const now = live?.get(server.name)
    const cost = costs?.get(server.name)
    return {
      ...server,
      // None was started for this: what a running gateway says comes first, then what would keep it from starting.
      ...(now ?? unusable.get(server.name) ?? { status: 'connected', state: 'known' }),
      ...(cost === undefined ? {} : { disabledCount: cost.disabled, tokens: cost.tokens }),
    }
  })
  const off = known.switchedOff
  const document = {
    servers: servers.map((server) => (unknown.has(server.name) ? { ...server, toolCount: null } : server)),
    total: servers.length,
    ...(off.length === 0 ? {} : { switchedOff: off }),
  }
  output.show(document, () => {
    if (output.isQuiet) return servers.map(({ name }) => oneLine(name))
    if (servers.length === 0) return ['MCP Servers (0 configured)', '', ...wrap(NONE, output.width, '  ')]
    const blocks = servers.map((server) => describe(server, unknown.has(server.name), flags, work))
    const rest = off.length === 0 ? [] : ['', `Switched off in the configuration: ${off.map(oneLine).join(', ')}`]
    return [`MCP Servers (${servers.length} configured):`, ...blocks.flatMap((block) => ['', ...block]), ...rest]
  })
  return 0
}

const NONE =
  'No server is configured. Run `toolcrib import` to see what the clients on this machine have, or `toolcrib serve --http --demo` to try the bundled examples.'

function describe(server: ListedServer, isUnknown: boolean, flags: ListFlags, { output }: Work): readonly string[] {
  const { paint, width } = output
  const { name, description, status, state, reason, toolCount, disabledCount = 0, tokens } = server
  const isDown = status === 'disconnected'
  const isUnasked = isUnknown && state === 'known'
  const mark = isDown ? paint.red('✗') : isUnasked ? paint.dim('?') : paint.green('✓')
  const more =
    flags.tools === true && !isUnknown ? [`${number(disabledCount)} disabled`, count(tokens ?? 0, 'token')] : []
  const counted = isUnknown ? 'tools not known yet' : [count(toolCount, 'tool'), ...more].join(', ')
  return [
    `${mark} ${paint.bold(oneLine(name))} (${counted})`,
    ...(description === undefined ? [] : wrap(description, width, '  ')),
    ...(flags.status === true ? [`  Status: ${isUnasked ? 'Known (not asked yet)' : STATUS[state]}`] : []),
    ...(isDown && reason !== undefined ? wrap(`Reason: ${reason}`, width, '  ') : []),
  ]
}

const STATUS: Readonly<Record<ServerSummary['state'], string>> = {
  connected: 'Connected',
  starting: 'Starting',
  known: 'Known (not running)',
  failed: 'Disconnected',
}

async function liveStates(work: Work) {
  const { statesOfGateways } = await import('./control/gateway-states.ts')
  return statesOfGateways(work)
}
