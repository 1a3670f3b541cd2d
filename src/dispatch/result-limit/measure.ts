// How far text goes until a number of tokens is used up, without counting what lies behind.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforePair, isHigh, isLow, nextStop, ownCopy } from '../../core/token-strides.ts'
import type { CountTokens } from '../../core/tokens.ts'

export interface Measured {
  /** The end of the text where all of it fits, else the furthest place that is still within. */
  readonly end: number
  /** Of the text from the start to a place at or before `end`. */
  tokensAt(place: number): number
}

/** A run that had to be split is seen to cost up to this many tokens more as one than as two. */
const SPLIT_TOKENS = 4
/** Counted before others have a turn; a few milliseconds' worth. */
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
  const tokensAt = (place: number) => {
    const mark = marks.findLast(({ at }) => at <= place) ?? last
    return mark.tokens + countRange(text, mark.at, place, count)
  }
  const isWhole = last.at >= text.length
  const fits = (place: number) => last.tokens + countRange(text, last.at, place, count) <= maxTokens
  const end = isWhole ? text.length : wholeCharacter(text, start, lastWhere(last.at, beyond, fits))
  return { end, tokensAt }
}

function wholeCharacter(text: string, start: number, place: number): number {
  const before = beforePair(text, place)
  if (before > start) return before
  // Whatever it costs: a part without a character would be read for ever.
  return start + (isHigh(text.charCodeAt(start)) && isLow(text.charCodeAt(start + 1)) ? 2 : 1)
}

/** The last of the places from `low`, which is one, to `high`, which is none. */
function lastWhere(low: number, high: number, isOne: (place: number) => boolean): number {
  let [from, to] = [low, high]
  while (to - from > 1) {
    const middle = (from + to) >>> 1
    if (isOne(middle)) from = middle
    else to = middle
  }
  return from
}

function countRange(text: string, from: number, to: number, count: CountTokens): number {
  return from >= to ? 0 : count(ownCopy(text.slice(from, to)))
}
