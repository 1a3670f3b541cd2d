// The inverted index: the tools of each term. Merging segments only copies numbers, so a change of one source is cheap.

import type { IndexSegment } from './segment.ts'

export interface Postings {
  /** The number of tools. */
  readonly total: number
  /** Where the entries of each term start in `tools` and `impacts`, and the end as the last item. */
  readonly starts: Uint32Array
  /** The positions of the tools that have the term. */
  readonly tools: Uint32Array
  /** The weight of the term in each of these tools, see `IndexSegment`. */
  readonly impacts: Float32Array
  /** The segment number of each tool. */
  readonly sources: Uint32Array
}

/** `termsInUse` is the number of terms that occur in at least one tool. */
export function mergeSegments(
  segments: readonly IndexSegment[],
  vocabularySize: number,
): { readonly postings: Postings; readonly termsInUse: number } {
  const total = segments.reduce((sum, segment) => sum + segment.tools.length, 0)
  const size = segments.reduce((sum, segment) => sum + segment.terms.length, 0)
  const starts = new Uint32Array(vocabularySize + 1)
  // First counts the tools of each term, then adds up the counts.
  for (const { terms } of segments) {
    for (let at = 0; at < terms.length; at++) {
      const next = (terms[at] ?? 0) + 1
      starts[next] = (starts[next] ?? 0) + 1
    }
  }
  let termsInUse = 0
  for (let term = 0; term < vocabularySize; term++) {
    if ((starts[term + 1] ?? 0) > 0) termsInUse++
    starts[term + 1] = (starts[term + 1] ?? 0) + (starts[term] ?? 0)
  }
  const nextSlots = starts.slice(0, vocabularySize)
  const tools = new Uint32Array(size)
  const impacts = new Float32Array(size)
  const sources = new Uint32Array(total)
  let firstTool = 0
  segments.forEach((segment, source) => {
    const { terms, starts: toolStarts } = segment
    for (let position = 0; position < segment.tools.length; position++) {
      sources[firstTool + position] = source
      for (let at = toolStarts[position] ?? 0; at < (toolStarts[position + 1] ?? 0); at++) {
        const term = terms[at] ?? 0
        const slot = nextSlots[term] ?? 0
        nextSlots[term] = slot + 1
        tools[slot] = firstTool + position
        impacts[slot] = segment.impacts[at] ?? 0
      }
    }
    firstTool += segment.tools.length
  })
  return { postings: { total, starts, tools, impacts, sources }, termsInUse }
}
