import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beforePair, loadTokenCounter } from '../../core/tokens.ts'
import { anyText, isInsideCharacter } from './any-text.fixture.ts'
import { findBoundary, type Layout, looksLikeJson, measure } from './cut.ts'

const prose: Layout = { ends: [], isJson: false }
const json: Layout = { ends: [], isJson: true }

/** The text before the cut. */
function headOf(text: string, layout = prose, from = 0): string {
  return text.slice(0, findBoundary(text, from, text.length, layout))
}

describe('findBoundary', () => {
  it.each([
    ['a paragraph rather than a line', 'One.\n\nTwo.\nThree. Four fi', 'One.\n\n'],
    ['a paragraph with Windows line endings', 'One.\r\n\r\nTwo\r\nThr', 'One.\r\n\r\n'],
    ['a line rather than a sentence', 'One. Two\nThree. Four fi', 'One. Two\n'],
    ['a sentence rather than a word', 'One two. Three fo', 'One two. '],
    ['a sentence that ends in a quote', 'He said "no." Then he le', 'He said "no." '],
    ['a sentence without spaces', '一句话。第二', '一句话。'],
    ['a word if there is no better place', 'one two thr', 'one two '],
    ['the last character if there is no other place', 'abcdef', 'abcdef'],
  ])('cuts after %s', (_, text, expected) => {
    expect(headOf(text)).toBe(expected)
  })

  it.each([
    ['a line', '[\n  {"a": 1},\n  {"b"', '[\n  {"a": 1},\n'],
    ['an element that is an object', '[{"a":"x, y"},{"b":"z","c', '[{"a":"x, y"},'],
    ['an element that is a list', '[[1,2],[3,4', '[[1,2],'],
    ['a string', '["a b","c d","e f', '["a b","c d",'],
    ['a number', '[1,22,33', '[1,22,'],
    ['a word', '{"text":"some words he', '{"text":"some words '],
  ])('cuts JSON after %s', (_, text, expected) => {
    expect(headOf(text, json)).toBe(expected)
  })

  it('cuts at the end of a block if there is one', () => {
    expect(headOf('One.\n\nTwo. Three', { ends: [3, 6, 9, 40], isJson: false })).toBe('One.\n\nTwo')
  })

  it('does not cut before `from`', () => {
    expect(headOf('One.\n\nTwo three', prose, 6)).toBe('One.\n\nTwo ')
    expect(headOf('One.\n\nTwo three', { ends: [6], isJson: false }, 6)).toBe('One.\n\nTwo ')
    expect(headOf('One.\n\nTwo three', prose, 11)).toBe('One.\n\nTwo three')
  })
})

describe('looksLikeJson', () => {
  it('decides by the first character that is not a space', () => {
    expect(['{"a":1}', ' \n[1]', '[cut', '"text"', 'text', ''].map(looksLikeJson)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ])
  })
})

const count = await loadTokenCounter()

describe('measure', () => {
  it('gives a prefix within the limit that is never empty and never splits a character', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.integer({ min: 8, max: 300 }), fc.nat(), async (text, maxTokens, from) => {
        const start = beforePair(text, from % (text.length + 1))
        if (start === text.length) return
        const { end } = await measure(text, start, maxTokens, count)
        expect(end).toBeGreaterThan(start)
        expect(isInsideCharacter(text, end)).toBe(false)
        expect(count(text.slice(start, end))).toBeLessThanOrEqual(maxTokens)
      }),
    )
  })

  it('counts text with breaks exactly like the tokenizer, and takes as much as fits', async () => {
    // Text of spaces alone has no break: it is one run.
    const words = fc
      .array(fc.constantFrom('the', 'Straße', "it's", '1234', '{"a":', '\n\n', 'être,', '漢字。', '  '))
      .filter((parts) => parts.length === 0 || parts.some((part) => part.trim() !== ''))
    await fc.assert(
      fc.asyncProperty(words, fc.nat(40), async (parts, repeats) => {
        const text = `${parts.join(' ')} `.repeat(repeats)
        const all = count(text)
        const exact = await measure(text, 0, Math.max(1, all), count)
        expect(exact.end).toBe(text.length)
        expect(exact.tokensAt(text.length)).toBe(all)
        if (all < 2) return
        const less = await measure(text, 0, all - 1, count)
        expect(less.end).toBeLessThan(text.length)
        expect(less.tokensAt(less.end)).toBe(count(text.slice(0, less.end)))
      }),
    )
  })

  it('gives a prefix that is less than ten characters shorter than the longest possible one', async () => {
    const text = 'A line of words, then another; nothing odd about it.\n'.repeat(30)
    for (const maxTokens of [1, 2, 17, 100, 333]) {
      let furthest = 0
      for (let end = 1; end <= text.length; end++) if (count(text.slice(0, end)) <= maxTokens) furthest = end
      const { end } = await measure(text, 0, maxTokens, count)
      expect(end).toBeLessThanOrEqual(furthest)
      expect(furthest - end).toBeLessThan(10)
    }
  })

  it('cuts a run without breaks at most four tokens early', async () => {
    const text = `${['\n\n', '  ', '\n\n'].join(' ')} `.repeat(29)
    const all = count(text)
    expect((await measure(text, 0, all + 4, count)).end).toBe(text.length)
    const { end } = await measure(text, 0, all, count)
    expect(count(text.slice(0, end))).toBeLessThanOrEqual(all)
    expect(count(text.slice(0, end))).toBeGreaterThanOrEqual(all - 4)
  })

  it('takes one character even if it exceeds the limit', async () => {
    const { end } = await measure('🧑🏿‍🚀', 0, 1, count)
    expect(end).toBe(2)
    expect((await measure('𐎀x', 0, 1, count)).end).toBe(2)
  })

  it('reads little more than the text that it returns, in short pieces', async () => {
    for (const text of ['one two three '.repeat(200_000), '漢字'.repeat(1_000_000), 'a'.repeat(3_000_000)]) {
      let looked = 0
      let longest = 0
      const watched = (part: string) => {
        looked += part.length
        longest = Math.max(longest, part.length)
        return count(part)
      }
      const { end } = await measure(text, 0, 1_000, watched)
      expect(longest).toBeLessThanOrEqual(256)
      expect(looked).toBeLessThan(end + 3_000)
    }
  })

  it('yields to the event loop while it counts', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    await measure('word '.repeat(100_000), 0, 24_000, count)
    clearInterval(timer)
    expect(turns).toBeGreaterThan(1)
  })
})

describe('beforePair', () => {
  it('moves back from the middle of a character, and from no other position', () => {
    expect([0, 1, 2, 3].map((position) => beforePair('a😀', position))).toEqual([0, 1, 1, 3])
    expect(beforePair('\ud83d', 1)).toBe(1)
  })
})
