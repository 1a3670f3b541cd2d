// Text in strides that are counted one by one: the time of a count grows with the square of what is not broken.

/** No stride is longer: 40,000 Chinese characters at once take ten seconds. */
export const STRIDE = 256
const STRIDE_OUTSIDE_ASCII = 96

export interface Stop {
  readonly to: number
  /** Whether the counts of both sides are together that of the whole. */
  readonly isClean: boolean
}

/** At a break if there is one: the tokenizer never joins what stands before it with what stands behind. */
export function nextStop(text: string, at: number): Stop {
  const furthest = at + STRIDE
  if (furthest >= text.length) return { to: text.length, isClean: true }
  for (let to = furthest; to > at; to--) if (isBreak(text, to)) return { to, isClean: true }
  const isAscii = text.charCodeAt(at) < 0x80
  return { to: beforePair(text, isAscii ? furthest : at + STRIDE_OUTSIDE_ASCII), isClean: false }
}

/** The place itself, or the one before where it would part the two halves of a character. */
export function beforePair(text: string, place: number): number {
  const isParted = isHigh(text.charCodeAt(place - 1)) && isLow(text.charCodeAt(place))
  return isParted ? place - 1 : place
}

/** The tokenizer remembers words, and a word cut from a text of 100 MB keeps all of that alive. */
export function ownCopy(part: string): string {
  return Buffer.from(part, 'utf16le').toString('utf16le')
}

// Not before an apostrophe ("it's" is one word), a mark (it belongs to its letter) or half of a pair (it may be a letter).
const BREAK = /[\p{L}\p{N}][^\p{L}\p{N}\p{M}\p{Cs}']/u

function isBreak(text: string, at: number): boolean {
  const [before, behind] = [text.charCodeAt(at - 1), text.charCodeAt(at)]
  // A space belongs to what follows it.
  if (behind === 0x20) return before > 0x20 && (before < 0x80 || !/\s/.test(text.charAt(at - 1)))
  // Most text by far is decided here, and a pattern would take ten times as long.
  if (before < 0x80 && behind < 0x80) return isAlphanumeric(before) && !isAlphanumeric(behind) && behind !== 0x27
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
