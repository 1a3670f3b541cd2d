// The next part of a text: as much as a number of tokens allows, up to a place where it may be cut.

import type { CountTokens } from '../../core/tokens.ts'
import { findBoundary, type Layout } from './boundary.ts'
import { measure } from './measure.ts'

export interface Part {
  readonly end: number
  readonly tokens: number
}

/** At most this share of what would fit is given up for a better place. */
const GIVEN_UP = 1 / 4

export async function cutPart(
  text: string,
  start: number,
  layout: Layout,
  { maxTokens, count }: { readonly maxTokens: number; readonly count: CountTokens },
): Promise<Part> {
  const { end, tokensAt } = await measure(text, start, maxTokens, count)
  if (end === text.length) return { end, tokens: tokensAt(end) }
  const place = findBoundary(text, end - Math.floor((end - start) * GIVEN_UP), end, layout)
  const tokens = tokensAt(place)
  // A word without its end can be more tokens than the whole word.
  return tokens <= maxTokens ? { end: place, tokens } : { end, tokens: tokensAt(end) }
}
