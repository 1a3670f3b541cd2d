// Creates a gateway: a crib over the servers of a configuration. It applies later changes of the configuration.

import { join } from 'node:path'
import type { LoadedConfig } from '../config/load/load.ts'
import { projectNote } from '../config/load/project-note.ts'
import type { ConfigProblem } from '../config/problem.ts'
import { configChain, PARENT_CONFIGS } from '../config/self.ts'
import { storeKey, storeSetting } from '../config/store-setting.ts'
import { type ConfigWatch, watchConfig } from '../config/watch.ts'
import { messageOf } from '../core/text.ts'
import { findStrategy } from '../disclosure/strategies/create-strategy.ts'
import { isStrategyPlugin } from '../disclosure/strategy.ts'
import type { AuditRecord } from '../dispatch/audit.ts'
import { openTracer } from '../dispatch/call-tracer.ts'
import { type CallGate, gateFor } from '../dispatch/limits/call-limits.ts'
import { createMemoryCounters } from '../dispatch/limits/counters.ts'
import { createSlots } from '../dispatch/limits/slots.ts'
import { createResultLimit } from '../dispatch/result-limit/result-limit.ts'
import { decideAhead, preparePatterns } from '../rules/prepare-rules.ts'
import { compileRuleSets } from '../rules/rule-sets.ts'
import { isSourcePlugin, openSources } from '../sources/source.ts'
import { pinsKey, readRecord } from '../sources/upstream/pins/pin-record.ts'
import { createMemoryStore } from '../storage/memory.ts'
import { chooseStore, storeOpener } from '../storage/open-stores.ts'
import { auditRecorder } from './audit-recorder.ts'
import { effectivePart, mayHaveChanged } from './config-changes.ts'
import { pluginsOf, rankerIn } from './config-plugins.ts'
import { problemsOf, projectRuleProblems, ruleProblems } from './config-problems.ts'
import { createCrib } from './crib.ts'
import { waitingSettings } from './fixed-settings.ts'
import type { Gateway, GatewayOptions, Reload } from './gateway-options.ts'
import { observedRecorder } from './observer.ts'
import { openAudit } from './open-audit.ts'
import { NOT_SHARED, type OpenLogins, openLogins } from './open-logins.ts'
import { isOnlyUser } from './own-principal.ts'
import { createUpstreams } from './upstreams.ts'
import { openUsage } from './usage.ts'

export type { Gateway, GatewayProblem, StrategySetup } from './gateway-options.ts'

const DISCOVERY_OFF = 'Discovery is switched off: discovery.enabled is false in the configuration.'

export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { name, version, env, stateDir, cacheDir, onProblem } = options
  const closing = new AbortController()
  const report = (problem: { readonly message: string }) => onProblem({ message: problem.message })
  const loadedAt = Date.now()
  const first = await options.load(closing.signal)
  const { discovery, limits, log, plugins = {} } = first.config
  // These run before any store or server is opened, because an unknown name or a missing package throws.
  const observer = await options.observe?.(first.config)
  const ranker = options.ranker ?? rankerIn(first.config)
  const kind = chooseStore(storeSetting(first), plugins.stores)
  await kind.check?.()
  const loginKey = storeKey(first.variables)
  const wanted = options.strategy ?? discovery.strategy ?? 'gateway'
  const strategy = findStrategy(wanted, pluginsOf('strategies', plugins.strategies, isStrategyPlugin))
  const strategyOptions = options.strategyOptions ?? discovery.strategyOptions
  const own = openSources(
    discovery.enabled ? pluginsOf('sources', plugins.sources, isSourcePlugin) : [],
    first.servers.map((server) => server.name),
  )

  const openStore = storeOpener(kind, { stateDir, cacheDir }, report)
  const state = openStore('state')
  const manifests = discovery.cache.enabled ? openStore('manifests') : createMemoryStore()
  const breaker =
    state.isShared === true
      ? (await import('../sources/upstream/shared-breaker.ts')).createSharedBreaker(state)
      : undefined
  let openedLogins: Promise<OpenLogins> | undefined
  const upstreams = createUpstreams({
    env: { ...env, [PARENT_CONFIGS]: JSON.stringify(configChain(first.origin, env)) },
    clientInfo: { name, version },
    maxStarting: limits.maxStarting,
    expectsCalls: options.expectsCalls,
    startWaitMs: options.startWaitMs,
    store: manifests,
    pins: state,
    breaker,
    logins: {
      async open() {
        if (openedLogins === undefined && state.isShared === true && loginKey === undefined)
          onProblem({ message: NOT_SHARED })
        openedLogins ??= openLogins({ stateDir, key: loginKey, openStore, onProblem: report })
        return (await openedLogins).logins
      },
      // With several clients, one of them must not log in for all.
      mayLogIn: (caller) => caller.transport !== 'http' || isOnlyUser(caller, loaded.config),
    },
    onProblem: (server, reason) => onProblem({ server, message: reason }),
    onOutput: options.onOutput && ((server, lines) => options.onOutput?.(server, lines)),
    onFailedStart: (server, failure) => options.onFailedStart?.(server, failure),
    onServerState: observer?.onServerState,
  })
  const usage = await openUsage({ store: state, onProblem: (error) => onProblem({ message: messageOf(error) }) })
  const auditFile = first.config.audit.file ?? join(stateDir, 'audit.jsonl')
  const audit = await openAudit({
    config: first.config,
    file: auditFile,
    store: state,
    redact: (text) => upstreams.redact(text),
    onProblem: (reason) => onProblem({ message: reason }),
    ...(log.audit ? { onRecord: (record: AuditRecord) => options.onLog?.(record) } : {}),
  })
  const results = createResultLimit({
    store: openStore('results'),
    ...(limits.maxResultTokens === undefined ? {} : { maxTokens: limits.maxResultTokens }),
    ...(limits.maxHandles === undefined ? {} : { maxHandles: limits.maxHandles }),
    ...(limits.maxHandleBytes === undefined ? {} : { maxHandleBytes: limits.maxHandleBytes }),
  })

  let loaded = first
  // Kept when the configuration changes: a reload must not reset the counts.
  const counting =
    state.limits === undefined
      ? { counters: createMemoryCounters(), slots: createSlots() }
      : (await import('../dispatch/limits/shared-limits.ts')).shareLimits(state.limits, {
          isStrict: () => loaded.config.limits.whenStoreIsDown === 'closed',
        })
  let gate: CallGate | undefined
  const apply = (next: LoadedConfig) => {
    upstreams.update(next)
    loaded = next
    gate = gateFor(next.config.limits, counting)
  }
  for (const config of [...ruleProblems(first), ...projectRuleProblems(first)])
    onProblem({ message: config.message, config })
  apply(first)
  const { decide } = compileRuleSets(first)
  // Imported only when needed: it loads the SDK.
  const features = discovery.passthrough
    ? (await import('./passthrough.ts')).createPassthrough({
        sources: () => upstreams.sources,
        store: manifests,
        listWaitMs: discovery.listWaitMs,
        onProblem: (server, message) => onProblem({ server, message }),
      })
    : undefined
  const crib = createCrib({
    about: { name, version },
    sources: [...upstreams.sources, ...own],
    strategy,
    strategyOptions,
    state: { store: state },
    builtins: false,
    catalog: { decide, listWaitMs: discovery.listWaitMs, whyNoSources: () => whyNoSources(loaded) },
    search: {
      ranker,
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
      results,
    },
    onChoice: (line) => options.onChoice?.(line),
  })

  const versions =
    state.isShared === true && options.isServing === true
      ? (await import('./config-versions.ts')).followConfigs(first, {
          store: state,
          onDifference: (message) => onProblem({ message }),
        })
      : undefined

  let watching: ConfigWatch | undefined
  const reloadOnce = async (): Promise<Reload> => {
    const next = await options.load(closing.signal)
    watching?.update(next.watched)
    await preparePatterns([...next.rules, ...next.projectRules])
    // Invalid rules of a project fail closed: they disable tools, but do not block an edit of the user's configuration.
    const unreadable = ruleProblems(next)
    const problems = problemsOf(next)
    if (!next.isValid || unreadable.length > 0) return { applied: false, problems }
    if (JSON.stringify(effectivePart(next)) === JSON.stringify(effectivePart(loaded)))
      return { applied: true, problems }
    const { decide: decideNext } = compileRuleSets(next)
    await decideAhead(decideNext, upstreams.sources, closing.signal)
    apply(next)
    versions?.update(next)
    crib.replace([...upstreams.sources, ...own], decideNext)
    options.onReload?.(next)
    return { applied: true, problems: [...problems, ...waitingSettings(first, next)] }
  }
  // Reloads run one after the other, so that after two edits the second is in effect.
  let last: Promise<unknown> = Promise.resolve()
  const reload = (): Promise<Reload> => {
    const next = last.then(reloadOnce)
    last = next.catch(() => {})
    return next
  }

  return {
    crib,
    ...(features === undefined ? {} : { features }),
    ...(state.isShared === true ? { shared: state } : {}),
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
    auditFile,
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
      const { warmUp } = await import('./warm-up.ts')
      await warmUp(loaded.servers, upstreams.sources, usage.counts(), waitMs)
    },
    redact: (text) => upstreams.redact(text),
    dismiss: (principal) => upstreams.dismiss(principal),
    reload,
    async watch() {
      // Problems at the start were already reported.
      const reportNew = createReloadReporter(problemsOf(loaded), onProblem)
      const follow = async () => reportNew(await reload())
      watching = watchConfig(loaded.watched, follow, {
        signal: closing.signal,
        onError: (error) => onProblem({ message: messageOf(error) }),
      })
      // Apply a change that happened before the watch started.
      if (loaded.watched.some((file) => mayHaveChanged(file, loadedAt))) await follow()
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      watching?.close()
      versions?.close()
      await features?.[Symbol.asyncDispose]()
      // Before the crib, because the crib closes the store that usage writes to.
      await usage[Symbol.asyncDispose]()
      await crib[Symbol.asyncDispose]()
      await upstreams[Symbol.asyncDispose]()
      await Promise.allSettled([
        audit[Symbol.asyncDispose](),
        results[Symbol.asyncDispose](),
        openedLogins?.then((opened) => opened[Symbol.asyncDispose]()),
        manifests[Symbol.asyncDispose](),
      ])
    },
  }
}

/** Reports the problems of a reload that the reload before it did not have. `known`: the problems before any reload. */
function createReloadReporter(
  known: readonly ConfigProblem[],
  onProblem: GatewayOptions['onProblem'],
): (reload: Reload) => void {
  let reported = new Set(known.map((problem) => JSON.stringify(problem)))
  return ({ applied, problems }) => {
    const byText = new Map(problems.map((problem) => [JSON.stringify(problem), problem]))
    const newProblems = [...byText].filter(([text]) => !reported.has(text))
    reported = new Set(byText.keys())
    for (const [, config] of newProblems) onProblem({ message: config.message, config })
    if (!applied && newProblems.length > 0)
      onProblem({ message: 'this edit is not applied; the configuration before it stays in force' })
  }
}

function whyNoSources(loaded: LoadedConfig): string | undefined {
  if (!loaded.config.discovery.enabled) return DISCOVERY_OFF
  const note = projectNote(loaded, (path) => path)
  return note === undefined ? undefined : `No server is in use. ${note}`
}
