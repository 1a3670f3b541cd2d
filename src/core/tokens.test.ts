import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { loadTokenCounter } from './tokens.ts'

describe('loadTokenCounter', () => {
  it('counts tokens in the o200k encoding', async () => {
    const count = await loadTokenCounter()
    expect(count('')).toBe(0)
    expect(count('hello world')).toBe(2)
    // One token in o200k_base, six in cl100k_base: this distinguishes the encodings.
    expect(count(' самостоятельно')).toBe(1)
  })

  it('loads the counter only once for repeated and concurrent calls', async () => {
    const [first, second] = await Promise.all([loadTokenCounter(), loadTokenCounter()])
    expect(second).toBe(first)
    expect(await loadTokenCounter()).toBe(first)
  })

  it('counts at least one token for non-empty text, and at most one per byte', async () => {
    const count = await loadTokenCounter()
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
        expect(count(text)).toBeGreaterThanOrEqual(1)
        expect(count(text)).toBeLessThanOrEqual(Buffer.byteLength(text))
      }),
    )
  })

  it('counts special tokens such as <|endoftext|> as ordinary text', async () => {
    const count = await loadTokenCounter()
    expect(count('Ends at <|endoftext|> or <|endofprompt|>.')).toBeGreaterThan(4)
  })

  it('counts long text with breaks exactly as the tokenizer does', async () => {
    const count = await loadTokenCounter()
    const words = fc.constantFrom('the', 'Straße', "it's", '1234', '{"a":', '\n\n', 'être,', '漢字。', '  ', '| --- |')
    fc.assert(
      fc.property(fc.array(words, { minLength: 1 }), fc.nat(60), (parts, repeats) => {
        const text = `one ${parts.join(' ')} `.repeat(repeats)
        expect(count(text)).toBe(countTokens(text))
      }),
    )
  })

  it.each([
    ['letters', 'loremipsum'.repeat(30_000)],
    ['Chinese', '漢字'.repeat(50_000)],
    ['spaces', ' '.repeat(300_000)],
    ['emoji', '👩‍🚀'.repeat(20_000)],
    ['punctuation', '-=+'.repeat(100_000)],
  ])('estimates the tokens of one very long run of %s', async (_, text) => {
    const count = await loadTokenCounter()
    const sample = text.slice(0, 2_000)
    const expected = (countTokens(sample) / sample.length) * text.length
    expect(count(text)).toBeGreaterThan(expected * 0.8)
    // The upper limit is wider, because a run is counted in parts, and a cut can split a token of up to 128 characters.
    expect(count(text)).toBeLessThan(expected * 1.5)
  })
})
