import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadTokenCounter } from './tokens.ts'

describe('loadTokenCounter', () => {
  it('counts as o200k does', async () => {
    const count = await loadTokenCounter()
    expect(count('')).toBe(0)
    expect(count('hello world')).toBe(2)
    // One token in o200k_base, six in cl100k_base: the pin that tells the encodings apart.
    expect(count(' самостоятельно')).toBe(1)
  })

  it('loads once, however often and however concurrently it is asked for', async () => {
    const [first, second] = await Promise.all([loadTokenCounter(), loadTokenCounter()])
    expect(second).toBe(first)
    expect(await loadTokenCounter()).toBe(first)
  })

  it('counts any text: at least one token where there is any, at most one per byte', async () => {
    const count = await loadTokenCounter()
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
        expect(count(text)).toBeGreaterThanOrEqual(1)
        expect(count(text)).toBeLessThanOrEqual(Buffer.byteLength(text))
      }),
    )
  })

  it("counts text that spells the tokenizer's control words", async () => {
    const count = await loadTokenCounter()
    expect(count('Ends at <|endoftext|> or <|endofprompt|>.')).toBeGreaterThan(4)
  })
})
