import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanText, cleanValue, countUnseen, escapeUnseen, type Removed } from './clean-text.ts'

const cleaned = (text: string) => {
  const removed: Removed = { invisible: 0, escapes: 0 }
  return { text: cleanText(text, removed), ...removed }
}

describe('cleanText', () => {
  it.each([
    ['tag characters', 'a\u{e0001}\u{e0041}\u{e007f}b', 3],
    ['bidi controls', 'a\u202e\u2066\u2069\u200f\u061cb', 5],
    ['zero-width characters', 'a\u200b\u200c\u200d\u2060\ufeffb', 5],
    ['soft hyphens and fillers', 'a\u00ad\u3164\uffa0\u115fb', 4],
    ['data in variation selectors', 'a\ufe0f\u{e0101}\u{e0110}b', 3],
    ['control characters', 'a\u0000\u0007\u007f\u0085b', 4],
  ])('removes %s and counts them', (_what, text, invisible) => {
    expect(cleaned(text)).toEqual({ text: 'ab', invisible, escapes: 0 })
  })

  it('removes terminal sequences as a whole', () => {
    expect(cleaned('\u001b[31mred\u001b[0m \u001b]8;;http://x.test\u0007link\u001b]8;;\u001b\\ \u009b2J')).toEqual({
      text: 'red link ',
      invisible: 0,
      escapes: 5,
    })
    expect(cleanText('\u001b\u001b[31m[31m')).toBe('[31m')
  })

  it.each([
    'line\nline\ttab',
    'Ünïcödé, 日本語, עברית',
    'می‌خواهم',
    'क्‍ष',
    '👩‍👩‍👧‍👦 ❤️ 1️⃣ 👍🏽 🏳️‍🌈',
    '葛\u{e0100}城',
    '\u0600٣',
    'کتاب‌های خانه‌اش',
    'श्री र्‍य क्‌ष',
    'ශ්‍රී ලංකා',
    'ক্‍ষ র‍্যাব',
    'ᠮᠣᠩᠭᠣᠯ ᠴᠢᠨ\u180eᠠ ᠬᠠᠲ\u180bᠠᠨ',
    '🧑🏽‍🚀 👁️‍🗨️ ✔︎',
  ])('keeps visible characters, and invisible ones that belong to a script or an emoji: %s', (text) => {
    expect(cleaned(text)).toEqual({ text, invisible: 0, escapes: 0 })
    expect(countUnseen(text)).toBe(0)
  })

  it('removes all joiners of a row of joiners between two letters', () => {
    expect(cleanText('ت\u200c\u200d\u200cا')).toBe('تا')
  })

  it.each([
    ['Mongolian variation selectors in a row', 'a\u180b\u180c\u180d\u180fb', 'ab'],
    ['Mongolian variation selectors behind a first one of a letter', 'ᠠ\u180b\u180c\u180e\u180fᠠ', 'ᠠ\u180bᠠ'],
    ['joiners between Khmer inherent vowels', 'a\u17b4\u200c\u17b4\u200d\u17b5b', 'ab'],
    ['joiners between Arabic letter marks', 'a\u061c\u200c\u061c\u200d\u061cb', 'ab'],
    [
      'variation selectors behind blank symbols',
      'a\u2800\ufe00\u2800\ufe0f\u{1d159}\ufe0eb',
      'a\u2800\u2800\u{1d159}b',
    ],
    ['a joiner behind a Mongolian variation selector', 'ᠠ\u180b\u200dᠠ', 'ᠠ\u180bᠠ'],
  ])('removes %s, because an invisible neighbour justifies no invisible character', (_what, text, expected) => {
    expect(cleanText(text)).toBe(expected)
  })

  it('makes all line ends the same', () => {
    expect(cleaned('a\r\nb\rc\u2028d')).toEqual({ text: 'a\nb\nc\nd', invisible: 0, escapes: 0 })
  })

  it('takes linear time for hostile texts', () => {
    const start = performance.now()
    const parts = [
      '\u009d',
      '\u001b]',
      '\u001b[',
      '\u200d',
      '\u001b ',
      '\u{e0041}',
      '\u180b',
      '\u17b4\u200c',
      'ت\u200c',
    ]
    for (const part of parts) cleanText(part.repeat(200_000))
    expect(performance.now() - start).toBeLessThan(2_000)
  })

  const hidden = ['\u001b', '\u200b', '\u200c', '\u200d', '\u061c', '\u17b4', '\u17b5', '\u180b', '\u180c', '\u180e']
  const selectors = ['\ufe00', '\ufe0e', '\ufe0f', '\u{e0100}', '\u{e01ef}', '\u{e0041}']
  const visible = [
    '[',
    '31m',
    ']',
    'a',
    '\r',
    '1',
    '\u20e3',
    'ت',
    'क',
    'ᠠ',
    'ខ',
    '葛',
    '👩',
    '\u{1f3fd}',
    '+',
    '\u0600',
  ]
  const part = fc.constantFrom(...hidden, '\u0007', ...selectors, ...visible)
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(part).map((all) => all.join('')),
  )

  it('leaves nothing that a second pass would remove', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = cleanText(text)
        expect(countUnseen(once)).toBe(0)
        expect(cleanText(once)).toBe(once)
      }),
      { numRuns: 1_000 },
    )
  })

  it('leaves no two invisible characters side by side, except inside an emoji of several parts', () => {
    const signs = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/gu
    const emoji = /(?<=\p{ExtPict})\ufe0f\u200d(?=\p{ExtPict})/gu
    fc.assert(
      fc.property(texts, (text) => {
        const rest = cleanText(text).replace(signs, 'x').replace(emoji, '')
        expect(rest).not.toMatch(/(?:[^\P{Cc}\n\t]|\p{Cf}|\p{DI}){2}/u)
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('cleanValue', () => {
  it('cleans all strings, but neither keys nor a request state', () => {
    const value = { a: ['x\u200b'], 'k\u200by': { requestState: 's\u200b', n: 1 } }
    expect(cleanValue(value)).toEqual({ a: ['x'], 'k\u200by': { requestState: 's\u200b', n: 1 } })
  })

  it('returns the same object if there is nothing to remove', () => {
    const value = { a: ['x'], b: { c: null } }
    expect(cleanValue(value)).toBe(value)
  })
})

it('escapeUnseen replaces invisible characters and line ends with escapes', () => {
  expect(escapeUnseen('a\u{e0041}\u200b\u001b\n')).toBe('a\\u{e0041}\\u{200b}\\u{1b}\\n')
})
