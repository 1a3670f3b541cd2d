// Finds how much of a text fits into a token limit, without counting the rest of the text.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforePair, type CountTokens, isHigh, isLow, nextStop, ownCopy } from '../../core/tokens.ts'

interface Measured {
  /**
   * The end of the text if all of it fits, else a position within the limit and close to it. At least one character
   * after the start, even above the limit.
   */
  readonly end: number
  /** The number of tokens from the start to a position at or before `end`. */
  tokensAt(position: number): number
}

/** A run that is split for counting can have up to this many tokens more than the sum of its parts. */
const SPLIT_TOKENS = 4
/** The number of strides that are counted before other work gets a turn: a few milliseconds. */
const STRIDES_PER_TURN = 64

export async function measure(text: string, start: number, maxTokens: number, count: CountTokens): Promise<Measured> {
  const marks = [{ at: start, tokens: 0 }]
  let last = { at: start, tokens: 0 }
  let beyond = start
  while (last.at < text.length) {
    if (marks.length % STRIDES_PER_TURN === 0) await nextTurn()
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

/** Binary search for the last position that fits. `low` fits and `high` does not. */
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
