// The catalog asks every source for its tools and keeps one snapshot of them all.

import type { ToolEntry } from '../core/tool.ts'
import type { ToolSource } from '../sources/source.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'

export interface Catalog {
  /** The tools as known now; asks the sources the first time. */
  snapshot(signal: AbortSignal): Promise<Snapshot>
  /** Sources whose last listing failed, and why; what they listed before still stands. */
  readonly stale: ReadonlyMap<string, string>
  source(id: string): ToolSource | undefined
  onChange(listener: () => void): () => void
  [Symbol.asyncDispose](): Promise<void>
}

export function createCatalog(sources: readonly ToolSource[]): Catalog {
  const byId = new Map(sources.map((source) => [source.id, source]))
  const listings = new Map<string, readonly ToolEntry[]>()
  const stale = new Map<string, string>()
  const listeners = new Set<() => void>()
  const closing = new AbortController()
  let current: Promise<Snapshot> | undefined

  const refresh = async (source: ToolSource) => {
    try {
      listings.set(source.id, await source.list(closing.signal))
      stale.delete(source.id)
    } catch (error) {
      // One broken source never empties the catalog.
      stale.set(source.id, error instanceof Error ? error.message : String(error))
    }
  }
  const assemble = () => takeSnapshot(sources.map(({ id }) => ({ sourceId: id, entries: listings.get(id) ?? [] })))
  const first = () => Promise.all(sources.map(refresh)).then(assemble)

  const unsubscribe = sources.map((source) =>
    source.onChange?.(() => {
      const before = current ?? first()
      // Queued behind what is under way, so that two changes never write over each other.
      current = before.then(() => refresh(source)).then(assemble)
      void current.then(() => {
        for (const listener of listeners) listener()
      })
    }),
  )

  return {
    stale,
    source: (id) => byId.get(id),
    async snapshot(signal) {
      current ??= first()
      signal.throwIfAborted()
      return current
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      for (const stop of unsubscribe) stop?.()
      listeners.clear()
      await Promise.allSettled(sources.map((source) => source[Symbol.asyncDispose]()))
    },
  }
}
