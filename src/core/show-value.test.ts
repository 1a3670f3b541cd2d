import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { showValue } from './show-value.ts'

describe('showValue', () => {
  it.each([
    ['soon', "'soon'"],
    ['', "''"],
    [99_999, '99999'],
    [Number.NaN, 'NaN'],
    [10n, '10n'],
    [true, 'true'],
    [undefined, 'nothing'],
    [null, 'null'],
    [[1], 'an array'],
    [{ secret: 1 }, 'an object'],
    [() => {}, 'a function'],
    [Symbol('x'), 'Symbol(x)'],
  ])('shows %o as %s', (value, text) => {
    expect(showValue(value)).toBe(text)
  })

  it('gives a short text for any value without throwing', () => {
    const throwing = {
      toString() {
        throw new Error('no')
      },
    }
    for (const value of [throwing, Object.create(null), 'x'.repeat(1_000_000), 10n ** 1_000n]) {
      expect(showValue(value).length).toBeLessThan(100)
    }
    fc.assert(fc.property(fc.anything(), (value) => showValue(value).length > 0))
  })
})
