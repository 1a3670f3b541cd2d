// Notifies subscribed modern HTTP clients. They are grouped by principal and rights, because lists depend on both.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import { createListeners, type Listeners } from '../core/listeners.ts'
import { rightsKey } from '../core/rights.ts'
import type { FeatureKind } from '../crib/features.ts'
import { ANONYMOUS } from '../crib/own-principal.ts'
import { httpCaller, type Identity } from './auth.ts'
import { featuresFor } from './features.ts'
import type { FrontOptions } from './front-options.ts'

/** The subscribers with the same principal and rights. */
interface Group {
  readonly principal: string
  /** True if the identity has limited rights. */
  readonly isLimited: boolean
  readonly listeners: Listeners<[event: ServerEvent]>
  stopWatching(): void
}

export function createSubscribers({ crib, features }: Pick<FrontOptions, 'crib' | 'features'>) {
  // The SDK does not pass the identity when it subscribes, so it is stored in the async context.
  const serving = new AsyncLocalStorage<Identity>()
  const groups = new Map<string, Group>()
  const createGroup = (identity: Identity): Group => {
    const listeners = createListeners<[event: ServerEvent]>()
    const stops = [
      crib.onListChanged(httpCaller(identity, 'modern'), () => listeners.tell({ kind: 'tools_list_changed' })),
      featuresFor(features, identity.rights)?.onChange((kind) => listeners.tell(eventOf(kind))),
    ]
    return {
      principal: identity.principal,
      isLimited: identity.rights !== undefined,
      listeners,
      stopWatching: () => {
        for (const stop of stops) stop?.()
      },
    }
  }
  const publish = (event: ServerEvent) => {
    // A caller with limited rights cannot subscribe to resources; see `serveModern` in http-eras.ts.
    const isForAll = event.kind !== 'resource_updated'
    for (const group of [...groups.values()]) if (isForAll || !group.isLimited) group.listeners.tell(event)
  }
  const stopUpdates = features?.updates?.onUpdate((uri) => publish({ kind: 'resource_updated', uri }))
  /** The SDK publishes its events here, and subscribes its clients. */
  const bus: ServerEventBus = {
    publish,
    subscribe(listener) {
      const identity = serving.getStore() ?? { principal: ANONYMOUS }
      const key = JSON.stringify([identity.principal, rightsKey(identity.rights)])
      const group = groups.get(key) ?? createGroup(identity)
      groups.set(key, group)
      const remove = group.listeners.add(listener)
      return () => {
        remove()
        if (group.listeners.size > 0 || groups.get(key) !== group) return
        groups.delete(key)
        group.stopWatching()
      }
    },
  }
  return {
    bus,
    /** Subscriptions that are made while `work` runs belong to this identity. */
    serve: <T>(identity: Identity, work: () => T): T => serving.run(identity, work),
    /** Call it when the list of tools of this principal has changed. */
    toolsChanged(principal: string): void {
      for (const group of groups.values())
        if (group.principal === principal) group.listeners.tell({ kind: 'tools_list_changed' })
    },
    /** Stops watching lists and resources for changes. Open subscriptions stay open. */
    stopWatching(): void {
      stopUpdates?.()
      for (const group of groups.values()) group.stopWatching()
    },
  }
}

function eventOf(kind: FeatureKind): ServerEvent {
  return { kind: kind === 'prompts' ? 'prompts_list_changed' : 'resources_list_changed' }
}
