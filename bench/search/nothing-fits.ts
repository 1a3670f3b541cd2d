// Measures how well the relevance threshold separates queries with a fitting tool from unrelated queries.

import { bm25f } from '../../src/search/bm25f/bm25f.ts'
import { judgeRanking } from '../../src/search/evaluate.ts'
import { LEAST_RELEVANCE } from '../../src/search/ranker.ts'
import { type LabelledSet, snapshotOf, type ToolLine } from './data.ts'
import { seeded, toolNames } from './quality.ts'

export interface Separation {
  /** Queries with a right tool among the first five hits, and how many of them the threshold would refuse. */
  readonly right: number
  readonly rightRefused: number
  /** All queries, searched over unrelated servers, and how many of these searches the threshold refuses. */
  readonly foreign: number
  readonly foreignRefused: number
}

/** How many servers a draw takes, like a user with a few servers who searches for a tool that they do not have. */
const SERVERS = 7
const QUERIES_PER_DRAW = 25

export async function separate(set: LabelledSet, catalog: readonly ToolLine[]): Promise<Separation> {
  const { signal } = new AbortController()
  const own = await bm25f(set.snapshot, signal)
  const servers = [...new Set(catalog.map(({ server }) => server))]
  const random = seeded(3)
  const draw = () => {
    const drawn = new Set(Array.from({ length: SERVERS }, () => servers[Math.floor(random() * servers.length)]))
    return bm25f(snapshotOf(catalog.filter(({ server }) => drawn.has(server))), signal)
  }
  let [right, rightRefused, foreignRefused] = [0, 0, 0]
  let other = await draw()
  for (const [at, { query, relevant }] of set.queries.entries()) {
    if (at % QUERIES_PER_DRAW === 0) other = await draw()
    const hits = await own.search(query, { limit: 5 })
    if (judgeRanking(toolNames(hits, set.snapshot), relevant).recall5 > 0) {
      right++
      if ((hits[0]?.relevance ?? 0) < LEAST_RELEVANCE) rightRefused++
    }
    const [best] = await other.search(query, { limit: 1 })
    if ((best?.relevance ?? 0) < LEAST_RELEVANCE) foreignRefused++
  }
  return { right, rightRefused, foreign: set.queries.length, foreignRefused }
}
