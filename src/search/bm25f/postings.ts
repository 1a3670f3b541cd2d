// The inverted index: the tools of each term. It is merged from segments, one for each source.

import type { Tool } from '../../core/tool.ts'
import { tokenizeWords } from '../tokenize.ts'
import { stem } from '../words/stem.ts'
import { STOP_WORDS } from '../words/weak-words.ts'
import { fieldTexts } from './fields.ts'
import { FIELDS, type IndexField, TUNING } from './tuning.ts'
import type { Vocabulary } from './vocabulary.ts'

export interface IndexSegment {
  readonly tools: readonly Tool[]
  /** Where the terms of each tool start, and the end as the last item. */
  readonly starts: Uint32Array
  readonly terms: Uint32Array
  /** The weight of the term in this tool from 0 to 1, without its rarity. */
  readonly impacts: Float32Array
}

/** Returns a function that reads the tools of a source. New terms are added to the vocabulary. */
export function createSegmentReader(vocabulary: Vocabulary): (tools: readonly Tool[]) => IndexSegment {
  // Cached for one build, because stemming is most of the work.
  const ids = new Map<string, number>()
  const termIds: TermIds = {
    idOf(word) {
      const id = ids.get(word) ?? vocabulary.intern(stem(word))
      ids.set(word, id)
      return id
    },
    idOfPair: (first, second) => vocabulary.internPair(first, second),
  }
  return (tools) => {
    const starts = new Uint32Array(tools.length + 1)
    const terms: number[] = []
    const impacts: number[] = []
    const counts = new Map<number, number>()
    tools.forEach((tool, position) => {
      counts.clear()
      const texts = fieldTexts(tool)
      for (const field of FIELDS) {
        forEachTerm(field, texts[field], termIds, (id, weight) => counts.set(id, (counts.get(id) ?? 0) + weight))
      }
      for (const [term, count] of counts) {
        terms.push(term)
        impacts.push(count / (TUNING.k1 + count))
      }
      starts[position + 1] = terms.length
    })
    return { tools, starts, terms: Uint32Array.from(terms), impacts: Float32Array.from(impacts) }
  }
}

interface TermIds {
  /** The id of a word as written. Undefined if its stem is not a term. */
  idOf(word: string): number | undefined
  idOfPair(first: number, second: number): number | undefined
}

/** A name of up to this many words is also indexed as one word. People do not type longer names as one word. */
const MAX_JOINED = 6

/**
 * Calls `visit` for each occurrence of a term in the text of a field, with its weight. The terms are the parts of the
 * words. A word of several parts such as `getURL`, and a name of several words, are also read as one word. In some
 * fields, each pair of consecutive words is a term too.
 */
export function forEachTerm(
  field: IndexField,
  text: string,
  { idOf, idOfPair }: TermIds,
  visit: (id: number, weight: number) => void,
): void {
  const words: number[] = []
  const joined: number[] = []
  const add = (to: number[], word: string) => {
    const id = STOP_WORDS.has(word) ? undefined : idOf(word)
    if (id !== undefined) to.push(id)
  }
  const parsed = tokenizeWords(text)
  for (const parts of parsed) {
    for (const part of parts) add(words, part)
    if (parts.length > 1) add(joined, parts.join(''))
  }
  if (field === 'name' && parsed.length > 1 && parsed.length <= MAX_JOINED) add(joined, parsed.flat().join(''))
  const { weight, b, pivot, hasPairs } = TUNING.fields[field]
  const ownWeight = weight / (1 - b + (b * words.length) / pivot)
  for (const id of words) visit(id, ownWeight)
  for (const id of joined) visit(id, ownWeight)
  if (!hasPairs) return
  words.forEach((word, position) => {
    const before = words[position - 1]
    const id = before === undefined ? undefined : idOfPair(before, word)
    if (id !== undefined) visit(id, ownWeight)
  })
}

export interface Postings {
  /** The number of tools. */
  readonly total: number
  /** Where the entries of each term start in `tools` and `impacts`, and the end as the last item. */
  readonly starts: Uint32Array
  /** The positions of the tools that have the term. */
  readonly tools: Uint32Array
  /** The weight of the term in each of these tools, see `IndexSegment`. */
  readonly impacts: Float32Array
  /** The segment number of each tool. */
  readonly sources: Uint32Array
}

/**
 * Merges the segments of all sources. It only copies numbers, so a change of one source is cheap. `termsInUse` is the
 * number of terms that occur in at least one tool.
 */
export function mergeSegments(
  segments: readonly IndexSegment[],
  vocabularySize: number,
): { readonly postings: Postings; readonly termsInUse: number } {
  const total = segments.reduce((sum, segment) => sum + segment.tools.length, 0)
  const size = segments.reduce((sum, segment) => sum + segment.terms.length, 0)
  const starts = new Uint32Array(vocabularySize + 1)
  // First counts the tools of each term, then adds up the counts.
  for (const { terms } of segments) {
    for (let at = 0; at < terms.length; at++) {
      const next = (terms[at] ?? 0) + 1
      starts[next] = (starts[next] ?? 0) + 1
    }
  }
  let termsInUse = 0
  for (let term = 0; term < vocabularySize; term++) {
    if ((starts[term + 1] ?? 0) > 0) termsInUse++
    starts[term + 1] = (starts[term + 1] ?? 0) + (starts[term] ?? 0)
  }
  const nextSlots = starts.slice(0, vocabularySize)
  const tools = new Uint32Array(size)
  const impacts = new Float32Array(size)
  const sources = new Uint32Array(total)
  let firstTool = 0
  segments.forEach((segment, source) => {
    const { terms, starts: toolStarts } = segment
    for (let position = 0; position < segment.tools.length; position++) {
      sources[firstTool + position] = source
      for (let at = toolStarts[position] ?? 0; at < (toolStarts[position + 1] ?? 0); at++) {
        const term = terms[at] ?? 0
        const slot = nextSlots[term] ?? 0
        nextSlots[term] = slot + 1
        tools[slot] = firstTool + position
        impacts[slot] = segment.impacts[at] ?? 0
      }
    }
    firstTool += segment.tools.length
  })
  return { postings: { total, starts, tools, impacts, sources }, termsInUse }
}
