// Measures how similar two names are, for "Did you mean …?" suggestions.

const MIN_SCORE = 0.4
const MAX_NAME_CHARS = 256

/**
 * How similar two names are, from 0 to 1: 1 - edit distance / longer length, ignoring letter case.
 *
 * @example
 * ```ts
 * calculateSimilarity('todo-add', 'todo-ad') // 0.875
 * ```
 */
export function calculateSimilarity(left: string, right: string): number {
  const a = left.toLowerCase()
  const b = right.toLowerCase()
  if (a === b) return 1
  if (a.length === 0 || b.length === 0) return 0
  return 1 - editDistance(a, b) / Math.max(a.length, b.length)
}

/**
 * The names that are similar to a misspelt one, best first. Names with the same score keep their order.
 *
 * @example
 * ```ts
 * findSimilarTools('todo-ad', ['todo-add', 'order-list']) // ['todo-add']
 * ```
 */
export function findSimilarTools(name: string, names: Iterable<string>, maxSuggestions = 3): string[] {
  // A name longer than any real one is not a typo, and computing its distance to every name would be slow.
  if (name.length === 0 || name.length > MAX_NAME_CHARS) return []
  const scored: { name: string; score: number }[] = []
  for (const candidate of names) {
    // The lengths alone give an upper limit of the score.
    const longest = Math.max(name.length, candidate.length)
    if (Math.min(name.length, candidate.length) / longest < MIN_SCORE) continue
    const score = calculateSimilarity(name, candidate)
    if (score >= MIN_SCORE) scored.push({ name: candidate, score })
  }
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, maxSuggestions)
    .map((hit) => hit.name)
}

/** The details of an error with similar names. Empty if there are none. */
export function similarDetails(similar: readonly string[]): {
  readonly details?: { readonly similar: readonly string[] }
} {
  return similar.length === 0 ? {} : { details: { similar } }
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const cost = a.charCodeAt(row - 1) === b.charCodeAt(column - 1) ? 0 : 1
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + cost,
      )
    }
    previous = current
  }
  return previous[b.length] ?? 0
}
