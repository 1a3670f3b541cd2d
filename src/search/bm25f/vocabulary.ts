// The terms of an index and of those made from it, numbered as they are first met; a number is never given twice.

/** More than any catalog has terms; two numbers below it fit into one exact number. */
const RADIX = 2 ** 26

/** A vocabulary that is only read. */
export type Words = Pick<Vocabulary, 'size' | 'idOf' | 'idOfPair' | 'wordOf' | 'textOf'>

export class Vocabulary {
  readonly #words = new Map<string, number>()
  /** Two words that follow each other are a term too. By their numbers: as texts they would take most of the memory. */
  readonly #pairs = new Map<number, number>()
  readonly #terms: (string | number)[] = []
  #inUse = 0

  get size(): number {
    return this.#terms.length
  }

  idOf(word: string): number | undefined {
    return this.#words.get(word)
  }

  idOfPair(first: number, second: number): number | undefined {
    return this.#pairs.get(pairKey(first, second))
  }

  /** Undefined for a pair. */
  wordOf(id: number): string | undefined {
    const term = this.#terms[id]
    return typeof term === 'string' ? term : undefined
  }

  textOf(id: number): string {
    const term = this.#terms[id]
    return typeof term === 'number' ? pairText(term, (word) => this.textOf(word)) : (term ?? '')
  }

  /** All words in the order of their numbers, and the keys of all pairs, each with the number it has. */
  get terms(): { readonly words: ReadonlyMap<string, number>; readonly pairs: ReadonlyMap<number, number> } {
    return { words: this.#words, pairs: this.#pairs }
  }

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

  /** How many of its terms the newest index has. */
  setInUse(count: number): void {
    this.#inUse = count
  }

  isStale(maxGrowth: number): boolean {
    return this.#terms.length > maxGrowth * this.#inUse
  }
}

export function pairKey(first: number, second: number): number {
  return first * RADIX + second
}

export function pairText(key: number, textOf: (word: number) => string): string {
  return `${textOf(Math.floor(key / RADIX))} ${textOf(key % RADIX)}`
}
