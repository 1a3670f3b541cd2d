// Explains the rank of a tool: which words of the query match, and in which fields.

import { getOrMake } from '../../core/collections.ts'
import type { DescribedTool, ToolId } from '../../core/tool.ts'
import type { Explanation, FieldShare, Reason } from '../ranker.ts'
import { tokenize } from '../tokenize.ts'
import { stem } from '../words/stem.ts'
import { relevanceOf } from './choose.ts'
import { fieldTexts } from './fields.ts'
import type { Names } from './names.ts'
import { forEachTerm, type Postings } from './postings.ts'
import { type Concept, readQuery } from './query.ts'
import type { Terms } from './terms.ts'
import { FIELDS, TUNING } from './tuning.ts'

interface ExplainableIndex {
  readonly tools: readonly DescribedTool[]
  readonly postings: Postings
  readonly terms: Terms
  readonly names: Names
  scoresOf(query: string): Float64Array
}

export function explain(query: string, id: ToolId, index: ExplainableIndex): Explanation | undefined {
  const position = index.tools.findIndex((tool) => tool.id === id)
  const tool = index.tools[position]
  const score = index.scoresOf(query)[position] ?? 0
  if (tool === undefined || score === 0) return undefined
  const found = readQuery(query, index.terms)
    .flat()
    .flatMap((concept) => bestTerm(concept, position, index.postings) ?? [])
  const sum = found.reduce((total, { worth }) => total + worth, 0)
  const fields = fieldsByTerm(tool, index.terms)
  const toQueryWords = reverseStems(query)
  const toToolWords = reverseStems(Object.values(fieldTexts(tool)).join(' '))
  const reasons = found
    .sort((a, b) => b.worth - a.worth)
    .map(({ word, how, id: term, worth }): Reason => {
      return {
        word: toQueryWords(word),
        how,
        term: toToolWords(index.terms.textOf(term)),
        fields: sharesOf(fields.get(term) ?? new Map()),
        share: worth / sum,
      }
    })
  return {
    relevance: relevanceOf(score, TUNING.needNorm),
    named: index.names.findNamed(query).has(position),
    reasons,
  }
}

interface Found extends Pick<Reason, 'word' | 'how'> {
  readonly id: number
  readonly worth: number
}

/** The term of a concept that adds most to the score of the tool at `position`. Only this term counts in scoring. */
function bestTerm({ word, terms }: Concept, position: number, postings: Postings): Found | undefined {
  let best: Found | undefined
  for (const { id, how, gain } of terms) {
    const end = postings.starts[id + 1] ?? 0
    for (let at = postings.starts[id] ?? 0; at < end; at++) {
      if (postings.tools[at] !== position) continue
      const worth = gain * (postings.impacts[at] ?? 0)
      if (best === undefined || worth > best.worth) best = { word, how, id, worth }
    }
  }
  return best
}

/** For each term of a tool: its weighted count in each field, as in the index. */
function fieldsByTerm(tool: DescribedTool, terms: Terms): ReadonlyMap<number, ReadonlyMap<string, number>> {
  const found = new Map<number, Map<string, number>>()
  const texts = fieldTexts(tool)
  const termIds = {
    idOf: (word: string) => terms.idOf(stem(word)),
    idOfPair: (first: number, second: number) => terms.idOfPair(first, second),
  }
  for (const field of FIELDS) {
    forEachTerm(field, texts[field], termIds, (id, weight) => {
      const fields = getOrMake(found, id, () => new Map<string, number>())
      fields.set(field, (fields.get(field) ?? 0) + weight)
    })
  }
  return found
}

function sharesOf(fields: ReadonlyMap<string, number>): readonly FieldShare[] {
  const sum = [...fields.values()].reduce((total, worth) => total + worth, 0)
  return [...fields].map(([field, worth]) => ({ field, share: worth / sum })).sort((a, b) => b.share - a.share)
}

/** Returns a function that replaces the stems in a term with the words of `text` that have these stems. */
function reverseStems(text: string): (term: string) => string {
  const written = new Map<string, string>()
  for (const word of tokenize(text)) if (!written.has(stem(word))) written.set(stem(word), word)
  return (term) =>
    term
      // A phrase ends with an ellipsis, see `readNeed`.
      .replace(/\u2026$/, '')
      .split(' ')
      .map((part) => written.get(part) ?? part)
      .join(' ')
}
