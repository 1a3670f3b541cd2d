// Measures the ranking quality of a ranker on the labelled sets.

import type { Snapshot } from '../../src/catalog/snapshot.ts'
import { averageQuality, judgeRanking, type Quality, type ToolName } from '../../src/search/evaluate.ts'
import type { Hit, Ranker } from '../../src/search/ranker.ts'
import type { LabelledSet } from './data.ts'

/** Returns one entry per query, in the order of the queries. */
export async function judge(ranker: Ranker, { snapshot, queries }: LabelledSet): Promise<Quality[]> {
  const index = await ranker(snapshot, new AbortController().signal)
  const found: Quality[] = []
  for (const { query, relevant } of queries) {
    found.push(judgeRanking(toolNames(await index.search(query, { limit: 100 }), snapshot), relevant))
  }
  return found
}

/** The server and name of each hit, in the form of the labels. */
export function toolNames(hits: readonly Hit[], snapshot: Snapshot): readonly ToolName[] {
  return hits.flatMap(({ id }) => {
    const tool = snapshot.get(id)
    return tool === undefined ? [] : [{ server: tool.sourceId, name: tool.name }]
  })
}

/** `R@1 / R@5 / nDCG@10` in percent. */
export function formatQuality(all: readonly Quality[]): string {
  const { recall1, recall5, ndcg10 } = averageQuality(all)
  return [recall1, recall5, ndcg10].map((value) => (100 * value).toFixed(1)).join(' / ')
}

/** The mean gain in nDCG@10 in points, with its 95 % interval from resampling the queries. */
export function bootstrapGain(ours: readonly Quality[], theirs: readonly Quality[], rounds = 2_000) {
  const gains = ours.map((quality, at) => 100 * (quality.ndcg10 - (theirs[at]?.ndcg10 ?? 0)))
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1)
  const random = seeded(1)
  const means = Array.from({ length: rounds }, () => {
    let sum = 0
    for (let draw = 0; draw < gains.length; draw++) sum += gains[Math.floor(random() * gains.length)] ?? 0
    return sum / gains.length
  }).sort((a, b) => a - b)
  return {
    gain: mean(gains),
    low: means[Math.floor(rounds * 0.025)] ?? 0,
    high: means[Math.floor(rounds * 0.975)] ?? 0,
  }
}

/** A random generator that returns the same numbers on every run, from 0 to below 1. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
