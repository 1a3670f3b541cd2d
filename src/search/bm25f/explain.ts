// Why a tool ranks where it does: what each word of the query found in it, and where.

import type { DescribedTool, ToolId } from '../../core/tool.ts'
import type { Explanation, Reason } from '../ranker.ts'
import { stem } from '../words/stem.ts'
import { relevanceOf } from './choose.ts'
import { FIELDS, fieldTexts } from './fields.ts'
import type { Names } from './names.ts'
import type { ReadPostings } from './postings.ts'
import { type Concept, readQuery } from './query.ts'
import { forEachPair, readField } from './segment.ts'
import type { Terms } from './terms.ts'
import type { Tuning } from './tuning.ts'

export interface Explained {
  readonly tools: readonly DescribedTool[]
  readonly postings: ReadPostings
  readonly terms: Terms
  readonly tuning: Tuning
  readonly names: Names
  scoresOf(query: string): Float64Array
  isKnown(text: string): boolean
}

export function explain(query: string, id: ToolId, index: Explained): Explanation | undefined {
  const position = index.tools.findIndex((tool) => tool.id === id)
  const tool = index.tools[position]
  const score = index.scoresOf(query)[position] ?? 0
  if (tool === undefined || score === 0) return undefined
  const found = readQuery(query, index.terms, index.tuning)
    .flat()
    .flatMap((concept) => bestTerm(concept, position, index))
  const sum = found.reduce((total, { worth }) => total + worth, 0)
  const fields = fieldsByTerm(tool, index.terms)
  const reasons = found
    .sort((a, b) => b.worth - a.worth)
    .map(({ word, how, id: term, worth }): Reason => {
      return { word, how, term: index.terms.textOf(term), fields: fields.get(term) ?? [], share: worth / sum }
    })
  return {
    relevance: relevanceOf(score, index.tuning.needNorm),
    named: index.names.named(query, index.isKnown).has(position),
    reasons,
  }
}

interface Found {
  readonly word: string
  readonly how: Reason['how']
  readonly id: number
  readonly worth: number
}

/** The term of a concept that counts, as in scoring: the one that is worth most. */
function bestTerm({ word, terms }: Concept, position: number, { postings }: Explained): Found[] {
  let best: Found | undefined
  for (const { id, how, gain } of terms) {
    const end = postings.starts[id + 1] ?? 0
    for (let at = postings.starts[id] ?? 0; at < end; at++) {
      if (postings.tools[at] !== position) continue
      const worth = gain * (postings.impacts[at] ?? 0)
      if (best === undefined || worth > best.worth) best = { word, how, id, worth }
    }
  }
  return best === undefined ? [] : [best]
}

function fieldsByTerm(tool: DescribedTool, terms: Terms): Map<number, string[]> {
  const found = new Map<number, string[]>()
  const texts = fieldTexts(tool)
  for (const field of FIELDS) {
    const { words, joined } = readField(field, texts[field], (word) => terms.idOf(stem(word)) ?? -1)
    const pairs: number[] = []
    forEachPair(words, (first, second) => pairs.push(terms.idOfPair(first, second) ?? -1))
    for (const id of new Set([...words, ...joined, ...pairs])) found.set(id, [...(found.get(id) ?? []), field])
  }
  return found
}
