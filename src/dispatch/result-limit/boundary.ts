// Where text may be cut so that both sides still make sense: after a paragraph, line, sentence or word.

export interface Layout {
  /** Where the blocks that the text was put together from end, in order. */
  readonly ends: readonly number[]
  /** Its elements stand in place of sentences. */
  readonly isJson: boolean
}

type Rule = (text: string) => number

const PROSE: readonly Rule[] = [
  afterLast(/\n\r?\n/g),
  afterLast(/\n/g),
  afterLast(/[.!?]["')\]]?\s|[。！？]/g),
  afterLast(/\s/g),
]
// A comma within a string is taken for one between elements: to know better, all of the text would have to be read.
const JSON_TEXT: readonly Rule[] = [
  afterLast(/\n/g),
  afterLast(/[}\]],/g),
  afterLast(/",/g),
  afterLast(/,/g),
  afterLast(/\s/g),
]

/** The best place after `from`, up to and with `to`; that one where no other is better. */
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
