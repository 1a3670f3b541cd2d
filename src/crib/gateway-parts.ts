// Opens the parts of a gateway that stay open when its configuration changes: stores, servers, usage, audit and limits.

import { join } from 'node:path'
import type { LoadedConfig } from '../config/load/load.ts'
import { configChain, PARENT_CONFIGS } from '../config/self.ts'
import { storeKey } from '../config/store-setting.ts'
import { defined } from '../core/defined.ts'
import { messageOf } from '../core/text.ts'
import type { AuditRecord } from '../dispatch/audit.ts'
import { createMemoryCounters } from '../dispatch/limits/counters.ts'
import { createSlots } from '../dispatch/limits/slots.ts'
import { createResultLimit } from '../dispatch/result-limit/result-limit.ts'
import { createMemoryStore } from '../storage/memory.ts'
import { storeOpener } from '../storage/open-stores.ts'
import type { StorePlugin } from '../storage/store.ts'
import type { DisposalStack } from './disposal-stack.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { openAudit } from './open-audit.ts'
import { NOT_SHARED, type OpenLogins, openLogins } from './open-logins.ts'
import { isOnlyUser } from './own-principal.ts'
import type { GatewayObserver } from './recorders.ts'
import { createUpstreams } from './upstreams.ts'
import { openUsage } from './usage.ts'

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

/** Adds each part that it opens to the stack. */
export async function openGatewayParts(given: GatewayPartsOptions, stack: DisposalStack) {
  const { options, first, current, storePlugin } = given
  const { stateDir, cacheDir, onProblem } = options
  const { audit: auditSettings, discovery, limits, log } = first.config
  const report = ({ message }: { readonly message: string }) => onProblem({ message })
  const openStore = storeOpener(storePlugin, { stateDir, cacheDir }, report)
  const state = stack.use(openStore('state'))
  const manifests = stack.use(discovery.cache.enabled ? openStore('manifests') : createMemoryStore())
  const loginKey = storeKey(first.variables)
  let openedLogins: Promise<OpenLogins> | undefined
  const logins = async () => {
    if (openedLogins === undefined && state.isShared === true && loginKey === undefined) report({ message: NOT_SHARED })
    openedLogins ??= openLogins({ stateDir, key: loginKey, openStore, onProblem: report })
    return (await openedLogins).logins
  }
  stack.defer(async () => (await openedLogins)?.[Symbol.asyncDispose]())
  const usage = stack.use(
    await openUsage({ store: state, onProblem: (error) => report({ message: messageOf(error) }) }),
  )
  const auditFile = auditSettings.file ?? join(stateDir, 'audit.jsonl')
  const audit = stack.use(
    await openAudit({
      config: first.config,
      file: auditFile,
      store: state,
      redact: (text) => upstreams.redact(text),
      onProblem: (message) => report({ message }),
      ...(log.audit ? { onRecord: (record: AuditRecord) => options.onLog?.(record) } : {}),
    }),
  )
  const { maxResultTokens: maxTokens, maxHandles, maxHandleBytes } = limits
  const resultStore = stack.use(openStore('results'))
  const results = stack.use(
    createResultLimit({ store: resultStore, ...defined({ maxTokens, maxHandles, maxHandleBytes }) }),
  )
  const upstreams = stack.use(
    createUpstreams({
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
        // With several users, one of them must not log in for all.
        mayLogIn: (caller) => caller.transport !== 'http' || isOnlyUser(caller, current().config),
      },
      isOwnName: given.isOwnName,
      onProblem: (server, reason) => onProblem({ server, message: reason }),
      onOutput: options.onOutput && ((server, lines) => options.onOutput?.(server, lines)),
      onFailedStart: (server, failure) => options.onFailedStart?.(server, failure),
      onServerState: given.observer?.onServerState,
    }),
  )
  /** The counts of the limits. A reload does not reset them. */
  const counting =
    state.limits === undefined
      ? { counters: createMemoryCounters(), slots: createSlots() }
      : (await import('../dispatch/limits/shared-limits.ts')).shareLimits(state.limits, {
          isStrict: () => current().config.limits.whenStoreIsDown === 'closed',
        })
  return { state, manifests, upstreams, usage, audit, auditFile, results, counting }
}
