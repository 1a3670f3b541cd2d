// The overview of the inspector: the servers with their states, and the cost of tools/list under each strategy.

import { groupBy } from '../../core/collections.ts'
import { defined } from '../../core/defined.ts'
import { shellWord } from '../../core/text.ts'
import { problemsOf } from '../../crib/config-problems.ts'
import type { SourceView } from '../../disclosure/view.ts'
import type { InspectorOverview, InspectorServer } from './api.ts'
import type { InspectorOptions } from './inspector-options.ts'
import type { createListingCosts } from './listing-costs.ts'
import type { TokenCosts } from './token-costs.ts'
import { toolsOf, type Visit } from './visit.ts'

interface OverviewOptions {
  readonly gateway: InspectorOptions['gateway']
  readonly tokens: TokenCosts
  readonly costs: ReturnType<typeof createListingCosts>
  readonly startedAt: string
  readonly mcpPath: string
}

/** How long to wait for the counts. The page asks again for those that are missing. */
const MAX_WAIT_MS = 200

export function createOverview(options: OverviewOptions): (visit: Visit) => Promise<InspectorOverview> {
  const { gateway, tokens, costs, startedAt, mcpPath } = options
  const { crib } = gateway
  return async (visit) => {
    const { view, caller, isUnlimited } = visit
    const counted = await costs.of(view, MAX_WAIT_MS)
    return {
      gateway: {
        name: crib.about.name,
        version: crib.about.version,
        strategy: crib.strategy.name,
        startedAt,
        now: new Date().toISOString(),
        mcpPath,
      },
      caller: {
        principal: caller.principal,
        isUnlimited,
        canCall: gateway.loaded.config.http.inspector === 'full' && (isUnlimited || view.sources.length > 0),
      },
      servers: serversOf(visit, gateway.loaded, tokens),
      ...counted,
      problems: isUnlimited ? problemsOf(gateway.loaded).map(({ message }) => message) : [],
    }
  }
}

function serversOf(visit: Visit, loaded: InspectorOptions['gateway']['loaded'], tokens: TokenCosts) {
  const { view, isUnlimited } = visit
  const configs = new Map(loaded.servers.map((server) => [server.name, server]))
  const bySource = groupBy(toolsOf(visit), ({ sourceId }) => sourceId)
  const running = view.sources.map((source): InspectorServer => {
    const config = configs.get(source.id)
    const own = bySource.get(source.id) ?? []
    const visible = own.filter((tool) => view.visible.get(tool.id) !== undefined)
    const { startMs, connectedAt, description, title } = source
    return {
      id: source.id,
      transport: config?.connection.type ?? 'code',
      ...stateOf(source, isUnlimited),
      ...defined({
        description: description ?? title,
        startMs: startMs === undefined ? undefined : Math.round(startMs),
        startedAt: connectedAt === undefined ? undefined : new Date(connectedAt).toISOString(),
        tools: source.toolCount,
        disabledTools: isUnlimited ? own.filter(({ disabled }) => disabled !== undefined).length : undefined,
        tokens: tokens.ofAll(visible),
      }),
      isShared: config?.perPrincipal !== true,
      warnings: own.filter(({ warnings = [] }) => warnings.length > 0).length + (source.problems?.length ?? 0),
    }
  })
  return isUnlimited ? [...running, ...disabledServers(loaded)] : running
}

function disabledServers({ servers }: InspectorOptions['gateway']['loaded']): readonly InspectorServer[] {
  return servers
    .filter(({ enabled }) => !enabled)
    .map(({ name, description, connection }) => ({
      id: name,
      ...(description === undefined ? {} : { description }),
      transport: connection.type,
      state: 'disabled',
      command: `toolcrib enable ${shellWord(name)}`,
      warnings: 0,
    }))
}

/** The commands are for the person who runs the gateway, so only callers with all rights get them. */
function stateOf(source: SourceView, isUnlimited: boolean): Pick<InspectorServer, 'state' | 'reason' | 'command'> {
  const { id, state, reason, loginCommand, toolCount } = source
  const shown = reason === undefined ? {} : { reason }
  const command = (text: string) => (isUnlimited ? { command: text } : {})
  if (loginCommand !== undefined) return { state: 'needs login', ...shown, ...command(loginCommand) }
  if (state === 'failed') return { state, ...shown, ...command(`toolcrib doctor ${shellWord(id)}`) }
  return { state: state === 'known' && toolCount === undefined ? 'unknown' : state, ...shown }
}
