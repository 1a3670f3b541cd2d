// Opens the parts of a gateway that stay open when its configuration changes: stores, servers, usage, audit and limits.

import { join } from 'node:path'
import type { LoadedConfig } from '../config/load/load.ts'
import { configChain, PARENT_CONFIGS } from '../config/self.ts'
import { storeKey } from '../config/store-setting.ts'
import { messageOf } from '../core/text.ts'
import type { Audit, AuditRecord } from '../dispatch/audit.ts'
import { type CallCounters, createMemoryCounters } from '../dispatch/limits/counters.ts'
import { createSlots, type Slots } from '../dispatch/limits/slots.ts'
import { createResultLimit, type ResultLimit } from '../dispatch/result-limit/result-limit.ts'
import { createMemoryStore } from '../storage/memory.ts'
import { storeOpener } from '../storage/open-stores.ts'
import type { Store, StorePlugin } from '../storage/store.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { GatewayObserver } from './observer.ts'
import { openAudit } from './open-audit.ts'
import { NOT_SHARED, type OpenLogins, openLogins } from './open-logins.ts'
import { isOnlyUser } from './own-principal.ts'
import { createUpstreams, type Upstreams } from './upstreams.ts'
import { openUsage, type Usage } from './usage.ts'

interface GatewayPartsOptions {
  readonly options: GatewayOptions
  /** The configuration that the gateway starts with. */
  readonly first: LoadedConfig
  /** The configuration in effect. */
  current(): LoadedConfig
  readonly storePlugin: StorePlugin
  readonly observer: GatewayObserver | undefined
  /** True if the gateway has a tool of its own with this name. */
  isOwnName(name: string): boolean
}

/** Closing it closes all parts, except `state` and `usage`: the gateway closes `usage` first, then the crib closes `state`. */
interface GatewayParts extends AsyncDisposable {
  readonly state: Store
  readonly manifests: Store
  readonly upstreams: Upstreams
  readonly usage: Usage
  readonly audit: Audit
  readonly auditFile: string
  readonly results: ResultLimit
  /** The counts of the limits. A reload does not reset them. */
  readonly counting: { readonly counters: CallCounters; readonly slots: Slots }
}

export async function openGatewayParts(given: GatewayPartsOptions): Promise<GatewayParts> {
  const { options, first, current, storePlugin } = given
  const { stateDir, cacheDir, onProblem } = options
  const { audit: auditSettings, discovery, limits, log } = first.config
  const report = ({ message }: { readonly message: string }) => onProblem({ message })
  const openStore = storeOpener(storePlugin, { stateDir, cacheDir }, report)
  const state = openStore('state')
  const manifests = discovery.cache.enabled ? openStore('manifests') : createMemoryStore()
  const loginKey = storeKey(first.variables)
  let openedLogins: Promise<OpenLogins> | undefined
  const logins = async () => {
    if (openedLogins === undefined && state.isShared === true && loginKey === undefined) report({ message: NOT_SHARED })
    openedLogins ??= openLogins({ stateDir, key: loginKey, openStore, onProblem: report })
    return (await openedLogins).logins
  }
  const upstreams = createUpstreams({
    env: { ...options.env, [PARENT_CONFIGS]: JSON.stringify(configChain(first.origin, options.env)) },
    clientInfo: { name: options.name, version: options.version },
    maxStarting: limits.maxStarting,
    expectsCalls: options.expectsCalls,
    startWaitMs: options.startWaitMs,
    store: manifests,
    pins: state,
    breaker:
      state.isShared === true
        ? (await import('../sources/upstream/shared-breaker.ts')).createSharedBreaker(state)
        : undefined,
    logins: {
      open: logins,
      // With several clients, one of them must not log in for all.
      mayLogIn: (caller) => caller.transport !== 'http' || isOnlyUser(caller, current().config),
    },
    isOwnName: given.isOwnName,
    onProblem: (server, reason) => onProblem({ server, message: reason }),
    onOutput: options.onOutput && ((server, lines) => options.onOutput?.(server, lines)),
    onFailedStart: (server, failure) => options.onFailedStart?.(server, failure),
    onServerState: given.observer?.onServerState,
  })
  const usage = await openUsage({ store: state, onProblem: (error) => report({ message: messageOf(error) }) })
  const auditFile = auditSettings.file ?? join(stateDir, 'audit.jsonl')
  const audit = await openAudit({
    config: first.config,
    file: auditFile,
    store: state,
    redact: (text) => upstreams.redact(text),
    onProblem: (message) => report({ message }),
    ...(log.audit ? { onRecord: (record: AuditRecord) => options.onLog?.(record) } : {}),
  })
  const results = createResultLimit({
    store: openStore('results'),
    ...(limits.maxResultTokens === undefined ? {} : { maxTokens: limits.maxResultTokens }),
    ...(limits.maxHandles === undefined ? {} : { maxHandles: limits.maxHandles }),
    ...(limits.maxHandleBytes === undefined ? {} : { maxHandleBytes: limits.maxHandleBytes }),
  })
  const counting =
    state.limits === undefined
      ? { counters: createMemoryCounters(), slots: createSlots() }
      : (await import('../dispatch/limits/shared-limits.ts')).shareLimits(state.limits, {
          isStrict: () => current().config.limits.whenStoreIsDown === 'closed',
        })
  return {
    state,
    manifests,
    upstreams,
    usage,
    audit,
    auditFile,
    results,
    counting,
    async [Symbol.asyncDispose]() {
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
