// Measures the time of queries, of building and of re-indexing one source, and the memory of an index.

import { type Snapshot, type SourceListing, takeSnapshot } from '../../src/catalog/snapshot.ts'
import type { ToolId } from '../../src/core/tool.ts'
import type { Index, Ranker } from '../../src/search/ranker.ts'
import { measureRuns, quantile } from '../speed/figures.ts'

const { signal } = new AbortController()

export interface Times {
  readonly p50: number
  readonly p95: number
  readonly mean: number
}

/** Measures `index.search` in milliseconds, with a visibility filter that hides one tool in ten. */
export async function timeQueries(index: Index, { tools }: Snapshot, queries: readonly string[]): Promise<Times> {
  const within = new Set<ToolId>(tools.filter((_, position) => position % 10 !== 0).map((tool) => tool.id))
  // The first queries compile the code, so they do not count.
  for (const query of queries.slice(0, 100)) await index.search(query, { limit: 10, within })
  const times = await measureRuns(queries.length, (run) => index.search(queries[run] ?? '', { limit: 10, within }))
  const mean = times.reduce((sum, time) => sum + time, 0) / Math.max(times.length, 1)
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95), mean }
}

/** The median of several runs, in milliseconds. */
export async function timeOf(run: () => unknown, rounds = 5): Promise<number> {
  return quantile(await measureRuns(rounds, run), 0.5)
}

/** Measures a full build of these sources, and an update after one source has changed. */
export async function timeReindex(ranker: Ranker, listings: readonly SourceListing[]) {
  const before = takeSnapshot(listings)
  const full = await timeOf(() => ranker(before, signal))
  const index = await ranker(before, signal)
  const changed = Math.floor(listings.length / 2)
  const next = takeSnapshot(
    listings.map(({ sourceId, entries }, position) => ({
      sourceId,
      entries:
        position === changed
          ? entries.map((entry) => ({ ...entry, description: `${entry.description} Changed.` }))
          : entries,
    })),
  )
  const one = await timeOf(() => ranker(next, signal, index))
  return { full, one, tools: before.tools.length }
}

/** Builds an index and measures its bytes. Without --expose-gc the bytes are an estimate. */
export async function measureIndex(
  build: () => Promise<Index>,
): Promise<{ readonly index: Index; readonly bytes: number }> {
  const used = () => {
    for (let round = 0; round < 3; round++) globalThis.gc?.()
    const { heapUsed, external, arrayBuffers } = process.memoryUsage()
    return heapUsed + Math.max(external, arrayBuffers)
  }
  const before = used()
  const index = await build()
  // Data that is created on first use counts too.
  await index.search('wether forcast', { limit: 1 })
  return { index, bytes: used() - before }
}
