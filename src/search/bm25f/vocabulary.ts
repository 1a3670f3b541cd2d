// Gives numbers to the terms of an index and of the indexes built from it. A number is never reused for another term.

/** More than the number of terms in any catalog. Two ids below it fit into one number without rounding. */
const RADIX = 2 ** 26

export type ReadonlyVocabulary = Pick<Vocabulary, 'idOf' | 'idOfPair' | 'termOf'>

export class Vocabulary {
  readonly #words = new Map<string, number>()
  /** Two consecutive words are a term too. The keys are numbers, because texts would take most of the memory. */
  readonly #pairs = new Map<number, number>()
  /** The word or the key of the pair, by id. */
  readonly #terms: (string | number)[] = []

  get size(): number {
    return this.#terms.length
  }

  idOf(word: string): number | undefined {
    return this.#words.get(word)
  }

  idOfPair(first: number, second: number): number | undefined {
    return this.#pairs.get(pairKey(first, second))
  }

  /** The word, or the key of the pair. */
  termOf(id: number): string | number | undefined {
    return this.#terms[id]
  }

  /** All words and the keys of all pairs, each with its id. */
  get terms(): { readonly words: ReadonlyMap<string, number>; readonly pairs: ReadonlyMap<number, number> } {
    return { words: this.#words, pairs: this.#pairs }
  }

  /** The id of a word. A new word gets the next id. */
  intern(word: string): number {
    const known = this.#words.get(word)
    if (known !== undefined) return known
    const id = this.#terms.push(word) - 1
    this.#words.set(word, id)
    return id
  }

  internPair(first: number, second: number): number {
    const key = pairKey(first, second)
    const known = this.#pairs.get(key)
    if (known !== undefined) return known
    const id = this.#terms.push(key) - 1
    this.#pairs.set(key, id)
    return id
  }
}

export function pairKey(first: number, second: number): number {
  return first * RADIX + second
}

/** The ids of the two words. */
export function wordsOfPair(key: number): readonly [first: number, second: number] {
  return [Math.floor(key / RADIX), key % RADIX]
}
