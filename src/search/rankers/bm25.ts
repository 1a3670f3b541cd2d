// The ranker BM25 over names (counted twice), descriptions, categories and tags.

import { getOrMake } from '../../core/collections.ts'
import type { DescribedTool, Tool } from '../../core/tool.ts'
import { type Hit, type Index, type IndexStorage, isNameOf, type Ranker } from '../ranker.ts'
import { tokenize } from '../tokenize.ts'

const K1 = 1.2
const B = 0.75

interface Posting {
  readonly position: number
  readonly count: number
}

/** The data of an index, without the tools themselves. */
interface Bm25Parts {
  readonly lengths: readonly number[]
  readonly postings: ReadonlyMap<string, readonly Posting[]>
}

const builds = new WeakMap<Index, Bm25Parts>()

export const bm25: Ranker = async (snapshot) => {
  const lengths: number[] = []
  const postings = new Map<string, Posting[]>()
  snapshot.tools.forEach((tool, position) => {
    const terms = termsOf(tool)
    lengths.push(terms.length)
    const counts = new Map<string, number>()
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
    for (const [term, count] of counts) getOrMake(postings, term, () => []).push({ position, count })
  })
  const index = createIndex({ lengths, postings }, snapshot.tools)
  builds.set(index, { lengths, postings })
  return index
}

const SECTION = 'bm25'

export const bm25Storage: IndexStorage = {
  save(index) {
    const parts = builds.get(index)
    if (parts === undefined) return undefined
    return { [SECTION]: Buffer.from(JSON.stringify([parts.lengths, [...parts.postings]])) }
  },
  open(saved, { tools }) {
    // `section` has verified the checksum, so this is what `save` wrote.
    const [lengths, postings] = JSON.parse(Buffer.from(saved.section(SECTION).buffer).toString()) as [
      number[],
      [string, Posting[]][],
    ]
    return createIndex({ lengths, postings: new Map(postings) }, tools)
  },
}

function createIndex({ lengths, postings }: Bm25Parts, tools: readonly DescribedTool[]): Index {
  const total = lengths.length
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(total, 1)
  const idf = (documents: number) => Math.log(1 + (total - documents + 0.5) / (documents + 0.5))

  const search: Index['search'] = async (query, { limit, within, signal }) => {
    signal?.throwIfAborted()
    const scores = new Map<number, number>()
    let highest = 0
    for (const term of new Set(tokenize(query))) {
      const list = postings.get(term) ?? []
      const weight = idf(list.length)
      // Adds the upper limit of the score for this term. The relevance is relative to the sum.
      highest += weight * (K1 + 1)
      for (const { position, count } of list) {
        const norm = K1 * (1 - B + (B * (lengths[position] ?? 0)) / averageLength)
        scores.set(position, (scores.get(position) ?? 0) + (weight * count * (K1 + 1)) / (count + norm))
      }
    }
    const hits: Hit[] = []
    for (const [position, score] of scores) {
      const tool = tools[position]
      // Filter before the limit: a hidden tool must not use up one of the caller's results.
      if (tool === undefined || (within !== undefined && !within.has(tool.id))) continue
      hits.push({ id: tool.id, relevance: isNameOf(tool, query) ? 1 : Math.min(0.99, score / highest) })
    }
    return hits
      .sort((a, b) => b.relevance - a.relevance || (a.id < b.id ? -1 : 1))
      .slice(0, limit)
      .map(({ id, relevance }) => ({ id, relevance: Math.round(relevance * 100) / 100 }))
  }
  return { search }
}

function termsOf(tool: Tool): string[] {
  const name = tokenize(tool.name)
  return [...name, ...name, ...tokenize(tool.description), ...tokenize([tool.category, ...(tool.tags ?? [])].join(' '))]
}
