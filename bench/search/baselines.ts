// The baselines for search: the all-words filter, plain BM25 in two variants, and minisearch with its defaults.

import MiniSearch from 'minisearch'
import type { Snapshot } from '../../src/catalog/snapshot.ts'
import type { Tool, ToolId } from '../../src/core/tool.ts'
import { fieldTexts } from '../../src/search/bm25f/fields.ts'
import type { Hit, Index, Ranker } from '../../src/search/ranker.ts'
import { allWords } from '../../src/search/rankers/all-words.ts'
import { bm25 } from '../../src/search/rankers/bm25.ts'
import { tokenize } from '../../src/search/tokenize.ts'
import { STOP_WORDS } from '../../src/search/words/weak-words.ts'

export const BEST_BASELINE = 'BM25, main fields, no stop words, stems'

const MINISEARCH_FIELDS = ['server', 'name', 'title', 'description', 'category', 'tags', 'params', 'details']

/** The best baseline: server, name twice, summary, description, parameters and details; no stop words, simple stems. */
const strongBm25: Ranker = async (snapshot) => {
  const postings = new Map<string, Map<number, number>>()
  const lengths = snapshot.tools.map((tool, position) => {
    const terms = termsOf(tool)
    for (const term of terms) {
      const list = postings.get(term) ?? new Map<number, number>()
      postings.set(term, list)
      list.set(position, (list.get(position) ?? 0) + 1)
    }
    return terms.length
  })
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(lengths.length, 1)
  return indexOf(snapshot, (query) => {
    const scores = new Map<number, number>()
    for (const term of new Set(lightTerms(query))) {
      const list = postings.get(term) ?? new Map<number, number>()
      const rarity = Math.log(1 + (lengths.length - list.size + 0.5) / (list.size + 0.5))
      for (const [position, count] of list) {
        const norm = 1.2 * (0.25 + (0.75 * (lengths[position] ?? 0)) / average)
        scores.set(position, (scores.get(position) ?? 0) + (rarity * count * 2.2) / (count + norm))
      }
    }
    return [...scores].map(([position, score]) => ({ position, score }))
  })
}

export const minisearch: Ranker = async (snapshot) => {
  const index = buildMinisearch(snapshot)
  return {
    async search(query, { limit, within }) {
      const filter = within === undefined ? {} : { filter: ({ id }: { id: ToolId }) => within.has(id) }
      return index
        .search(query, filter)
        .slice(0, limit)
        .map(({ id, score }) => ({ id, relevance: score }))
    },
  }
}

export function buildMinisearch(snapshot: Snapshot): MiniSearch {
  const index = new MiniSearch({ fields: MINISEARCH_FIELDS })
  index.addAll(
    snapshot.tools.map((tool) => {
      const { summary: _summary, ...texts } = fieldTexts(tool)
      return { id: tool.id, ...texts, description: tool.description }
    }),
  )
  return index
}

export const BASELINES: readonly { readonly name: string; readonly ranker: Ranker }[] = [
  { name: 'every word must occur', ranker: allWords },
  { name: 'BM25, name + description', ranker: bm25 },
  { name: BEST_BASELINE, ranker: strongBm25 },
  { name: 'minisearch defaults', ranker: minisearch },
]

interface Scored {
  readonly position: number
  readonly score: number
}

function indexOf({ tools }: Snapshot, score: (query: string) => Scored[]): Index {
  return {
    async search(query, { limit, within }): Promise<Hit[]> {
      return score(query)
        .map((hit) => ({ ...hit, id: tools[hit.position]?.id ?? '' }))
        .filter(({ id }) => within === undefined || within.has(id))
        .sort((a, b) => b.score - a.score || a.position - b.position)
        .slice(0, limit)
        .map(({ id, score: relevance }) => ({ id, relevance }))
    },
  }
}

function termsOf(tool: Tool): string[] {
  const { server, name, summary, description, params, details } = fieldTexts(tool)
  return [server, name, name, summary, description, params, details].flatMap(lightTerms)
}

function lightTerms(text: string): string[] {
  return tokenize(text)
    .filter((word) => !STOP_WORDS.has(word))
    .map((word) => (word.length > 4 ? word.replace(/(?:ies|es|s|ing|ed)$/, '') : word.replace(/s$/, '')))
}
