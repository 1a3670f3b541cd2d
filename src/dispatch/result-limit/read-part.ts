// Reads the part of a kept text that starts at an offset, without loading more text than needed.

import { beforePair } from '../../core/tokens.ts'
import type { Layout } from './boundary.ts'
import type { Part } from './cut.ts'
import type { KeptText } from './kept-text.ts'

export type CutText = (text: string, start: number, layout: Layout) => Promise<Part>

interface ReadPart extends Part {
  readonly start: number
  /** One text for each original block. */
  readonly texts: readonly string[]
}

/** Undefined if a page of the text is missing. */
export async function readPart(
  kept: KeptText,
  offset: number,
  { cutText, charsAtFirst }: { readonly cutText: CutText; readonly charsAtFirst: number },
): Promise<ReadPart | undefined> {
  // Reads from one character earlier, to detect an offset in the middle of a surrogate pair.
  const from = Math.max(0, offset - 1)
  // Reads more if these characters have fewer tokens than the limit.
  for (let chars = charsAtFirst; ; chars *= 4) {
    const to = Math.min(kept.length, offset + chars)
    const text = await kept.slice(from, to)
    if (text === undefined || text.length < to - from) return undefined
    const start = beforePair(text, offset - from)
    const ends = kept.layout.ends.map((end) => end - from)
    const { end, tokens } = await cutText(text, start, { ...kept.layout, ends })
    if (end === text.length && to < kept.length) continue
    return { start: from + start, end: from + end, tokens, texts: splitAt(text, start, end, ends) }
  }
}

function splitAt(text: string, start: number, end: number, ends: readonly number[]): string[] {
  const stops = [start, ...ends.filter((stop) => stop > start && stop < end), end]
  return stops.slice(1).map((stop, index) => text.slice(stops[index], stop))
}
