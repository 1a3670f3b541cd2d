// How far text goes until a number of tokens is used up, without counting what lies behind.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CountTokens } from '../../core/tokens.ts'

export interface Measured {
  /** The end of the text where all of it fits, else the furthest place that is still within. */
  readonly end: number
  /** Of the text from the start to a place at or before `end`. */
  tokensAt(place: number): number
}

// The time of a count grows with the square of the longest run of bytes without a break: 40,000 Chinese characters at
// once take ten seconds.
const STRIDE = 256
const STRIDE_OUTSIDE_ASCII = 96
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

/** The place itself, or the one before where it would part the two halves of a character. */
export function beforePair(text: string, place: number): number {
  const isParted = isHigh(text.charCodeAt(place - 1)) && isLow(text.charCodeAt(place))
  return isParted ? place - 1 : place
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

/** At a break if there is one: the tokenizer never joins what stands before it with what stands behind. */
function nextStop(text: string, at: number): { readonly to: number; readonly isClean: boolean } {
  const furthest = at + STRIDE
  if (furthest >= text.length) return { to: text.length, isClean: true }
  for (let to = furthest; to > at; to--) if (isBreak(text, to)) return { to, isClean: true }
  const isAscii = text.charCodeAt(at) < 0x80
  return { to: beforePair(text, isAscii ? furthest : at + STRIDE_OUTSIDE_ASCII), isClean: false }
}

function countRange(text: string, from: number, to: number, count: CountTokens): number {
  // A copy: the tokenizer remembers words, and a word cut from a text of 100 MB keeps all of that alive.
  return from >= to ? 0 : count(Buffer.from(text.slice(from, to), 'utf16le').toString('utf16le'))
}

// Not before an apostrophe ("it's" is one word), a mark (it belongs to its letter) or half of a pair (it may be a letter).
const BREAK = /[\p{L}\p{N}][^\p{L}\p{N}\p{M}\p{Cs}']/u

function isBreak(text: string, at: number): boolean {
  const [before, behind] = [text.charCodeAt(at - 1), text.charCodeAt(at)]
  // Most text by far is decided here, and a pattern would take ten times as long.
  if (before < 0x80 && behind < 0x80) return isAlphanumeric(before) && !isAlphanumeric(behind) && behind !== 0x27
  return BREAK.test(text.slice(at - 1, at + 1))
}

function isAlphanumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
