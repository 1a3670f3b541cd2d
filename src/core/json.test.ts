import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extentOf, resolvePointer } from './json.ts'

describe('resolvePointer', () => {
  it.each([
    ['#', { a: 1 }, { a: 1 }],
    ['#/a', { a: 1 }, 1],
    ['#/a/1', { a: [1, 2] }, 2],
    ['#/a~1b/c~0d', { 'a/b': { 'c~d': 1 } }, 1],
    ['#/a%2Fb', { 'a/b': 1, a: { b: 2 } }, 1],
    ['#/a%20b', { 'a b': 1 }, 1],
    ['#/a%zz', { 'a%zz': 1 }, 1],
    ['#/', { '': 1 }, 1],
  ])('finds the target of %s in %j: %j', (reference, root, target) => {
    expect(resolvePointer(reference, root)).toEqual(target)
  })

  it.each(['#/b', '#/a/b', '#/toString', '#/__proto__', '#anchor', 'a', 'https://example.com/#/a', ''])(
    'finds no target for %j',
    (reference) => {
      expect(resolvePointer(reference, { a: 1 })).toBeUndefined()
    },
  )

  it('finds any key that is escaped as RFC 6901 describes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (key) => {
        const part = encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
        expect(resolvePointer(`#/${part}`, Object.fromEntries([[key, 'found']]))).toBe('found')
      }),
    )
  })
})

const NO_LIMITS = { maxBytes: Number.POSITIVE_INFINITY, maxLevels: Number.POSITIVE_INFINITY }

describe('extentOf', () => {
  it('gives about the size of the JSON of a value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: true }), (value) => {
        const { length } = JSON.stringify(value)
        const { bytes } = extentOf(value, NO_LIMITS)
        expect(bytes).toBeGreaterThanOrEqual(length / 8)
        expect(bytes).toBeLessThanOrEqual(length * 4 + 4)
      }),
    )
  })

  it('counts levels, and stops at the limit of levels', () => {
    let deep: unknown = {}
    for (let level = 0; level < 100_000; level++) deep = [deep]
    expect(extentOf(deep, NO_LIMITS).levels).toBe(100_000)
    expect(extentOf(deep, { ...NO_LIMITS, maxLevels: 10 }).levels).toBe(11)
    expect(extentOf('x', NO_LIMITS).levels).toBe(0)
  })

  it('stops at the limit of bytes', () => {
    const wide = Array.from({ length: 1_000 }, () => 'x'.repeat(1_000))
    const { bytes } = extentOf(wide, { ...NO_LIMITS, maxBytes: 5_000 })
    expect(bytes).toBeGreaterThan(5_000)
    expect(bytes).toBeLessThan(10_000)
  })
})
