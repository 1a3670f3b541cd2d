// Finds the end of the next part of a long text: within the token limit, and at a readable position if there is one.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforePair, type CountTokens, isHigh, isLow, nextStop, ownCopy } from '../../core/tokens.ts'

export interface Layout {
  /** The end positions of the blocks that the text was joined from, in ascending order. */
  readonly ends: readonly number[]
  /** JSON is cut between its elements instead of between sentences. */
  readonly isJson: boolean
}

/** From the best place to cut a text to the worst. */
const PROSE_BREAKS = [/\n\r?\n/g, /\n/g, /[.!?]["')\]]?\s|[。！？]/g, /\s/g]
// A comma in a string is treated like one between elements: telling them apart would need a parse of the whole text.
const JSON_BREAKS = [/\n/g, /[}\]],/g, /",/g, /,/g, /\s/g]

/** The best position after `from` and up to `to`. Returns `to` if there is no better one. */
export function findBoundary(text: string, from: number, to: number, { ends, isJson }: Layout): number {
  const blockEnd = ends.findLast((end) => end <= to)
  if (blockEnd !== undefined && blockEnd > from) return blockEnd
  const among = text.slice(from, to)
  for (const pattern of isJson ? JSON_BREAKS : PROSE_BREAKS) {
    let end = 0
    for (const match of among.matchAll(pattern)) end = match.index + match[0].length
    if (end > 0) return from + end
  }
  return to
}

export function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text.slice(0, 100))
}

/** The part of a text from a given start up to `end`. */
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

interface Measured {
  /**
   * The end of the text if all of it fits, else a position within the limit and close to it. At least one character
   * after the start, even above the limit.
   */
  readonly end: number
  /** The number of tokens from the start to a position at or before `end`. */
  tokensAt(position: number): number
}

/** A long text without a break is split for counting. It can have up to this many tokens more than its two pieces. */
const SPLIT_TOKENS = 4
/** The number of pieces that are counted before other work gets a turn: a few milliseconds. */
const PIECES_PER_TURN = 64

export async function measure(text: string, start: number, maxTokens: number, count: CountTokens): Promise<Measured> {
  const marks = [{ at: start, tokens: 0 }]
  let last = { at: start, tokens: 0 }
  let beyond = start
  while (last.at < text.length) {
    if (marks.length % PIECES_PER_TURN === 0) await nextTurn()
    const { to, isClean } = nextStop(text, last.at)
    const tokens = last.tokens + countRange(text, last.at, to, count) + (isClean ? 0 : SPLIT_TOKENS)
    beyond = to
    if (tokens > maxTokens) break
    last = { at: to, tokens }
    marks.push(last)
  }
  const tokensAt = (position: number) => {
    const mark = marks.findLast(({ at }) => at <= position) ?? last
    return mark.tokens + countRange(text, mark.at, position, count)
  }
  const isWhole = last.at >= text.length
  const fits = (position: number) => last.tokens + countRange(text, last.at, position, count) <= maxTokens
  const end = isWhole ? text.length : wholeCharacter(text, start, findLastFit(last.at, beyond, fits))
  return { end, tokensAt }
}

function wholeCharacter(text: string, start: number, position: number): number {
  const before = beforePair(text, position)
  if (before > start) return before
  // Takes at least one character, even above the limit: an empty part would make the reader loop forever.
  return start + (isHigh(text.charCodeAt(start)) && isLow(text.charCodeAt(start + 1)) ? 2 : 1)
}

/** Binary search for the last position before `high` that fits. `low` is known to fit. */
function findLastFit(low: number, high: number, fits: (position: number) => boolean): number {
  let [from, to] = [low, high]
  while (to - from > 1) {
    const middle = (from + to) >>> 1
    if (fits(middle)) from = middle
    else to = middle
  }
  return from
}

function countRange(text: string, from: number, to: number, count: CountTokens): number {
  return from >= to ? 0 : count(ownCopy(text.slice(from, to)))
}
