// The terms of an index and of those made from it, numbered as they are first met; a number is never given twice.

/** More than any catalog has terms; two numbers below it fit into one exact number. */
const RADIX = 2 ** 26

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
    return this.#pairs.get(first * RADIX + second)
  }

  /** Undefined for a pair. */
  wordOf(id: number): string | undefined {
    const term = this.#terms[id]
    return typeof term === 'string' ? term : undefined
  }

  textOf(id: number): string {
    const term = this.#terms[id]
    if (typeof term !== 'number') return term ?? ''
    return `${this.textOf(Math.floor(term / RADIX))} ${this.textOf(term % RADIX)}`
  }

  intern(word: string): number {
    const known = this.#words.get(word)
    if (known !== undefined) return known
    const id = this.#terms.push(word) - 1
    this.#words.set(word, id)
    return id
  }

  internPair(first: number, second: number): number {
    const key = first * RADIX + second
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
