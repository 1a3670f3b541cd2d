// Modern clients over HTTP that have asked to be told of changes, by principal: each has a list of tools of its own.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server'
import type { Crib } from '../crib/crib.ts'
import { ANONYMOUS } from './auth.ts'

export interface Subscribers {
  /** What everybody has asked to be told. */
  readonly bus: ServerEventBus
  /** Whoever asks to be told while this runs is this principal. */
  serve<T>(principal: string, work: () => T): T
  /** The list of tools of this principal has changed. */
  toolsChanged(principal: string): void
}

type Listener = (event: ServerEvent) => void

interface Group {
  readonly listeners: Set<Listener>
  stopWatching(): void
}

export function createSubscribers(crib: Crib): Subscribers {
  // The SDK does not say for whom it subscribes; what it serves meanwhile does.
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
