// Splits text into terms at case changes, digits and punctuation, and CJK text into pairs. Ignores accents and case.

const MAX_CHARACTERS = 100_000
const MAX_TERMS = 2_000

/** The terms of a text, in order. */
export function tokenize(text: string): string[] {
  return tokenizeWords(text).flat().slice(0, MAX_TERMS)
}

/** The words of a text, each as its parts: `getURL for S3` is `[[get, url], [for], [s, 3]]`. */
export function tokenizeWords(text: string): string[][] {
  const cut = text.length > MAX_CHARACTERS ? text.slice(0, MAX_CHARACTERS) : text
  return isAscii(cut) ? splitAscii(cut) : splitUnicode(cut)
}

// The kinds of ASCII characters.
const NONE = 0
const LOWER = 1
const UPPER = 2
const DIGIT = 3

function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return LOWER
  if (code >= 65 && code <= 90) return UPPER
  return code >= 48 && code <= 57 ? DIGIT : NONE
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false
  return true
}

// Nearly all tool texts are ASCII. This loop is several times faster than the regular expressions of `splitUnicode`.
function splitAscii(text: string): string[][] {
  const words: string[][] = []
  let parts: string[] | undefined
  let start = 0
  let count = 0
  let before = NONE
  for (let at = 0; at <= text.length && count < MAX_TERMS; at++) {
    const now = at < text.length ? kindOf(text.charCodeAt(at)) : NONE
    // A part ends where the kind of character changes, but not between `O` and `r` in `Order`. It also ends before the
    // last of several capitals, as before `R` in `HTTPRequest`.
    const isEdge =
      before !== now ? !(before === UPPER && now === LOWER) : now === UPPER && kindOf(text.charCodeAt(at + 1)) === LOWER
    if (isEdge) {
      if (before !== NONE) {
        count++
        // Converts each part, not the whole text before the loop: V8 would move that conversion into the optimised
        // loop and repeat it in every iteration.
        const part = text.slice(start, at).toLowerCase()
        if (parts !== undefined) parts.push(part)
        else {
          parts = [part]
          words.push(parts)
        }
      }
      start = at
    }
    if (now === NONE) parts = undefined
    before = now
  }
  return words
}

/** Marks a boundary inside a word. It is from the private use area, so it is not a letter. */
const INNER = '\ue000'

function splitUnicode(text: string): string[][] {
  const words = text
    // Removes marks before normalising too, because sorting a long run of marks is slow.
    .replace(/\p{M}+/gu, '')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    // Without this, Hangul syllables would stay decomposed.
    .normalize('NFC')
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, `$1${INNER}$2`)
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, `$1${INNER}$2`)
    .toLowerCase()
    .match(new RegExp(`[\\p{L}\\p{N}${INNER}]+`, 'gu'))
  return (words ?? []).slice(0, MAX_TERMS).map((word) => (word.match(/\p{L}+|\p{N}+/gu) ?? []).flatMap(splitIntoPairs))
}

// By script extensions, because the script of the long vowel mark `ー` is "Common".
const CJK = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]+/gu

/** Splits Chinese, Japanese and Korean text into overlapping pairs of characters. Other text stays whole. */
function splitIntoPairs(part: string): string[] {
  const found: string[] = []
  let at = 0
  for (const { 0: run, index } of part.matchAll(CJK)) {
    if (index > at) found.push(part.slice(at, index))
    // Cuts first, because the text may be long. A character has at most two code units.
    const characters = [...run.slice(0, 2 * MAX_TERMS)]
    if (characters.length < 3) found.push(run)
    else for (let next = 1; next < characters.length; next++) found.push(`${characters[next - 1]}${characters[next]}`)
    at = index + run.length
  }
  if (at < part.length) found.push(part.slice(at))
  return found
}
