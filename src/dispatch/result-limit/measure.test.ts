import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beforePair, loadTokenCounter } from '../../core/tokens.ts'
import { anyText, isInsideCharacter } from './any-text.fixture.ts'
import { measure } from './measure.ts'

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
