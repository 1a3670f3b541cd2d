// The terms of an index: their ids, their rarity, and the terms similar to an unknown word.

import { NearStrings } from './near-strings.ts'
import type { Postings } from './postings.ts'
import type { Tuning } from './tuning.ts'
import type { ReadonlyVocabulary } from './vocabulary.ts'

/** The lengths of the words that are corrected. From `TWO_EDITS_FROM` on, a word may differ by two edits. */
const SHORTEST = 4
const LONGEST = 40
const TWO_EDITS_FROM = 8
const MAX_SIMILAR = 6

export class Terms {
  readonly #vocabulary: ReadonlyVocabulary
  readonly #postings: Postings
  readonly #tuning: Tuning
  #nearTerms: NearStrings | undefined

  constructor(vocabulary: ReadonlyVocabulary, postings: Postings, tuning: Tuning) {
    this.#vocabulary = vocabulary
    this.#postings = postings
    this.#tuning = tuning
  }

  /**
   * The id of a term that occurs in at least one tool. The vocabulary may contain more terms, from removed or newer
   * tools.
   */
  idOf(term: string): number | undefined {
    const id = this.#vocabulary.idOf(term)
    return id !== undefined && this.spread(id) > 0 ? id : undefined
  }

  idOfPair(first: number, second: number): number | undefined {
    const id = this.#vocabulary.idOfPair(first, second)
    return id !== undefined && this.spread(id) > 0 ? id : undefined
  }

  textOf(id: number): string {
    return this.#vocabulary.textOf(id)
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

  /** The terms that start with an unknown word or differ by few edits, best first. */
  similar(term: string): { readonly id: number; readonly weight: number }[] {
    if (term.length < SHORTEST || term.length > LONGEST || /\d/.test(term)) return []
    this.#nearTerms ??= new NearStrings(this.#inUse(), (id) => this.#vocabulary.wordOf(id) ?? '')
    const found = new Map<number, number>()
    for (const id of this.#nearTerms.longer(term)) found.set(id, this.#tuning.prefix)
    for (const { position: id, distance } of this.#nearTerms.near(term, term.length < TWO_EDITS_FROM ? 1 : 2)) {
      found.set(id, Math.max(found.get(id) ?? 0, this.#tuning.typo / distance))
    }
    return [...found]
      .map(([id, weight]) => ({ id, weight }))
      .sort((a, b) => b.weight - a.weight || this.spread(b.id) - this.spread(a.id) || this.#compareTexts(a.id, b.id))
      .slice(0, MAX_SIMILAR)
  }

  /** The ids of the words that occur in a tool and have a length that an edit can reach. */
  *#inUse(): Generator<number> {
    for (let id = 0; id + 1 < this.#postings.starts.length; id++) {
      const length = this.#vocabulary.wordOf(id)?.length ?? 0
      if (length >= SHORTEST - 1 && length <= LONGEST && this.spread(id) > 0) yield id
    }
  }

  // Does not compare ids, because they depend on which tool was read first.
  #compareTexts(a: number, b: number): number {
    return this.textOf(a) < this.textOf(b) ? -1 : 1
  }
}
