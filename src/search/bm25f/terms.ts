// The terms of an index: their ids, their rarity, and the terms similar to an unknown word.

import { tokenize } from '../tokenize.ts'
import { stem } from '../words/stem.ts'
import { NearStrings } from './near-strings.ts'
import type { Postings } from './postings.ts'
import { TUNING } from './tuning.ts'
import { type ReadonlyVocabulary, wordsOfPair } from './vocabulary.ts'

/** The lengths of the words that are corrected. From `TWO_EDITS_FROM` on, a word may differ by two edits. */
const SHORTEST = 4
const LONGEST = 40
const TWO_EDITS_FROM = 8
const MAX_SIMILAR = 6

export class Terms {
  readonly #vocabulary: ReadonlyVocabulary
  readonly #postings: Postings
  #nearTerms: NearStrings | undefined

  constructor(vocabulary: ReadonlyVocabulary, postings: Postings) {
    this.#vocabulary = vocabulary
    this.#postings = postings
  }

  /** The id of a word that occurs in at least one tool. */
  idOf(word: string): number | undefined {
    return this.#ifInUse(this.#vocabulary.idOf(word))
  }

  /** The id of two consecutive words that occur in at least one tool. */
  idOfPair(first: number, second: number): number | undefined {
    return this.#ifInUse(this.#vocabulary.idOfPair(first, second))
  }

  /** The vocabulary may contain more terms, from removed or newer tools. */
  #ifInUse(id: number | undefined): number | undefined {
    return id !== undefined && this.spread(id) > 0 ? id : undefined
  }

  /** Whether each word of a text occurs in at least one tool. */
  hasAllOf(text: string): boolean {
    return tokenize(text).every((word) => this.idOf(stem(word)) !== undefined)
  }

  textOf(id: number): string {
    const term = this.#vocabulary.termOf(id) ?? ''
    return typeof term === 'string'
      ? term
      : wordsOfPair(term)
          .map((word) => this.textOf(word))
          .join(' ')
  }

  /** The number of tools that contain the term. */
  spread(id: number): number {
    const { starts } = this.#postings
    return id + 1 < starts.length ? (starts[id + 1] ?? 0) - (starts[id] ?? 0) : 0
  }

  /** The inverse document frequency. Without an id, that of a term that occurs in no tool. */
  rarity(id: number | undefined): number {
    const spread = id === undefined ? 0 : this.spread(id)
    return Math.log(1 + (this.#postings.total - spread + 0.5) / (spread + 0.5))
  }

  /** The words that start with an unknown word or differ by few edits, best first. */
  similar(word: string): { readonly id: number; readonly weight: number }[] {
    if (word.length < SHORTEST || word.length > LONGEST || /\d/.test(word)) return []
    this.#nearTerms ??= new NearStrings(this.#wordsInUse(), (id) => this.textOf(id))
    const found = new Map<number, number>()
    for (const id of this.#nearTerms.longer(word)) found.set(id, TUNING.prefix)
    for (const { position: id, distance } of this.#nearTerms.near(word, word.length < TWO_EDITS_FROM ? 1 : 2)) {
      found.set(id, Math.max(found.get(id) ?? 0, TUNING.typo / distance))
    }
    return [...found]
      .map(([id, weight]) => ({ id, weight }))
      .sort((a, b) => b.weight - a.weight || this.spread(b.id) - this.spread(a.id) || this.#compareTexts(a.id, b.id))
      .slice(0, MAX_SIMILAR)
  }

  /** The ids of the words that occur in a tool, without words that are too short or too long for a correction. */
  *#wordsInUse(): Generator<number> {
    for (let id = 0; id + 1 < this.#postings.starts.length; id++) {
      const term = this.#vocabulary.termOf(id)
      if (typeof term !== 'string' || term.length < SHORTEST - 1 || term.length > LONGEST) continue
      if (this.spread(id) > 0) yield id
    }
  }

  // Does not compare ids, because they depend on which tool was read first.
  #compareTexts(a: number, b: number): number {
    return this.textOf(a) < this.textOf(b) ? -1 : 1
  }
}
