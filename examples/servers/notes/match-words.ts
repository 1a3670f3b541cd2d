// Full-text search: every word must occur, and the place of a match decides its weight.

import { type Note, titleOf } from './vault.ts'

export const searchedFields = ['title', 'tags', 'body'] as const
export type SearchedField = (typeof searchedFields)[number]

const WEIGHTS: Readonly<Record<SearchedField, number>> = { title: 3, tags: 2, body: 1 }
const SNIPPET_CHARS = 120

export interface Match {
  readonly score: number
  /** The first line of the body with one of the words, shortened. */
  readonly snippet: string | null
}

export function matchWords(note: Note, query: string, fields: readonly SearchedField[]): Match | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const texts = { title: titleOf(note).toLowerCase(), tags: note.tags.join(' '), body: note.body.toLowerCase() }
  const scores = words.map((word) =>
    fields.reduce((sum, field) => sum + (texts[field].includes(word) ? WEIGHTS[field] : 0), 0),
  )
  if (scores.includes(0)) return undefined
  const line = note.body.split('\n').find((text) => words.some((word) => text.toLowerCase().includes(word)))
  return { score: scores.reduce((sum, score) => sum + score, 0), snippet: line?.trim().slice(0, SNIPPET_CHARS) ?? null }
}
