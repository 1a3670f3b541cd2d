// The catalog asks every source for its tools and keeps one snapshot of them all.

import { createListeners } from '../core/listeners.ts'
import { messageOf } from '../core/text.ts'
import type { Decide, Tool, ToolEntry } from '../core/tool.ts'
import { unlessAborted } from '../core/unless-aborted.ts'
import { atMost, withTimeout } from '../core/with-timeout.ts'
import type { ToolSource } from '../sources/source.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'

export interface Catalog {
  /** The tools as known now; asks the sources the first time. */
  snapshot(signal: AbortSignal): Promise<Snapshot>
  /** Waits until sources know their tools, or have failed to find out. Rejects only when the signal aborts. */
  settle(signal: AbortSignal, options?: SettleOptions): Promise<void>
  /** Sources whose last listing failed, and why; what they listed before still stands. */
  readonly stale: ReadonlyMap<string, string>
  readonly sources: readonly ToolSource[]
  source(id: string): ToolSource | undefined
  /** Other sources or other rules from now on. Sources that stay are not asked again, those that go are the giver's to close. */
  replace(sources: readonly ToolSource[], decide?: Decide): void
  onChange(listener: () => void): () => void
  [Symbol.asyncDispose](): Promise<void>
}

export interface SettleOptions {
  /** The longest wait; left out: as long as it takes. */
  readonly waitMs?: number | undefined
  /** Only these sources; left out: all. */
  readonly ids?: readonly string[] | undefined
  /** Counts the wait of each source from its first start, so that a source that never answers is waited for once. */
  readonly isOnce?: boolean
  /** Also waits for sources whose tools are named in a configuration, without their schemas. */
  readonly withSchemas?: boolean
}

export interface CatalogOptions {
  /** Names that no tool may be listed under. */
  readonly reserved?: readonly string[]
  readonly decide?: Decide | undefined
  /** With one source: its own names, whatever they are. */
  readonly keepNames?: boolean | undefined
}

export function createCatalog(given: readonly ToolSource[], options: CatalogOptions = {}): Catalog {
  const { reserved = [], keepNames } = options
  const listings = new Map<ToolSource, readonly ToolEntry[]>()
  const stale = new Map<string, string>()
  const made = new WeakMap<ToolEntry, Tool>()
  const listeners = createListeners()
  const closing = new AbortController()
  const subscriptions = new Map<ToolSource, (() => void) | undefined>()
  const changed = new Set<ToolSource>()
  let byId: ReadonlyMap<string, ToolSource> = new Map()
  let decide = options.decide
  let known: Snapshot | undefined
  let running: Promise<Snapshot> | undefined
  let waiting: Promise<Snapshot> | undefined

  const refresh = async (source: ToolSource) => {
    try {
      closing.signal.throwIfAborted()
      listings.set(source, await source.list(closing.signal))
      stale.delete(source.id)
    } catch (error) {
      // One broken source never empties the catalog.
      stale.set(source.id, messageOf(error))
    }
  }
  const pass = async (): Promise<Snapshot> => {
    const asked = [...changed]
    changed.clear()
    await Promise.all(asked.map(refresh))
    const listed = [...byId].map(([sourceId, source]) => ({ sourceId, entries: listings.get(source) ?? [] }))
    known = takeSnapshot(listed, { reserved, decide, keepNames, made })
    if (waiting === undefined) running = undefined
    return known
  }
  const begin = (): Promise<Snapshot> => {
    waiting = undefined
    running = pass()
    return running
  }
  /** One pass at a time; whatever changes meanwhile is one more pass behind it, so that nothing is written over. */
  const update = (): Promise<Snapshot> => {
    if (running === undefined) return begin()
    waiting ??= running.then(begin)
    return waiting
  }
  const announce = () => void update().then(() => listeners.tell())

  const adopt = (sources: readonly ToolSource[]) => {
    byId = new Map(sources.map((source) => [source.id, source]))
    const kept = new Set(byId.values())
    for (const [source, stop] of subscriptions) {
      if (kept.has(source)) continue
      stop?.()
      subscriptions.delete(source)
      listings.delete(source)
      changed.delete(source)
      if (!byId.has(source.id)) stale.delete(source.id)
    }
    for (const source of kept) {
      if (subscriptions.has(source)) continue
      changed.add(source)
      const stop = source.onChange?.(() => {
        changed.add(source)
        announce()
      })
      subscriptions.set(source, stop)
    }
  }
  adopt(given)

  return {
    stale,
    get sources() {
      return [...byId.values()]
    },
    source: (id) => byId.get(id),
    async snapshot(signal) {
      signal.throwIfAborted()
      // Almost always there already: then nothing need be waited for, or taken back.
      if (waiting === undefined && running === undefined && known !== undefined) return known
      return unlessAborted(waiting ?? running ?? update(), signal)
    },
    async settle(signal, { waitMs = Number.POSITIVE_INFINITY, ids, isOnce = false, withSchemas = false } = {}) {
      signal.throwIfAborted()
      const asked = ids === undefined ? [...byId.values()] : ids.flatMap((id) => byId.get(id) ?? [])
      const waits = asked.flatMap((source) => {
        const leftMs = isOnce ? (source.waitLeft?.(waitMs) ?? waitMs) : waitMs
        const settling = leftMs > 0 ? source.settle?.(withSchemas) : undefined
        return settling === undefined ? [] : [{ leftMs, settling }]
      })
      if (waits.length === 0) return
      const longestMs = Math.max(...waits.map(({ leftMs }) => leftMs))
      const all = Promise.all(
        waits.map(({ leftMs, settling }) => (leftMs < longestMs ? atMost(leftMs, settling) : settling.catch(() => {}))),
      )
      try {
        await withTimeout(longestMs, signal, (patience) => unlessAborted(all, patience))
      } catch {
        signal.throwIfAborted()
      }
    },
    replace(sources, next) {
      decide = next
      adopt(sources)
      announce()
    },
    onChange: (listener) => listeners.add(listener),
    async [Symbol.asyncDispose]() {
      closing.abort()
      for (const stop of subscriptions.values()) stop?.()
      await Promise.allSettled([...byId.values()].map((source) => source[Symbol.asyncDispose]()))
    },
  }
}
