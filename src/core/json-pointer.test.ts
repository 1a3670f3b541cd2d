import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resolvePointer } from './json-pointer.ts'

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
