// Removes or escapes characters that a reader cannot see: they can hide instructions for a model or control a terminal.

/** The number of removed parts, for a warning. */
export interface Removed {
  invisible: number
  escapes: number
}

/** Control characters except line ends and tabs, format characters, and other characters without a shape. */
const UNSEEN = '(?:[^\\P{Cc}\\n\\t]|\\p{Cf}|\\p{DI})'

/** Letters of scripts that join their letters. Correct spelling needs U+200C and U+200D between them. */
const JOINED =
  '[\\p{scx=Arabic}\\p{scx=Syriac}\\p{scx=Mandaic}\\p{scx=Nko}\\p{scx=Mongolian}\\p{scx=Adlam}\\p{scx=Devanagari}' +
  '\\p{scx=Bengali}\\p{scx=Gurmukhi}\\p{scx=Gujarati}\\p{scx=Oriya}\\p{scx=Tamil}\\p{scx=Telugu}\\p{scx=Kannada}' +
  '\\p{scx=Malayalam}\\p{scx=Sinhala}\\p{scx=Khmer}\\p{scx=Myanmar}\\p{scx=Tibetan}]'

/**
 * Invisible characters that are kept, because they belong to a visible character beside them. At most the first of
 * several in a row is kept: a longer row could hide data. So an invisible neighbour, even one of the same script, does not
 * count. The only exception is the joiner after the variation selector of an emoji.
 */
const KEPT = [
  `(?<=(?!${UNSEEN})${JOINED})[\\u200c\\u200d](?=(?!${UNSEEN})${JOINED})`,
  // Emoji of several parts, such as a family.
  '(?<=\\p{ExtPict}\\ufe0f?\\p{EMod}?)\\u200d(?=\\p{ExtPict})',
  // The choice between text and emoji, and variants of symbols and ideographs. U+2800 and U+1D159 are blank symbols.
  '(?<=(?![\\u2800\\u{1d159}])[\\p{ExtPict}\\p{So}\\p{Sm}])[\\ufe00\\ufe0e\\ufe0f]',
  '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
  '(?<=\\p{sc=Han})[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]',
  `(?<=(?!${UNSEEN})\\p{sc=Mongolian})[\\u180b-\\u180f]`,
  // Signs of Arabic and other scripts that are visible, although Unicode counts them as format characters.
  '[\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}]',
].join('|')

// The short test is first, because most characters are visible.
const TO_REMOVE = new RegExp(`(?=${UNSEEN})(?!${KEPT})[^]`, 'gu')

/** Sequences that control a terminal. The parts exclude the first character of a sequence, so the time is linear. */
const ESCAPES = new RegExp(
  [
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]',
    '(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])[^\\u0007\\u001b\\u0090\\u0098\\u009c-\\u009f]*(?:\\u0007|\\u001b\\\\|\\u009c)',
    '\\u001b[ -/]*[0-~]',
  ].join('|'),
  'g',
)

const IS_PLAIN = /^[\t\n -~]*$/

/** Removes invisible characters and terminal sequences, and counts them in `removed`. Every line end becomes `\n`. */
export function cleanText(text: string, removed?: Removed): string {
  if (IS_PLAIN.test(text)) return text
  const count = (part: keyof Removed) => () => {
    if (removed !== undefined) removed[part]++
    return ''
  }
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(ESCAPES, count('escapes'))
    .replace(TO_REMOVE, count('invisible'))
}

/**
 * Cleans all strings in a JSON value, except keys and a `requestState`, which must return to its server as it was.
 * Returns the same object if nothing changes. Objects and lists deeper than `maxLevels` become null.
 */
export function cleanValue(value: unknown, removed?: Removed, maxLevels = 500): unknown {
  if (typeof value === 'string') return cleanText(value, removed)
  if (typeof value !== 'object' || value === null) return value
  if (maxLevels === 0) return null
  if (Array.isArray(value)) {
    const items = value.map((item) => cleanValue(item, removed, maxLevels - 1))
    return items.every((item, at) => item === value[at]) ? value : items
  }
  return withChanged(value, (item, key) => (key === 'requestState' ? item : cleanValue(item, removed, maxLevels - 1)))
}

/** A copy with changed values, or the same object if no value changes. */
export function withChanged<T extends object>(from: T, change: (value: unknown, key: string) => unknown): T {
  let isSame = true
  const entries = Object.entries(from).map(([key, value]): [string, unknown] => {
    const next = change(value, key)
    if (next !== value) isSame = false
    return [key, next]
  })
  // The keys are the same, and `change` keeps the types.
  return isSame ? from : (Object.fromEntries(entries) as T)
}

/** The number of invisible characters, without those in `KEPT`. For names, which must not change. */
export function countUnseen(text: string): number {
  if (IS_PLAIN.test(text)) return 0
  return text.match(TO_REMOVE)?.length ?? 0
}

/** Escapes the control and format characters that `JSON.stringify` keeps, except joiners: words and emoji need them. */
export function escapeInJson(json: string): string {
  if (IS_PLAIN.test(json)) return json
  return json.replace(/[\u007f-\u009f\u2028\u2029]|(?![\u200c\u200d])\p{Cf}/gu, (char) =>
    Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  )
}

/** Replaces invisible characters with escapes such as `\n` and `\u{1b}`. */
export function escapeUnseen(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{DI}\u2028\u2029]/gu, (char) => {
    if (char === '\n') return '\\n'
    return char === '\t' ? '\\t' : `\\u{${char.codePointAt(0)?.toString(16)}}`
  })
}
