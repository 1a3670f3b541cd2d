// Runs every query of a set through one ranker and measures quality, latency and the tokens of the answers.

import { setImmediate } from 'node:timers/promises'
import { type SourceListing, takeSnapshot } from '../../../catalog/snapshot.ts'
import type { CommandResult } from '../../../core/result.ts'
import { loadTokenCounter } from '../../../core/tokens.ts'
import type { Decide } from '../../../core/tool.ts'
import { createCrib } from '../../../crib/crib.ts'
import {
  averageQuality,
  EVALUATION_DEPTH,
  judgeRanking,
  type LabelledQuery,
  type Quality,
  quantile,
  type ToolName,
} from '../../../search/evaluate.ts'
import type { Index, Ranker } from '../../../search/ranker.ts'
import type { ToolSource } from '../../../sources/source.ts'

/** Tools, and queries with the tools that they should find. */
export interface EvaluationSet {
  /** The origin of the queries. */
  readonly origin: 'files' | 'audit' | 'generated'
  readonly listings: readonly SourceListing[]
  /** Decides which tools can be found. Default: all. */
  readonly decide?: Decide
  readonly queries: readonly LabelledQuery[]
}

export interface RankerMeasurement {
  readonly quality: Quality
  readonly buildMs: number
  readonly latencyMs: Percentiles
  /** The tokens of the answers of search_tools. */
  readonly answerTokens: Percentiles
  /** In the order of the queries. */
  readonly run: readonly RunLine[]
}

export interface Percentiles {
  readonly p50: number
  readonly p95: number
}

export interface RunLine {
  readonly id: LabelledQuery['id']
  readonly ranked: readonly ToolName[]
  readonly ms: number
}

interface MeasureOptions {
  readonly signal: AbortSignal
  onProgress(done: number, total: number): void
}

/** The first searches are not measured, because they include compiling the code. */
const WARM_UP_SEARCHES = 100
/** The event loop gets a turn after this many queries, so that Ctrl-C works. */
const QUERIES_PER_TURN = 25

export async function measureRanker(
  ranker: Ranker,
  set: EvaluationSet,
  options: MeasureOptions,
): Promise<RankerMeasurement> {
  const { listings, decide, queries } = set
  const { signal } = options
  const snapshot = takeSnapshot(listings, { decide })
  const within = new Set(snapshot.tools.filter(({ disabled }) => disabled === undefined).map(({ id }) => id))
  const buildStartedAt = performance.now()
  const index = await ranker(snapshot, signal)
  const buildMs = performance.now() - buildStartedAt
  const search = (query: string) => index.search(query, { limit: EVALUATION_DEPTH, within, signal })

  for (let at = 0; at < WARM_UP_SEARCHES; at++) await search(queries[at % queries.length]?.query ?? '')
  const qualities: Quality[] = []
  const run: RunLine[] = []
  await forEachQuery(queries, options, 0, async ({ id, query, relevant }) => {
    const searchStartedAt = performance.now()
    const hits = await search(query)
    const ms = Math.round((performance.now() - searchStartedAt) * 1_000) / 1_000
    const ranked = hits.flatMap((hit) => {
      const tool = snapshot.get(hit.id)
      return tool === undefined ? [] : [{ server: tool.sourceId, name: tool.name }]
    })
    run.push({ id, ranked, ms })
    qualities.push(judgeRanking(ranked, relevant))
  })
  // Counted after the searches, because counting between them would slow them down.
  const answers = await openAnswers(set, index, signal)
  const tokens: number[] = []
  await forEachQuery(queries, options, 1, async ({ query }) => void tokens.push(await answers.tokensOf(query)))
  await answers.close()
  return {
    quality: averageQuality(qualities),
    buildMs,
    latencyMs: percentilesOf(run.map(({ ms }) => ms)),
    answerTokens: percentilesOf(tokens),
    run,
  }
}

/** Runs `work` with each query. `pass` is 0 for the first and 1 for the second of two passes over the queries. */
async function forEachQuery(
  queries: readonly LabelledQuery[],
  { signal, onProgress }: MeasureOptions,
  pass: number,
  work: (query: LabelledQuery) => Promise<void>,
): Promise<void> {
  for (const [at, query] of queries.entries()) {
    if (at % QUERIES_PER_TURN === 0) {
      onProgress(pass * queries.length + at, 2 * queries.length)
      await setImmediate()
      signal.throwIfAborted()
    }
    await work(query)
  }
}

function percentilesOf(values: readonly number[]): Percentiles {
  return { p50: quantile(values, 0.5), p95: quantile(values, 0.95) }
}

/** Opens the `search_tools` of a gateway with these tools and this index, to count the tokens of its answers. */
async function openAnswers({ listings, decide }: EvaluationSet, index: Index, signal: AbortSignal) {
  const countTokens = await loadTokenCounter()
  const crib = createCrib({
    about: { name: 'toolcrib', version: '0.0.0' },
    sources: listings.map(({ sourceId, entries }): ToolSource => {
      return {
        id: sourceId,
        list: async () => entries,
        call: () => Promise.reject(new Error('an evaluation calls no tool')),
        async [Symbol.asyncDispose]() {},
      }
    }),
    strategy: 'gateway',
    builtins: false,
    catalog: { decide },
    search: { ranker: async () => index },
  })
  const caller = { principal: 'eval', era: 'direct', transport: 'direct' } as const
  return {
    tokensOf: async (query: string) =>
      countTokens(textOf(await crib.call('search_tools', { query }, { caller, signal }))),
    close: () => crib[Symbol.asyncDispose](),
  }
}

/** The text that a model reads. */
function textOf({ wire, data, error }: CommandResult): string {
  const [block] = wire?.content ?? []
  return block?.type === 'text' ? block.text : JSON.stringify(error ?? data ?? null)
}
