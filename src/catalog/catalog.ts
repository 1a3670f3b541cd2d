// The catalog asks every source for its tools and keeps one snapshot of them all.

import { createListeners } from '../core/listeners.ts'
import { messageOf } from '../core/text.ts'
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

/** `reserved` are names that no tool may be listed under. */
export function createCatalog(sources: readonly ToolSource[], reserved: readonly string[] = []): Catalog {
  const byId = new Map(sources.map((source) => [source.id, source]))
  const listings = new Map<string, readonly ToolEntry[]>()
  const stale = new Map<string, string>()
  const listeners = createListeners()
  const closing = new AbortController()
  let known: Snapshot | undefined
  let pending: Promise<Snapshot> | undefined

  const refresh = async (source: ToolSource) => {
    try {
      closing.signal.throwIfAborted()
      listings.set(source.id, await source.list(closing.signal))
      stale.delete(source.id)
    } catch (error) {
      // One broken source never empties the catalog.
      stale.set(source.id, messageOf(error))
    }
  }
  /** Queued behind what is under way, so that two changes never write over each other. */
  const update = (changed: readonly ToolSource[]): Promise<Snapshot> => {
    const ask = () => Promise.all(changed.map(refresh))
    const next = (pending === undefined ? ask() : pending.then(ask)).then(() => {
      const listed = sources.map(({ id }) => ({ sourceId: id, entries: listings.get(id) ?? [] }))
      known = takeSnapshot(listed, reserved)
      if (pending === next) pending = undefined
      return known
    })
    pending = next
    return next
  }

  const unsubscribe = sources.map((source) =>
    source.onChange?.(() => {
      const isFirst = known === undefined && pending === undefined
      void update(isFirst ? sources : [source]).then(() => listeners.tell())
    }),
  )

  return {
    stale,
    source: (id) => byId.get(id),
    async snapshot(signal) {
      signal.throwIfAborted()
      // Almost always there already: then nothing need be waited for, or taken back.
      if (pending === undefined && known !== undefined) return known
      return untilAborted(pending ?? update(sources), signal)
    },
    onChange: (listener) => listeners.add(listener),
    async [Symbol.asyncDispose]() {
      closing.abort()
      for (const stop of unsubscribe) stop?.()
      await Promise.allSettled(sources.map((source) => source[Symbol.asyncDispose]()))
    },
  }
}

/** What others wait for too goes on; only this caller stops waiting. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
