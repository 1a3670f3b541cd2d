// The next part of a text: as much as the token limit allows, cut at a readable position.

import type { CountTokens } from '../../core/tokens.ts'
import { findBoundary, type Layout } from './boundary.ts'
import { measure } from './measure.ts'

export interface Part {
  readonly end: number
  readonly tokens: number
}

/** The part can get shorter by at most this fraction to end at a better position. */
const MAX_SHORTENING = 1 / 4

export async function cutPart(
  text: string,
  start: number,
  layout: Layout,
  { maxTokens, count }: { readonly maxTokens: number; readonly count: CountTokens },
): Promise<Part> {
  const { end, tokensAt } = await measure(text, start, maxTokens, count)
  if (end === text.length) return { end, tokens: tokensAt(end) }
  const position = findBoundary(text, end - Math.floor((end - start) * MAX_SHORTENING), end, layout)
  const tokens = tokensAt(position)
  // A cut word can have more tokens than the whole word.
  return tokens <= maxTokens ? { end: position, tokens } : { end, tokens: tokensAt(end) }
}
