// Subscriptions of modern HTTP clients, by principal, because each principal has its own list of tools.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import type { Crib } from '../crib/crib.ts'
import { ANONYMOUS } from './auth.ts'

interface Subscribers {
  /** Receives the events for all subscribers. */
  readonly bus: ServerEventBus
  /** Subscriptions that are made while `work` runs belong to this principal. */
  serve<T>(principal: string, work: () => T): T
  /** Call it when the list of tools of this principal has changed. */
  toolsChanged(principal: string): void
}

type Listener = (event: ServerEvent) => void

interface Group {
  readonly listeners: Set<Listener>
  stopWatching(): void
}

export function createSubscribers(crib: Crib): Subscribers {
  // The SDK does not pass the principal when it subscribes, so it is stored in the async context.
  const serving = new AsyncLocalStorage<string>()
  const groups = new Map<string, Group>()
  const tell = (group: Group | undefined, event: ServerEvent) => {
    for (const listener of [...(group?.listeners ?? [])]) listener(event)
  }
  const toolsChanged = (principal: string) => tell(groups.get(principal), { kind: 'tools_list_changed' })
  const begin = (principal: string): Group => ({
    listeners: new Set(),
    stopWatching: crib.onListChanged({ principal, era: 'modern', transport: 'http' }, () => toolsChanged(principal)),
  })
  return {
    bus: {
      publish(event) {
        for (const group of [...groups.values()]) tell(group, event)
      },
      subscribe(listener) {
        const principal = serving.getStore() ?? ANONYMOUS
        const group = groups.get(principal) ?? begin(principal)
        groups.set(principal, group)
        group.listeners.add(listener)
        return () => {
          group.listeners.delete(listener)
          if (group.listeners.size > 0 || groups.get(principal) !== group) return
          groups.delete(principal)
          group.stopWatching()
        }
      },
    },
    serve: (principal, work) => serving.run(principal, work),
    toolsChanged,
  }
}
