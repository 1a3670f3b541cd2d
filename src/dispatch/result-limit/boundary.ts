// Finds a position to cut a text so that both sides are readable: after a paragraph, line, sentence or word.

export interface Layout {
  /** The end positions of the blocks that the text was joined from, in ascending order. */
  readonly ends: readonly number[]
  /** JSON is cut between its elements instead of between sentences. */
  readonly isJson: boolean
}

type Rule = (text: string) => number

const PROSE: readonly Rule[] = [
  afterLast(/\n\r?\n/g),
  afterLast(/\n/g),
  afterLast(/[.!?]["')\]]?\s|[。！？]/g),
  afterLast(/\s/g),
]
// A comma inside a string is treated like one between elements: telling them apart would need a parse of the whole
// text.
const JSON_TEXT: readonly Rule[] = [
  afterLast(/\n/g),
  afterLast(/[}\]],/g),
  afterLast(/",/g),
  afterLast(/,/g),
  afterLast(/\s/g),
]

/** The best position after `from` and up to `to`. Returns `to` if there is no better one. */
export function findBoundary(text: string, from: number, to: number, { ends, isJson }: Layout): number {
  const blockEnd = ends.findLast((end) => end <= to)
  if (blockEnd !== undefined && blockEnd > from) return blockEnd
  const among = text.slice(from, to)
  for (const rule of isJson ? JSON_TEXT : PROSE) {
    const end = rule(among)
    if (end > 0) return from + end
  }
  return to
}

export function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text.slice(0, 100))
}

/** The end of the last match, or 0. */
function afterLast(pattern: RegExp): Rule {
  return (text) => {
    let end = 0
    for (const match of text.matchAll(pattern)) end = match.index + match[0].length
    return end
  }
}
