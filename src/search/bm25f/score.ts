// Computes the score of every tool for a query. The arrays are reused, so a query allocates almost nothing.

import type { Postings } from './postings.ts'
import type { ConceptTerm, Need } from './query.ts'
import { TUNING } from './tuning.ts'

export class Scorer {
  readonly #postings: Postings
  /** For each source: the share of its best score that is added to its tools, and its best score. */
  readonly #lent: Float64Array
  readonly #bests: Float64Array
  /** For a word with several terms: the highest value of a term for each tool, and the tools that have a term. */
  readonly #worth: Float64Array
  readonly #touched: Uint32Array
  /** The score of each tool for one need. A need is one of the things that the query asks for. */
  readonly #need: Float64Array
  readonly #scores: Float64Array

  /**
   * `sizes` has the number of tools of each source. Here, a source is a segment of the index: consecutive tools of one
   * source, usually all of them.
   */
  constructor(postings: Postings, sizes: readonly number[]) {
    const { total } = postings
    this.#postings = postings
    // A small source has one subject. In a large source the best tool says little about the other tools.
    this.#lent = Float64Array.from(sizes, (size) => TUNING.lent / (1 + size / TUNING.lentSize))
    this.#bests = new Float64Array(sizes.length)
    this.#worth = new Float64Array(total)
    this.#touched = new Uint32Array(total)
    this.#need = new Float64Array(total)
    this.#scores = new Float64Array(total)
  }

  /**
   * Returns the relevance of every tool, about 0 to 1, to the power of `needNorm`. The array is valid until the next
   * call. The root is computed later for the few tools that need it, because it costs as much as everything else.
   */
  score(needs: readonly Need[]): Float64Array {
    const { needNorm, needBalance, lent } = TUNING
    const scores = this.#scores.fill(0)
    const need = this.#need
    let ideal = 0
    for (const concepts of needs) {
      need.fill(0)
      for (const { terms } of concepts) {
        if (terms.length === 1) this.#addTerm(terms[0])
        else this.#addBestOf(terms)
      }
      // The score of a tool that matches every word fully.
      const mass = concepts.reduce((sum, { weight, rarity }) => sum + weight * rarity, 0)
      const best = highest(need)
      const scale = best === 0 ? 1 : best ** -needBalance
      ideal = Math.max(ideal, mass * scale)
      if (best > 0) addPowers(scores, need, scale, needNorm)
    }
    // Divides by the highest possible score for one need. A tool that fits several needs can exceed 1. The divisor has
    // the factor `1 + lent`, because the best tool of a source gets a share of its own score too.
    if (ideal > 0) this.#lend(1 / (power(ideal, needNorm) * (1 + lent)))
    return scores
  }

  #addTerm(term: ConceptTerm | undefined): void {
    if (term === undefined) return
    const { starts, tools, impacts } = this.#postings
    const need = this.#need
    const end = starts[term.id + 1] ?? 0
    for (let at = starts[term.id] ?? 0; at < end; at++) {
      const tool = tools[at] ?? 0
      need[tool] = (need[tool] ?? 0) + term.gain * (impacts[at] ?? 0)
    }
  }

  /** Uses the best term instead of the sum, because a tool may repeat the same thing in several words. */
  #addBestOf(terms: readonly ConceptTerm[]): void {
    const { starts, tools, impacts } = this.#postings
    const worth = this.#worth
    const need = this.#need
    const touched = this.#touched
    let count = 0
    for (const { id, gain } of terms) {
      const end = starts[id + 1] ?? 0
      for (let at = starts[id] ?? 0; at < end; at++) {
        const tool = tools[at] ?? 0
        const now = gain * (impacts[at] ?? 0)
        const before = worth[tool] ?? 0
        if (before === 0) touched[count++] = tool
        if (now > before) worth[tool] = now
      }
    }
    for (let at = 0; at < count; at++) {
      const tool = touched[at] ?? 0
      need[tool] = (need[tool] ?? 0) + (worth[tool] ?? 0)
      worth[tool] = 0
    }
  }

  /** Adds a share of the best score in a source to each of its tools with a score, then multiplies by `factor`. */
  #lend(factor: number): void {
    const { sources } = this.#postings
    const scores = this.#scores
    const bests = this.#bests.fill(0)
    for (let tool = 0; tool < scores.length; tool++) {
      const source = sources[tool] ?? 0
      if ((scores[tool] ?? 0) > (bests[source] ?? 0)) bests[source] = scores[tool] ?? 0
    }
    for (let source = 0; source < bests.length; source++) {
      bests[source] = (bests[source] ?? 0) * (this.#lent[source] ?? 0)
    }
    for (let tool = 0; tool < scores.length; tool++) {
      const score = scores[tool] ?? 0
      if (score > 0) scores[tool] = factor * (score + (bests[sources[tool] ?? 0] ?? 0))
    }
  }
}

function highest(values: Float64Array): number {
  let best = 0
  for (let at = 0; at < values.length; at++) if ((values[at] ?? 0) > best) best = values[at] ?? 0
  return best
}

function addPowers(scores: Float64Array, values: Float64Array, scale: number, exponent: number): void {
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? 0
    if (value > 0) scores[at] = (scores[at] ?? 0) + power(value * scale, exponent)
  }
}

// Avoids `**` for the exponents 2 and 3, because it is several times slower.
function power(value: number, exponent: number): number {
  if (exponent === 2) return value * value
  return exponent === 3 ? value * value * value : value ** exponent
}
