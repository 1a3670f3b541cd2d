// The ranker `words`, a baseline for comparisons: finds the tools that contain every word of the query.

import { fieldTexts } from '../bm25f/fields.ts'
import { type Hit, isNameOf, type Ranker } from '../ranker.ts'

/** The relevance of a tool that contains every word. If the query is the name of a tool, that tool has 1. */
const FOUND_RELEVANCE = 0.99
/** How many words of a query are used. Each costs a pass over the texts. */
const MAX_WORDS = 500

export const allWords: Ranker = async (snapshot) => {
  const texts = snapshot.tools.map((tool) => Object.values(fieldTexts(tool)).join(' ').toLowerCase())
  return {
    async search(query, { limit, within, signal }) {
      signal?.throwIfAborted()
      const words = [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))].slice(0, MAX_WORDS)
      const hasAll = (text: string) => words.length > 0 && words.every((word) => text.includes(word))
      const hits = snapshot.tools.flatMap((tool, position): Hit[] => {
        if (within?.has(tool.id) === false) return []
        if (isNameOf(tool, query)) return [{ id: tool.id, relevance: 1 }]
        return hasAll(texts[position] ?? '') ? [{ id: tool.id, relevance: FOUND_RELEVANCE }] : []
      })
      return hits.sort((a, b) => b.relevance - a.relevance || (a.id < b.id ? -1 : 1)).slice(0, limit)
    },
  }
}
