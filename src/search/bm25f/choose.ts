// Selects the hits of a search from the scores of all tools.

import type { DescribedTool } from '../../core/tool.ts'
import type { Hit, SearchOptions } from '../ranker.ts'

/** The highest relevance of a tool, unless the query is exactly its name: then it has 1. */
const HIGHEST = 0.99
/** Higher than any sum of word scores. */
export const EXACT_SCORE = 1e6

/** Each score is a relevance to the power of `exponent`, see `Scorer.score`. */
export function choose(
  scores: Float64Array,
  exponent: number,
  tools: readonly DescribedTool[],
  options: SearchOptions,
): Hit[] {
  const { limit, within, usage } = options
  const relevance = (position: number) => relevanceOf(scores[position] ?? 0, exponent)
  if (limit < 1) return []
  const idOf = (position: number) => tools[position]?.id ?? ''
  const isAllowed = (position: number) => within === undefined || within.has(idOf(position))
  const best = bestOf(scores, limit, isAllowed, idOf)
  if (usage !== undefined && best.length > 0) addEquallyRelevant(best, scores, exponent, isAllowed)
  const usageOf = (position: number) => usage?.get(idOf(position)) ?? 0
  return best
    .map((position) => ({ position, score: scores[position] ?? 0, relevance: relevance(position) }))
    .sort(
      (a, b) =>
        b.relevance - a.relevance ||
        usageOf(b.position) - usageOf(a.position) ||
        b.score - a.score ||
        (idOf(a.position) < idOf(b.position) ? -1 : 1),
    )
    .slice(0, limit)
    .map(({ position, relevance }) => ({ id: idOf(position), relevance }))
}

/** Rounds to two decimals. A score of `EXACT_SCORE` or more means an exact name. */
export function relevanceOf(score: number, exponent: number): number {
  return score >= EXACT_SCORE ? 1 : Math.round(Math.min(HIGHEST, score ** (1 / exponent)) * 100) / 100
}

/** The positions of the highest scores, best first. Of equal scores, the lower ids are kept. */
function bestOf(
  scores: Float64Array,
  limit: number,
  isAllowed: (position: number) => boolean,
  idOf: (position: number) => string,
): number[] {
  const best: number[] = []
  // Compares ids, because positions depend on the order of the catalog.
  const isBetter = (a: number, b: number) =>
    (scores[a] ?? 0) > (scores[b] ?? 0) || (scores[a] === scores[b] && idOf(a) < idOf(b))
  let least = 0
  for (let position = 0; position < scores.length; position++) {
    const score = scores[position] ?? 0
    // Filters before the limit but after the score check: filtering every tool would cost more than ranking them.
    if (score === 0 || score < least || !isAllowed(position)) continue
    best.splice(
      countWhile(best.length, (at) => isBetter(best[at] ?? 0, position)),
      0,
      position,
    )
    if (best.length > limit) best.pop()
    if (best.length === limit) least = scores[best[limit - 1] ?? 0] ?? 0
  }
  return best
}

/** Binary search: counts the places below `length` that pass the test. They must come before all other places. */
export function countWhile(length: number, test: (at: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if (test(middle)) low = middle + 1
    else high = middle
  }
  return low
}

/** Adds all tools that are as relevant as the last tool of `best`, because these tools are then sorted by usage. */
function addEquallyRelevant(
  best: number[],
  scores: Float64Array,
  exponent: number,
  isAllowed: (position: number) => boolean,
): void {
  const relevance = (position: number) => relevanceOf(scores[position] ?? 0, exponent)
  const least = Math.min(...best.map(relevance))
  // A score below this is rounded to a lower relevance. The check avoids computing the root for most tools.
  const lowest = Math.max(0, least - 0.006) ** exponent
  const known = new Set(best)
  for (let position = 0; position < scores.length; position++) {
    const score = scores[position] ?? 0
    if (score === 0 || score < lowest || known.has(position)) continue
    if (relevance(position) === least && isAllowed(position)) best.push(position)
  }
}
