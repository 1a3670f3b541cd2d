// Makes a text that a simple regular expression matches. It reads the expression and never runs it.

import type { Range } from './schema-form.ts'

const MAX_PATTERN_CHARS = 500
const MAX_TEXT_CHARS = 500
const MAX_NESTING = 40

interface ReadState {
  readonly pattern: string
  /** How often a part that may repeat is repeated, within its own limits. */
  readonly repeats: number
  /** Whether a class of letters that may repeat becomes a word. */
  readonly usesWords: boolean
  /** The text of each capturing group so far. */
  readonly groups: string[]
  /** The position in the pattern. */
  at: number
  nesting: number
}

/** Returns a matching text within the length limits. Undefined if the expression is too complex or none is found. */
export function exampleOfPattern(pattern: string, { min = 0, max = MAX_TEXT_CHARS }: Range = {}): string | undefined {
  if (pattern.length > MAX_PATTERN_CHARS || min > MAX_TEXT_CHARS) return undefined
  for (const usesWords of [true, false]) {
    for (let repeats = 0; repeats <= min + 1; repeats++) {
      const state: ReadState = { pattern, repeats, usesWords, groups: [], at: 0, nesting: 0 }
      const text = readChoice(state)
      if (text === undefined || state.at < pattern.length) return undefined
      if (text.length >= min && text.length <= max) return text
    }
  }
  return undefined
}

// The functions `read…` move `at` past one part of the pattern. All but `readQuantifier` return a text for the part.

/** Uses the first alternative and skips the others. */
function readChoice(state: ReadState): string | undefined {
  if (++state.nesting > MAX_NESTING) return undefined
  const first = readSequence(state)
  while (state.pattern[state.at] === '|') {
    state.at++
    if (readSequence(state) === undefined) return undefined
  }
  state.nesting--
  return first
}

function readSequence(state: ReadState): string | undefined {
  let text = ''
  while (state.at < state.pattern.length && !'|)'.includes(state.pattern[state.at] ?? '')) {
    const part = readRepeated(state)
    if (part === undefined || text.length + part.length > MAX_TEXT_CHARS) return undefined
    text += part
  }
  return text
}

function readRepeated(state: ReadState): string | undefined {
  const start = state.at
  const one = readAtom(state)
  if (one === undefined) return undefined
  const source = state.pattern.slice(start, state.at)
  const { min, max } = readQuantifier(state)
  const count = Math.min(Math.max(min, state.repeats), max)
  if (count * one.length > MAX_TEXT_CHARS) return undefined
  const isLongEnough = max >= WORD_LENGTH && min <= WORD_LENGTH
  const word = state.usesWords && isLongEnough ? wordOf(source) : undefined
  // An optional part is left out.
  return word ?? one.repeat(max === 1 ? min : count)
}

function readQuantifier(state: ReadState): { readonly min: number; readonly max: number } {
  const found = /^(?:[*+?]|\{(\d{1,4})(,(\d{0,6}))?\})\??/.exec(state.pattern.slice(state.at, state.at + 16))
  if (found === null) return { min: 1, max: 1 }
  state.at += found[0].length
  const [char, low, comma, high] = found
  if (char.startsWith('*')) return { min: 0, max: Number.POSITIVE_INFINITY }
  if (char.startsWith('+')) return { min: 1, max: Number.POSITIVE_INFINITY }
  if (char.startsWith('?')) return { min: 0, max: 1 }
  const min = Number(low)
  return { min, max: comma === undefined ? min : high === '' ? Number.POSITIVE_INFINITY : Number(high) }
}

function readAtom(state: ReadState): string | undefined {
  const { pattern, at } = state
  const char = pattern[at] ?? ''
  if (char === '(') return readGroup(state)
  if (char === '[') {
    const found = CLASS.exec(pattern.slice(at))
    if (found === null) return undefined
    state.at += found[0].length
    return PREFERRED.find((preferred) => isInClass(preferred, found[0])) ?? firstOf(found[0])
  }
  if (char === '\\') return readEscape(state)
  state.at++
  if (char === '^' || char === '$') return ''
  if (char === '.') return 'a'
  return '*+?{'.includes(char) ? undefined : char
}

function readGroup(state: ReadState): string | undefined {
  const opening = /^\((\?(?:<?[=!]|:|<\w+>))?/.exec(state.pattern.slice(state.at, state.at + 64))?.[0] ?? '('
  state.at += opening.length
  const isLookaround = /[=!]$/.test(opening)
  const number = isLookaround || opening === '(?:' ? -1 : state.groups.push('') - 1
  const text = readChoice(state)
  if (text === undefined || state.pattern[state.at] !== ')') return undefined
  state.at++
  if (number >= 0) state.groups[number] = text
  // Lookarounds are ignored. The caller validates the result.
  return isLookaround ? '' : text
}

function readEscape(state: ReadState): string | undefined {
  const found = /^\\(?:x[\da-f]{2}|u[\da-f]{4}|[\s\S])/i.exec(state.pattern.slice(state.at, state.at + 6))?.[0]
  if (found === undefined) return undefined
  state.at += found.length
  const char = found[1] ?? ''
  if (/[1-9]/.test(char)) return state.groups[Number(char) - 1]
  return found.length > 2 ? String.fromCharCode(Number.parseInt(found.slice(2), 16)) : (ESCAPES.get(char) ?? char)
}

const ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries({ d: '1', D: 'a', w: 'a', W: '-', s: ' ', S: 'a', b: '', B: '', n: '\n', t: '\t', r: '\r' }),
)
const CLASS = /^\[\^?(?:\\[\s\S]|[^\]\\])*\]/
const PREFERRED = [...'aA1x-_ ']
const WORDS = ['example', 'EXAMPLE']
const WORD_LENGTH = 7

/** The word `example` or `EXAMPLE`, if the class accepts all its letters. */
function wordOf(source: string): string | undefined {
  if (source === '.' || source === '\\w' || source === '\\S') return WORDS[0]
  return source.startsWith('[') ? WORDS.find((word) => [...word].every((char) => isInClass(char, source))) : undefined
}

function isInClass(char: string, source: string): boolean {
  const isNegated = source.startsWith('[^')
  const inside = source.slice(isNegated ? 2 : 1, -1)
  const parts = inside.match(/\\[\s\S]-\\[\s\S]|\\[\s\S]|[^\\]-[^\\]|[^\\]/g) ?? []
  return parts.some((part) => isInPart(char, part)) !== isNegated
}

function isInPart(char: string, part: string): boolean {
  if (part === '\\d') return /\d/.test(char)
  if (part === '\\w') return /\w/.test(char)
  if (part === '\\s') return /\s/.test(char)
  if (part === '\\S') return /\S/.test(char)
  const [low, high] = part.length > 2 ? [part.at(0), part.at(-1)] : [part.at(-1), part.at(-1)]
  return low !== undefined && high !== undefined && char >= low && char <= high
}

function firstOf(source: string): string | undefined {
  for (let code = 0x21; code < 0x7f; code++) {
    const char = String.fromCharCode(code)
    if (isInClass(char, source)) return char
  }
  return undefined
}
