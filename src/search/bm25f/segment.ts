// Reads the tools of one source into a segment of the index: the terms of each tool, with their weights.

import type { Tool } from '../../core/tool.ts'
import { tokenizeWords } from '../tokenize.ts'
import { stem } from '../words/stem.ts'
import { STOP_WORDS } from '../words/stop-words.ts'
import { FIELDS, fieldTexts } from './fields.ts'
import type { FieldTuning, IndexField, Tuning } from './tuning.ts'
import type { Vocabulary } from './vocabulary.ts'

export interface IndexSegment {
  readonly tools: readonly Tool[]
  /** Where the terms of each tool start, and the end as the last item. */
  readonly starts: Uint32Array
  readonly terms: Uint32Array
  /** The weight of the term in this tool from 0 to 1, without its rarity. */
  readonly impacts: Float32Array
}

/** A name of up to this many words is also indexed as one word. People do not type longer names as one word. */
const MAX_JOINED = 6

export class SegmentReader {
  readonly #vocabulary: Vocabulary
  readonly #tuning: Tuning
  /** The id of each written word, or -1 for a stop word. Cached for one build, because stemming is most of the work. */
  readonly #ids = new Map<string, number>()

  constructor(vocabulary: Vocabulary, tuning: Tuning) {
    this.#vocabulary = vocabulary
    this.#tuning = tuning
  }

  read(tools: readonly Tool[]): IndexSegment {
    const starts = new Uint32Array(tools.length + 1)
    const terms: number[] = []
    const impacts: number[] = []
    const counts = new Map<number, number>()
    tools.forEach((tool, position) => {
      counts.clear()
      const texts = fieldTexts(tool)
      for (const field of FIELDS) if (texts[field] !== '') this.#add(field, texts[field], counts)
      for (const [term, count] of counts) {
        terms.push(term)
        impacts.push(count / (this.#tuning.k1 + count))
      }
      starts[position + 1] = terms.length
    })
    return { tools, starts, terms: Uint32Array.from(terms), impacts: Float32Array.from(impacts) }
  }

  #add(field: IndexField, text: string, counts: Map<number, number>): void {
    const { words, joined } = readField(field, text, (word) => this.#idOf(word))
    const { hasPairs } = this.#tuning.fields[field]
    const share = occurrenceWorth(this.#tuning.fields[field], words.length)
    const add = (id: number) => counts.set(id, (counts.get(id) ?? 0) + share)
    words.forEach(add)
    joined.forEach(add)
    if (hasPairs) forEachPair(words, (first, second) => add(this.#vocabulary.internPair(first, second)))
  }

  #idOf(word: string): number {
    const known = this.#ids.get(word)
    if (known !== undefined) return known
    const id = STOP_WORDS.has(word) ? -1 : this.#vocabulary.intern(stem(word))
    this.#ids.set(word, id)
    return id
  }
}

/** The weight of one occurrence of a term in a field with this number of words. */
export function occurrenceWorth({ weight, b, pivot }: FieldTuning, words: number): number {
  return weight / (1 - b + (b * words) / pivot)
}

/**
 * Returns the ids of the words of a text. `joined` has the ids of words with several parts, such as `getURL`, and of
 * names of several words, each read as one word. Words with the id -1 are left out.
 */
export function readField(
  field: IndexField,
  text: string,
  idOf: (word: string) => number,
): { readonly words: readonly number[]; readonly joined: readonly number[] } {
  const words: number[] = []
  const joined: number[] = []
  const add = (to: number[], word: string) => {
    const id = idOf(word)
    if (id >= 0) to.push(id)
  }
  const parsed = tokenizeWords(text)
  for (const parts of parsed) {
    for (const part of parts) add(words, part)
    if (parts.length > 1) add(joined, parts.join(''))
  }
  if (field === 'name' && parsed.length > 1 && parsed.length <= MAX_JOINED) add(joined, parsed.flat().join(''))
  return { words, joined }
}

export function forEachPair(words: readonly number[], visit: (first: number, second: number) => void): void {
  words.forEach((word, position) => {
    const before = words[position - 1]
    if (before !== undefined) visit(before, word)
  })
}
