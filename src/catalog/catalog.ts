// The catalog asks every source for its tools and keeps one snapshot of them all.

import type { Caller } from '../core/call.ts'
import { aListOf, expecting } from '../core/check-fields.ts'
import { isRecord } from '../core/is-record.ts'
import { attempt, createListeners } from '../core/listeners.ts'
import type { StopSignal } from '../core/stop-signal.ts'
import { messageOf } from '../core/text.ts'
import type { Decide, Tool, ToolEntry } from '../core/tool.ts'
import { atMost, unlessAborted, withTimeout } from '../core/waiting.ts'
import type { ToolSource } from '../sources/source.ts'
import { type Snapshot, type SnapshotOptions, takeSnapshot } from './snapshot.ts'

export interface Catalog {
  /** The latest snapshot. Waits while sources are being listed. The first call lists all sources. */
  snapshot(signal: StopSignal): Promise<Snapshot>
  /** The snapshot, if it exists and no source is being listed. */
  readonly current: Snapshot | undefined
  /** Waits until sources know their tools, or have failed to list them. Rejects only when the signal aborts. */
  settle(signal: StopSignal, options?: SettleOptions): Promise<void>
  /** The sources that failed to list their tools, each with the reason. Their previous tools stay in the snapshot. */
  readonly stale: ReadonlyMap<string, string>
  readonly sources: readonly ToolSource[]
  /** Why the configuration gives no sources, for example because discovery is off. */
  whyNoSources(): string | undefined
  source(id: string): ToolSource | undefined
  /** Replaces the sources and the rules. Sources that stay are not listed again. Does not close the removed ones. */
  replace(sources: readonly ToolSource[], decide?: Decide): void
  onChange(listener: () => void): () => void
  [Symbol.asyncDispose](): Promise<void>
}

interface SettleOptions {
  /** The longest wait. Default: no limit. */
  readonly waitMs?: number | undefined
  /** Waits only for these sources. Default: all sources. */
  readonly ids?: readonly string[] | undefined
  /** Counts `waitMs` from the first start of each source: a source that never answers must not delay every call. */
  readonly countsFromStart?: boolean
  /** Also waits for the schemas of tools that the config names without a schema. */
  readonly withSchemas?: boolean
  /** The client that waits. A server with `perPrincipal` starts for this client only. */
  readonly caller?: Caller | undefined
}

interface CatalogOptions extends Omit<SnapshotOptions, 'toolCache'> {
  whyNoSources?(): string | undefined
}

export function createCatalog(firstSources: readonly ToolSource[], options: CatalogOptions = {}): Catalog {
  const { reserved = [], keepNames } = options
  const listings = new Map<ToolSource, readonly ToolEntry[]>()
  const stale = new Map<string, string>()
  const toolCache = new WeakMap<ToolEntry, Tool>()
  const listeners = createListeners()
  const closing = new AbortController()
  const subscriptions = new Map<ToolSource, (() => void) | undefined>()
  const changed = new Set<ToolSource>()
  let byId: ReadonlyMap<string, ToolSource> = new Map()
  let sources: readonly ToolSource[] = []
  let decide = options.decide
  let latest: Snapshot | undefined

  const refresh = async (source: ToolSource) => {
    try {
      closing.signal.throwIfAborted()
      listings.set(source, checkedList(source.id, await source.list(closing.signal)))
      stale.delete(source.id)
    } catch (error) {
      // One broken source never empties the catalog.
      stale.set(source.id, messageOf(error))
    }
  }
  /** Lists the changed sources and takes a snapshot. */
  const updates = createUpdates(async () => {
    const refreshed = [...changed]
    changed.clear()
    await Promise.all(refreshed.map(refresh))
    const listed = [...byId].map(([sourceId, source]) => ({ sourceId, entries: listings.get(source) ?? [] }))
    latest = takeSnapshot(listed, { reserved, decide, keepNames, toolCache })
    return latest
  })
  const updateAndNotify = () =>
    void updates.request().then(
      () => listeners.tell(),
      // An unhandled rejection would end the process. The last snapshot stays until the next update.
      (error) => {
        attempt(() => {
          throw error
        })
      },
    )

  const setSources = (given: readonly ToolSource[]) => {
    byId = new Map(given.map((source) => [source.id, source]))
    sources = [...byId.values()]
    const kept = new Set(sources)
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
        updateAndNotify()
      })
      subscriptions.set(source, stop)
    }
  }
  setSources(firstSources)
  const current = () => (updates.pending === undefined ? latest : undefined)

  return {
    stale,
    get sources() {
      return sources
    },
    whyNoSources: () => options.whyNoSources?.(),
    source: (id) => byId.get(id),
    async snapshot(signal) {
      signal.throwIfAborted()
      return current() ?? unlessAborted(updates.pending ?? updates.request(), signal)
    },
    get current() {
      return current()
    },
    async settle(signal, options = {}) {
      signal.throwIfAborted()
      const { ids } = options
      const selected = ids === undefined ? sources : ids.flatMap((id) => byId.get(id) ?? [])
      await settleSources(selected, signal, options)
    },
    replace(given, nextDecide) {
      decide = nextDecide
      setSources(given)
      updateAndNotify()
    },
    onChange: (listener) => listeners.add(listener),
    async [Symbol.asyncDispose]() {
      closing.abort()
      for (const stop of subscriptions.values()) stop?.()
      await Promise.allSettled(sources.map((source) => source[Symbol.asyncDispose]()))
    },
  }
}

const listFault = aListOf(
  expecting('a tool with a text as its name', (entry) => isRecord(entry) && typeof entry.name === 'string'),
  'tools',
)

/** Returns the list, or throws if it is invalid: a source in plain JavaScript may return anything. */
function checkedList(sourceId: string, list: readonly ToolEntry[]): readonly ToolEntry[] {
  const fault = listFault(list)
  if (fault !== undefined) throw new Error(`The list of source '${sourceId}' is invalid: ${fault}`)
  return list
}

/**
 * Runs one update at a time. Requests during an update share one more update after it, so that a slow update never
 * overwrites a newer one.
 */
function createUpdates<T>(run: () => Promise<T>) {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined

  const start = (): Promise<T> => {
    next = undefined
    running = run().finally(() => {
      if (next === undefined) running = undefined
    })
    return running
  }
  return {
    /** The last update that runs or waits. Undefined if all are done. */
    get pending() {
      return next ?? running
    },
    /** Resolves with the result of an update that starts now or later. */
    request(): Promise<T> {
      if (running === undefined) return start()
      // A failed update does not prevent the next one.
      next ??= running.then(start, start)
      return next
    },
  }
}

/** Waits for all sources at the same time, for each no longer than its own limit. */
async function settleSources(
  sources: readonly ToolSource[],
  signal: StopSignal,
  options: Omit<SettleOptions, 'ids'>,
): Promise<void> {
  const { waitMs = Number.POSITIVE_INFINITY, countsFromStart = false, withSchemas = false, caller } = options
  const waits = sources.flatMap((source) => {
    const leftMs = countsFromStart ? (source.waitLeft?.(waitMs, caller) ?? waitMs) : waitMs
    const settling = leftMs > 0 ? source.settle?.(withSchemas, caller) : undefined
    return settling === undefined ? [] : [{ leftMs, settling }]
  })
  if (waits.length === 0) return
  const longestMs = Math.max(...waits.map(({ leftMs }) => leftMs))
  const all = Promise.all(
    waits.map(({ leftMs, settling }) => (leftMs < longestMs ? atMost(leftMs, settling) : settling.catch(() => {}))),
  )
  try {
    await withTimeout(longestMs, signal, (limited) => unlessAborted(all, limited))
  } catch {
    // A timeout is not an error. Only an abort of the caller's signal is.
    signal.throwIfAborted()
  }
}
