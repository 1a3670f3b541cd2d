// The overview of the inspector: the servers with their states, and the cost of tools/list under each strategy.

import { groupBy } from '../../core/collections.ts'
import { defined } from '../../core/defined.ts'
import { shellWord } from '../../core/text.ts'
import { atMost } from '../../core/waiting.ts'
import { problemsOf } from '../../crib/config-problems.ts'
import type { SourceView, View } from '../../disclosure/view.ts'
import type { InspectorCost, InspectorOverview, InspectorServer } from './api.ts'
import type { ComparedStrategies, ComparedStrategy } from './compared-strategies.ts'
import type { InspectorOptions } from './inspector-options.ts'
import type { TokenCosts } from './token-costs.ts'
import { toolsOf, type Visit } from './visit.ts'

interface OverviewOptions {
  readonly gateway: InspectorOptions['gateway']
  readonly tokens: TokenCosts
  readonly strategies: ComparedStrategies
  readonly startedAt: string
  readonly mcpPath: string
  onError(error: unknown): void
}

/** How long to wait for the counts. The page asks again for those that are missing. */
const MAX_WAIT_MS = 200

export function createOverview(options: OverviewOptions): (visit: Visit) => Promise<InspectorOverview> {
  const { gateway, tokens, strategies, startedAt, mcpPath, onError } = options
  const { crib } = gateway
  const costs = createListingCosts(strategies, tokens, onError)
  return async (visit) => {
    const { view, caller, isUnlimited } = visit
    const counted = await costs.of(view)
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
  const enabled = view.sources.map((source): InspectorServer => {
    const config = configs.get(source.id)
    const own = bySource.get(source.id) ?? []
    const visible = own.filter((tool) => view.visible.get(tool.id) !== undefined)
    const { startMs, connectedAt, description, title } = source
    const isExample = config?.origin.source === 'example'
    return {
      id: source.id,
      transport: config?.connection.type ?? 'code',
      ...stateOf(source, isUnlimited && !isExample),
      ...defined({
        description: description ?? title,
        startMs: startMs === undefined ? undefined : Math.round(startMs),
        startedAt: connectedAt === undefined ? undefined : new Date(connectedAt).toISOString(),
        tools: source.toolCount,
        disabledTools: isUnlimited ? own.filter(({ disabled }) => disabled !== undefined).length : undefined,
        tokens: tokens.sumOf(visible),
        isExample: isExample || undefined,
      }),
      isShared: config?.perPrincipal !== true,
      warnings: own.filter(({ warnings = [] }) => warnings.length > 0).length + (source.problems?.length ?? 0),
    }
  })
  return isUnlimited ? [...enabled, ...disabledServers(loaded)] : enabled
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

/**
 * `showsCommand` adds the command to type next. It is false for a caller with limited rights, and for example servers,
 * which other commands do not know.
 */
function stateOf(source: SourceView, showsCommand: boolean): Pick<InspectorServer, 'state' | 'reason' | 'command'> {
  const { id, state, reason, loginCommand, toolCount } = source
  const shown = reason === undefined ? {} : { reason }
  const command = (text: string) => (showsCommand ? { command: text } : {})
  if (loginCommand !== undefined) return { state: 'needs login', ...shown, ...command(loginCommand) }
  if (state === 'failed') return { state, ...shown, ...command(`toolcrib doctor ${shellWord(id)}`) }
  return { state: state === 'known' && toolCount === undefined ? 'unknown' : state, ...shown }
}

interface Counting {
  readonly costs: Map<string, number>
  /** The strategies that are not counted yet. */
  readonly waiting: Set<string>
  readonly counted: Promise<void>
}

/** With more tools, some strategies are not compared; see `takesLong`. */
const MAX_COMPARED_TOOLS = 5_000

/** The strategy that lists every tool with its schema. */
const EVERYTHING = 'individual'

/**
 * The tokens of tools/list under each strategy. They are counted in the background, once for all callers with the same
 * tools. Only a listing that each caller has for itself is counted for each request.
 */
function createListingCosts(strategies: ComparedStrategies, tokens: TokenCosts, onError: (error: unknown) => void) {
  // All later requests use a count, so it does not end with the request that started it. This signal never aborts.
  const { signal } = new AbortController()
  /** The costs by visible tools, so that callers with the same rights share them. */
  const known = new WeakMap<View['visible'], Counting>()

  const costOf = async (compared: ComparedStrategy, view: View): Promise<number | undefined> => {
    if (compared.name === EVERYTHING && !compared.isCurrent) return tokens.ofAll(view.visible.tools)
    return tokens.countListing(await compared.list(view))
  }
  const start = (all: readonly ComparedStrategy[], view: View): Counting => {
    const costs = new Map<string, number>()
    const shared = all.filter(({ strategy }) => strategy.isPersonal !== true)
    const waiting = new Set(shared.map(({ name }) => name))
    const countAll = async () => {
      await tokens.count(view.visible.tools)
      for (const compared of shared) {
        const cost = await costOf(compared, view)
        if (cost !== undefined) costs.set(compared.name, cost)
        waiting.delete(compared.name)
      }
    }
    return {
      costs,
      waiting,
      counted: countAll()
        .catch(onError)
        .finally(() => waiting.clear()),
    }
  }
  return {
    /** Resolves with the costs that are counted so far, after a short time at the latest. */
    async of(view: View): Promise<Pick<InspectorOverview, 'costs' | 'counting'>> {
      const all = strategies.names
        .flatMap((name) => strategies.create(name, signal) ?? [])
        .filter((compared) => !takesLong(compared, view.visible.tools.length))
      const counting = known.get(view.visible) ?? start(all, view)
      known.set(view.visible, counting)
      await atMost(MAX_WAIT_MS, counting.counted)
      const costs: InspectorCost[] = []
      for (const compared of all) {
        const { name, isCurrent, strategy } = compared
        // A personal listing is short.
        const cost = strategy.isPersonal === true ? await costOf(compared, view) : counting.costs.get(name)
        if (cost === undefined) continue
        costs.push({ strategy: name, tokens: cost, isCurrent, ...(name === EVERYTHING ? { isEverything: true } : {}) })
      }
      return { costs, counting: [...counting.waiting] }
    },
  }
}

/** A listing that describes thousands of tools is made in one step, which would block calls of clients. */
function takesLong({ name, isCurrent, strategy }: ComparedStrategy, tools: number): boolean {
  return name !== EVERYTHING && !isCurrent && strategy.listsCatalog === true && tools > MAX_COMPARED_TOOLS
}
