// Counts tokens with the o200k encoding. The file of ranks is read at the first call of `loadTokenCounter`.

import { readFile } from 'node:fs/promises'
import { createBytePairCounter, unpackRanks } from './byte-pairs.ts'

/** Exact, except for runs of hundreds of characters without a break: their count is an estimate. */
export type CountTokens = (text: string) => number

/** The build writes the file to `dist`. */
const RANK_FILE = '../../dist/core/o200k.bin'

let loading: Promise<CountTokens> | undefined

export function loadTokenCounter(): Promise<CountTokens> {
  loading ??= load()
  return loading
}

async function load(): Promise<CountTokens> {
  const read = (file: string) => readFile(new URL(file, import.meta.url))
  // The benchmarks are built one folder deeper.
  const ranks = await read(RANK_FILE).catch(() => read(`../${RANK_FILE}`))
  const count = createBytePairCounter(await unpackRanks(ranks))
  return (text) => {
    if (text.length <= STRIDE) return count(text)
    let tokens = 0
    for (const part of partsOf(text)) tokens += count(part)
    return tokens
  }
}

/** The maximum length of a part. Counting 40,000 Chinese characters as one part takes ten seconds. */
const STRIDE = 256
const STRIDE_OUTSIDE_ASCII = 96

/**
 * Finds the end of the part that starts at `at`: a break if there is one, because the tokenizer never joins characters
 * across a break. `isClean`: the counts of both sides add up to the count of the whole.
 */
export function nextStop(text: string, at: number): { readonly to: number; readonly isClean: boolean } {
  const furthest = at + STRIDE
  if (furthest >= text.length) return { to: text.length, isClean: true }
  for (let to = furthest; to > at; to--) if (isBreak(text, to)) return { to, isClean: true }
  const isAscii = text.charCodeAt(at) < 0x80
  return { to: beforePair(text, isAscii ? furthest : at + STRIDE_OUTSIDE_ASCII), isClean: false }
}

/** Splits a text. The counts of the parts add up to the count of the text, unless a part does not end at a break. */
export function* partsOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const { to } = nextStop(text, at)
    yield ownCopy(text.slice(at, to))
    at = to
  }
}

/** The given position, or the position before it if a cut there would split a surrogate pair. */
export function beforePair(text: string, position: number): number {
  const isInsidePair = isHigh(text.charCodeAt(position - 1)) && isLow(text.charCodeAt(position))
  return isInsidePair ? position - 1 : position
}

/** Copies the part. The tokenizer caches words, and a slice of a text of 100 MB would keep the whole text in memory. */
export function ownCopy(part: string): string {
  return Buffer.from(part, 'utf16le').toString('utf16le')
}

// A break follows a letter or digit. An apostrophe, a mark or half a surrogate pair after it belongs to the same word.
const BREAK = /[\p{L}\p{N}][^\p{L}\p{N}\p{M}\p{Cs}']/u

function isBreak(text: string, at: number): boolean {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)]
  // A space belongs to the word after it.
  if (after === 0x20) return before > 0x20 && (before < 0x80 || !/\s/.test(text.charAt(at - 1)))
  // Most text is ASCII, for which a regular expression would take ten times as long.
  if (before < 0x80 && after < 0x80) return isAlphanumeric(before) && !isAlphanumeric(after) && after !== 0x27
  return BREAK.test(text.slice(at - 1, at + 1))
}

function isAlphanumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
}

export function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

export function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
