// Shortens, quotes and decodes text, and describes values and errors in a few words.

import { escapeUnseen } from './clean-text.ts'

/** The first sentence on one line, at most `max` characters. A list counts as one sentence, up to a blank line. */
export function firstSentence(text: string, max = 120): string {
  // Reads only the start of a long text, with a reserve for spaces that are removed.
  const start = cutLongText(text.trimStart(), max * 4)
  const sentence = listAt(start) ?? start.split(SENTENCE_END, 1)[0] ?? ''
  return cutLongText(sentence.replace(/\s+/g, ' ').trim(), max)
}

/** The number of a list item does not end a sentence. */
const SENTENCE_END = /(?<!(?:^|\n)\s*\d{1,3})\.\s/
const LIST_ITEM = /^\s*(?:[-*•]|\d{1,3}[.)])\s/

/** The first paragraph if it is a list: its first line ends with a colon, or its first two lines are items. */
function listAt(text: string): string | undefined {
  const [paragraph = ''] = text.split(/\n\s*\n/, 1)
  const [first = '', second, ...others] = paragraph.split('\n')
  if (second === undefined) return undefined
  const isIntroduced = first.trimEnd().endsWith(':') && !SENTENCE_END.test(first)
  const isList = LIST_ITEM.test(second) ? isIntroduced || LIST_ITEM.test(first) : isIntroduced && others.length > 0
  return isList ? paragraph : undefined
}

export function cutLongText(text: string, max: number): string {
  if (text.length <= max) return text
  if (max < 1) return ''
  const cut = text.slice(0, max - 1)
  const last = cut.charCodeAt(cut.length - 1)
  // Never split a surrogate pair.
  return `${last >= 0xd800 && last <= 0xdbff ? cut.slice(0, -1) : cut}…`
}

/** For text from outside: replaces control characters, which could control the terminal. Keeps 1,000 characters. */
export function onOneLine(text: string): string {
  return cutLongText(text.replace(/\p{Cc}+/gu, ' '), 1_000)
}

/**
 * Returns the text on one line. If it has more than `max` characters, cuts it after a sentence, else after a word, else
 * inside a word, and adds `…`.
 */
export function cutAtSentence(text: string, max: number): string {
  // Reads only the start of a long text.
  const start = text
    .slice(0, max * 4)
    .replace(/\s+/g, ' ')
    .trim()
  if (start.length <= max) return text.length <= max * 4 ? start : cutLongText(`${start}…`, max)
  const cut = cutLongText(start, max).slice(0, -1)
  // If the whole sentences that fit are very short, cut inside the next sentence: two words say too little.
  const end = sentenceEnds(start).findLast((at) => at <= cut.length && at >= max / 3)
  const word = cut.lastIndexOf(' ')
  return `${cut.slice(0, end ?? (word >= max / 2 ? word : undefined))}…`
}

/** Where sentences end: not after `e.g.` and similar abbreviations, and not before a lower-case letter. */
function sentenceEnds(line: string): readonly number[] {
  const ends = line.matchAll(/(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx|incl))[.!?](?= [^a-z])/g)
  return Array.from(ends, ({ index }) => index + 1)
}

/** `'a', 'b', 'c' and 4 more`. Invisible characters are shown as escapes. */
export function quoteList(names: readonly string[], max = 20): string {
  const shown = names
    .slice(0, max)
    .map((name) => `'${escapeUnseen(name)}'`)
    .join(', ')
  return names.length > max ? `${shown} and ${names.length - max} more` : shown
}

/** Quotes a word for a shell if needed. */
export function shellWord(word: string): string {
  return /^[\w./~:@%+=\\-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** The message of any thrown value. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name
  try {
    return String(thrown)
  } catch {
    return 'a value that cannot be shown'
  }
}

/** Decodes a file as UTF-8, or as its byte order mark says: Windows PowerShell writes UTF-16 with such a mark. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  // The decoder removes the mark.
  return new TextDecoder(encoding).decode(bytes)
}

/** A code such as `ENOSPC` or `ERR_STREAM_DESTROYED`. Undefined for a value without a text as its code. */
export function errorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
}

/** True for the error of a path that does not exist. */
export function isAbsent(thrown: unknown): boolean {
  const code = errorCode(thrown)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** Formats `2169` as `2,169`. `toLocaleString` would first load the locales, which takes several milliseconds. */
export function groupDigits(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** Shows a value as `'soon'`, `99999`, `null`, `nothing` or `an object`. Cuts a long text. Hides fields and items. */
export function showValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `'${cutLongText(value, 80)}'`
    case 'undefined':
      return 'nothing'
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? 'an array' : 'an object'
    case 'function':
      return 'a function'
    case 'bigint':
      return `${cutLongText(String(value), 80)}n`
    default:
      return String(value)
  }
}

/** The type of a JSON value in one word: `null`, `array`, or as `typeof` says. */
export function typeNameOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}
