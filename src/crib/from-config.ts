// Creates a gateway: a crib over the servers of a configuration. It applies later changes of the configuration.

import type { LoadedConfig } from '../config/load/load.ts'
import { projectNote, unreadNote } from '../config/load/project-note.ts'
import { storeOf } from '../config/store-setting.ts'
import { withoutStdout } from '../core/claim-stdout.ts'
import { defined } from '../core/defined.ts'
import { messageOf } from '../core/text.ts'
import type { Decide } from '../core/tool.ts'
import { findStrategy } from '../disclosure/strategies/create-strategy.ts'
import { isStrategyPlugin } from '../disclosure/strategy.ts'
import { openTracer } from '../dispatch/call-tracer.ts'
import { type CallGate, gateFor } from '../dispatch/limits/call-limits.ts'
import { compileRuleSets } from '../rules/rule-sets.ts'
import { isSourcePlugin, openSources, type ToolSource } from '../sources/source.ts'
import { pinsKey, readRecord } from '../sources/upstream/pins/pin-record.ts'
import { pluginsOf, rankerIn } from './config-plugins.ts'
import { projectRuleProblems, ruleProblems } from './config-problems.ts'
import { createCrib } from './crib.ts'
import { type DisposalStack, openAll } from './disposal-stack.ts'
import type { Gateway, GatewayOptions } from './gateway-options.ts'
import { openGatewayParts } from './gateway-parts.ts'
import { createReloader } from './gateway-reload.ts'
import { auditRecorder, observedRecorder } from './recorders.ts'

export type { Gateway, GatewayProblem, StrategySetup } from './gateway-options.ts'

const DISCOVERY_OFF = 'Discovery is disabled: discovery.enabled is false in the configuration.'

export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  /** When the gateway began to load `first`. */
  const loadedAt = Date.now()
  const first = await options.load(new AbortController().signal)
  // Plugins of the configuration can print while they are opened.
  return withoutStdout(async () => {
    // Done before any store or server is opened, because an unknown name or a missing package throws.
    const chosen = await chooseParts(options, first)
    return openAll((stack) => openGateway(options, { ...chosen, first, loadedAt }, stack))
  })
}

/** Finds the parts that the first configuration names. */
async function chooseParts(options: GatewayOptions, first: LoadedConfig) {
  const { discovery, plugins = {} } = first.config
  const observer = await options.observe?.(first.config)
  const ranker = options.ranker ?? rankerIn(first.config)
  const storePlugin = storeOf(first)
  await storePlugin.check?.()
  const wanted = options.strategy ?? discovery.strategy ?? 'gateway'
  const strategy = findStrategy(wanted, pluginsOf('strategies', plugins.strategies, isStrategyPlugin))
  const strategyOptions = options.strategyOptions ?? discovery.strategyOptions
  const sourcePlugins = pluginsOf('sources', plugins.sources, isSourcePlugin)
  const openPluginSources = ({ servers }: LoadedConfig) =>
    openSources(
      sourcePlugins,
      servers.map((server) => server.name),
    )
  const pluginSources = discovery.enabled ? openPluginSources(first) : undefined
  const parts = { observer, ranker, storePlugin, strategy, strategyOptions }
  return { ...parts, pluginSources, openPluginSources }
}

interface ChosenParts extends Awaited<ReturnType<typeof chooseParts>> {
  readonly first: LoadedConfig
  readonly loadedAt: number
}

async function openGateway(options: GatewayOptions, chosen: ChosenParts, stack: DisposalStack): Promise<Gateway> {
  const { name, version, onProblem } = options
  const { first, observer, strategy, strategyOptions } = chosen
  const { discovery } = first.config
  let { pluginSources } = chosen
  for (const source of pluginSources ?? []) stack.use(source)
  let loaded = first
  const current = () => loaded
  const openLater = (): readonly ToolSource[] => {
    try {
      return chosen.openPluginSources(loaded).map((source) => stack.use(source))
    } catch (error) {
      onProblem({ message: messageOf(error) })
      return []
    }
  }
  /** The sources of plugins are opened when discovery is enabled for the first time. They then stay open. */
  const sourcesInUse = () => {
    if (!loaded.config.discovery.enabled) return upstreams.sources
    pluginSources ??= openLater()
    return [...upstreams.sources, ...pluginSources]
  }
  /** Replaced when the crib has created the strategy. The servers are opened before that, but not listed. */
  let isOwnName = (_name: string) => false
  const parts = await openGatewayParts({ ...chosen, options, current, isOwnName: (name) => isOwnName(name) }, stack)
  const { state, manifests, upstreams, usage, audit, counting } = parts
  let gate: CallGate | undefined
  const use = (next: LoadedConfig) => {
    upstreams.update(next)
    loaded = next
    gate = gateFor(next.config.limits, counting)
  }
  for (const problem of [...ruleProblems(first), ...projectRuleProblems(first)])
    onProblem({ message: problem.message, config: problem })
  use(first)
  // Imported only when needed: it loads the SDK.
  const features = discovery.passthrough
    ? (await import('./passthrough.ts')).createPassthrough({
        sources: () => upstreams.sources,
        store: manifests,
        listWaitMs: discovery.listWaitMs,
        onProblem: (server, message) => onProblem({ server, message }),
      })
    : undefined
  const crib = stack.use(
    createCrib({
      about: { name, version },
      sources: sourcesInUse(),
      strategy,
      strategyOptions,
      state: { store: state },
      builtins: false,
      catalog: {
        decide: compileRuleSets(first).decide,
        listWaitMs: discovery.listWaitMs,
        whyNoSources: () => whyNoSources(loaded),
      },
      search: {
        ranker: chosen.ranker,
        usage,
        learned: () => (loaded.config.discovery.search.learn ? usage.counts() : undefined),
        onSearch: (search) => audit.searched(search),
        onFound: observer?.onFound,
      },
      calls: {
        middleware: options.middleware,
        gate: () => gate,
        recorder: observedRecorder(auditRecorder(audit, usage), observer),
        tracer: first.config.traces ? openTracer() : undefined,
        results: parts.results,
      },
      onChoice: (line) => options.onChoice?.(line),
    }),
  )
  isOwnName = crib.strategy.hasTool
  if (features !== undefined) stack.use(features)
  const versions =
    state.isShared === true && options.isServing === true
      ? (await import('./replicas.ts')).followConfigs(first, {
          store: state,
          onDifference: (message) => onProblem({ message }),
        })
      : undefined
  stack.defer(() => versions?.close())
  const apply = (next: LoadedConfig, decide: Decide) => {
    use(next)
    versions?.update(next)
    crib.replace(sourcesInUse(), decide)
    options.onReload?.(next)
  }
  const reloader = createReloader({
    first,
    loadedAt: chosen.loadedAt,
    current,
    load: (signal) => options.load(signal),
    sources: () => upstreams.sources,
    apply,
    onProblem,
  })
  stack.defer(() => reloader[Symbol.dispose]())

  return {
    crib,
    ...defined({ features, shared: state.isShared === true ? state : undefined }),
    get loaded() {
      return loaded
    },
    get sources() {
      return upstreams.sources
    },
    get configVersions() {
      return versions?.count ?? 1
    },
    strategy: { plugin: strategy, options: strategyOptions, usage },
    auditFile: parts.auditFile,
    async pinOf(server, tool) {
      const config = loaded.servers.find(({ name }) => name === server)
      const record = config === undefined ? undefined : readRecord(await state.get(pinsKey(config)))
      return record?.tools.find(({ name }) => name === tool)
    },
    get waitingCalls() {
      return counting.slots.waiting
    },
    get waitingStarts() {
      return upstreams.waitingStarts
    },
    async warmUp(waitMs) {
      if (state.isShared !== true) return
      const { warmUp } = await import('./replicas.ts')
      await warmUp(loaded.servers, upstreams.sources, usage.counts(), waitMs)
    },
    redact: (text) => upstreams.redact(text),
    dismiss: (principal) => upstreams.dismiss(principal),
    reload: reloader.reload,
    watch: reloader.watch,
    [Symbol.asyncDispose]: stack[Symbol.asyncDispose],
  }
}

function whyNoSources(loaded: LoadedConfig): string | undefined {
  if (!loaded.config.discovery.enabled) return DISCOVERY_OFF
  const asItIs = (path: string) => path
  const note = unreadNote(loaded, asItIs) ?? projectNote(loaded, asItIs)
  return note === undefined ? undefined : `No server is in use. ${note}`
}
