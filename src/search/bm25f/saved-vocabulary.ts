// The vocabulary of an index that was loaded from disk. It is read-only.

import { pairKey, pairText, type ReadonlyVocabulary } from './vocabulary.ts'

interface SavedWords {
  /** All words in one string, sorted by code units. */
  readonly words: string
  /** Where each word starts, and the end as the last item. */
  readonly wordStarts: Uint32Array
  readonly wordIds: Uint32Array
  /** The keys of the pairs, sorted. */
  readonly pairKeys: Float64Array
  readonly pairIds: Uint32Array
}

export class SavedVocabulary implements ReadonlyVocabulary {
  readonly #saved: SavedWords
  #terms: (string | number)[] | undefined

  constructor(saved: SavedWords) {
    this.#saved = saved
  }

  get size(): number {
    return this.#saved.wordIds.length + this.#saved.pairIds.length
  }

  idOf(word: string): number | undefined {
    const { wordIds } = this.#saved
    const at = firstNotLess(wordIds.length, (middle) => this.#wordAt(middle) < word)
    return at < wordIds.length && this.#wordAt(at) === word ? wordIds[at] : undefined
  }

  idOfPair(first: number, second: number): number | undefined {
    const { pairKeys, pairIds } = this.#saved
    const wanted = pairKey(first, second)
    const at = firstNotLess(pairKeys.length, (middle) => (pairKeys[middle] ?? 0) < wanted)
    return pairKeys[at] === wanted ? pairIds[at] : undefined
  }

  wordOf(id: number): string | undefined {
    const term = this.#all()[id]
    return typeof term === 'string' ? term : undefined
  }

  textOf(id: number): string {
    const term = this.#all()[id]
    return typeof term === 'number' ? pairText(term, (word) => this.textOf(word)) : (term ?? '')
  }

  #wordAt(at: number): string {
    const { words, wordStarts } = this.#saved
    return words.slice(wordStarts[at], wordStarts[at + 1])
  }

  /** Needed only for words that the index does not contain, and for `explain`. */
  #all(): readonly (string | number)[] {
    if (this.#terms !== undefined) return this.#terms
    const { wordIds, pairKeys, pairIds } = this.#saved
    const terms = new Array<string | number>(this.size)
    wordIds.forEach((id, at) => {
      terms[id] = this.#wordAt(at)
    })
    pairIds.forEach((id, at) => {
      terms[id] = pairKeys[at] ?? 0
    })
    this.#terms = terms
    return terms
  }
}

/** Binary search for the first position that is not less. Returns `length` if all are less. */
function firstNotLess(length: number, isLess: (at: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isLess(middle)) low = middle + 1
    else high = middle
  }
  return low
}
