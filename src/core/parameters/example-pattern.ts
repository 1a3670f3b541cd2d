// Makes a text that a simple regular expression matches. It reads the expression and never runs it.

import type { Range } from './schema-form.ts'

const MAX_PATTERN_CHARS = 500
const MAX_TEXT_CHARS = 500
const MAX_NESTING = 40

interface Making {
  readonly pattern: string
  /** How often a part without an upper limit is repeated. */
  readonly repeats: number
  /** Put a word where a class of letters may repeat. */
  readonly hasWords: boolean
  readonly groups: string[]
  at: number
  nesting: number
}

/** Undefined if the expression is not simple enough, or if no text of that length is found. */
export function exampleOfPattern(pattern: string, { min = 0, max = MAX_TEXT_CHARS }: Range = {}): string | undefined {
  if (pattern.length > MAX_PATTERN_CHARS || min > MAX_TEXT_CHARS) return undefined
  for (const hasWords of [true, false]) {
    for (let repeats = 0; repeats <= min + 1; repeats++) {
      const text = made({ pattern, repeats, hasWords, groups: [], at: 0, nesting: 0 })
      if (text === undefined) return undefined
      if (text.length >= min && text.length <= max) return text
    }
  }
  return undefined
}

function made(making: Making): string | undefined {
  const text = choice(making)
  return making.at === making.pattern.length ? text : undefined
}

/** Uses the first alternative and skips the others. */
function choice(making: Making): string | undefined {
  if (++making.nesting > MAX_NESTING) return undefined
  const first = sequence(making)
  while (making.pattern[making.at] === '|') {
    making.at++
    if (sequence(making) === undefined) return undefined
  }
  making.nesting--
  return first
}

function sequence(making: Making): string | undefined {
  let text = ''
  while (making.at < making.pattern.length && !'|)'.includes(making.pattern[making.at] ?? '')) {
    const part = repeated(making)
    if (part === undefined || text.length + part.length > MAX_TEXT_CHARS) return undefined
    text += part
  }
  return text
}

function repeated(making: Making): string | undefined {
  const start = making.at
  const one = atom(making)
  if (one === undefined) return undefined
  const source = making.pattern.slice(start, making.at)
  const { min, max } = quantifier(making)
  const count = Math.min(Math.max(min, making.repeats), max)
  if (count * one.length > MAX_TEXT_CHARS) return undefined
  const word = making.hasWords && max >= 7 && min <= 7 ? wordOf(source) : undefined
  return word ?? one.repeat(max === 1 ? min : count)
}

function quantifier(making: Making): { readonly min: number; readonly max: number } {
  const found = /^(?:[*+?]|\{(\d{1,4})(,(\d{0,6}))?\})\??/.exec(making.pattern.slice(making.at, making.at + 16))
  if (found === null) return { min: 1, max: 1 }
  making.at += found[0].length
  const [sign, low, comma, high] = found
  if (sign.startsWith('*')) return { min: 0, max: Number.POSITIVE_INFINITY }
  if (sign.startsWith('+')) return { min: 1, max: Number.POSITIVE_INFINITY }
  if (sign.startsWith('?')) return { min: 0, max: 1 }
  const min = Number(low)
  return { min, max: comma === undefined ? min : high === '' ? Number.POSITIVE_INFINITY : Number(high) }
}

function atom(making: Making): string | undefined {
  const { pattern, at } = making
  const sign = pattern[at] ?? ''
  if (sign === '(') return group(making)
  if (sign === '[') {
    const found = CLASS.exec(pattern.slice(at))
    if (found === null) return undefined
    making.at += found[0].length
    return PREFERRED.find((letter) => isInClass(letter, found[0])) ?? firstOf(found[0])
  }
  if (sign === '\\') return escaped(making)
  making.at++
  if (sign === '^' || sign === '$') return ''
  if (sign === '.') return 'a'
  return '*+?{'.includes(sign) ? undefined : sign
}

function group(making: Making): string | undefined {
  const opening = /^\((\?(?:<?[=!]|:|<\w+>))?/.exec(making.pattern.slice(making.at, making.at + 64))?.[0] ?? '('
  making.at += opening.length
  const isLook = /[=!]$/.test(opening)
  const number = isLook || opening === '(?:' ? -1 : making.groups.push('') - 1
  const text = choice(making)
  if (text === undefined || making.pattern[making.at] !== ')') return undefined
  making.at++
  if (number >= 0) making.groups[number] = text
  // Lookarounds are ignored. The caller validates the result.
  return isLook ? '' : text
}

function escaped(making: Making): string | undefined {
  const found = /^\\(?:x[\da-f]{2}|u[\da-f]{4}|[\s\S])/i.exec(making.pattern.slice(making.at, making.at + 6))?.[0]
  if (found === undefined) return undefined
  making.at += found.length
  const letter = found[1] ?? ''
  if (/[1-9]/.test(letter)) return making.groups[Number(letter) - 1]
  return found.length > 2 ? String.fromCharCode(Number.parseInt(found.slice(2), 16)) : (ESCAPES.get(letter) ?? letter)
}

const ESCAPES: ReadonlyMap<string, string | undefined> = new Map([
  ...Object.entries({ d: '1', D: 'a', w: 'a', W: '-', s: ' ', S: 'a', b: '', B: '', n: '\n', t: '\t', r: '\r' }),
])
const CLASS = /^\[\^?(?:\\[\s\S]|[^\]\\])*\]/
const PREFERRED = [...'aA1x-_ ']
const WORDS = ['example', 'EXAMPLE']

/** The word `example` if the class accepts all its letters. */
function wordOf(source: string): string | undefined {
  if (source === '.' || source === '\\w' || source === '\\S') return WORDS[0]
  return source.startsWith('[')
    ? WORDS.find((word) => [...word].every((letter) => isInClass(letter, source)))
    : undefined
}

function isInClass(letter: string, source: string): boolean {
  const isNegated = source.startsWith('[^')
  const inside = source.slice(isNegated ? 2 : 1, -1)
  const parts = inside.match(/\\[\s\S]-\\[\s\S]|\\[\s\S]|[^\\]-[^\\]|[^\\]/g) ?? []
  return parts.some((part) => isInPart(letter, part)) !== isNegated
}

function isInPart(letter: string, part: string): boolean {
  if (part === '\\d') return /\d/.test(letter)
  if (part === '\\w') return /\w/.test(letter)
  if (part === '\\s') return /\s/.test(letter)
  if (part === '\\S') return /\S/.test(letter)
  const [low, high] = part.length > 2 ? [part.at(0), part.at(-1)] : [part.at(-1), part.at(-1)]
  return low !== undefined && high !== undefined && letter >= low && letter <= high
}

function firstOf(source: string): string | undefined {
  for (let code = 0x21; code < 0x7f; code++) {
    const letter = String.fromCharCode(code)
    if (isInClass(letter, source)) return letter
  }
  return undefined
}
