import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exampleOfPattern } from './example-pattern.ts'

describe('exampleOfPattern', () => {
  it.each([
    ['^[a-zA-Z0-9_-]+$', 'example'],
    ['^[A-Z_]+$', 'EXAMPLE'],
    ['^\\d{4}-\\d{2}-\\d{2}$', '1111-11-11'],
    ['^\\d+px$', '1px'],
    ['^#[0-9A-Fa-f]{6}$', '#aaaaaa'],
    ['^(pid|tag)!?=.+$', 'pid=example'],
    ['^[^=]+=[^=]+$', 'example=example'],
    ['^https?:\\/\\/', 'http://'],
    ['^(?!\\.)[a-z.]+\\.(png|svg)$', 'example.png'],
    ['^(a|b),\\1$', 'a,a'],
    ['^(?<year>\\d{4})$', '1111'],
    ['^\\x41\\u0042$', 'AB'],
    ['\\S', 'a'],
    ['', ''],
  ])('makes a matching text for the pattern %s: %s', (pattern, text) => {
    expect(exampleOfPattern(pattern)).toBe(text)
    expect(text).toMatch(new RegExp(pattern))
  })

  it.each([
    ['^[0-9a-f]+$', 24, 24],
    ['^[a-z0-9][a-z0-9-]*$', 10, 12],
    ['^[a-zA-Z0-9_-]+$', 1, 4],
    ['^.*$', 2, 80],
  ])('makes a matching text for the pattern %s with %i to %i characters', (pattern, min, max) => {
    const text = exampleOfPattern(pattern, { min, max })
    expect(text).toMatch(new RegExp(pattern))
    expect(text?.length).toBeGreaterThanOrEqual(min)
    expect(text?.length).toBeLessThanOrEqual(max)
  })

  it.each(['(', '[a', 'a{2000}', '(?>a)', '*', `${'('.repeat(100)}a${')'.repeat(100)}`, 'a'.repeat(1000), '\\'])(
    'returns undefined for the pattern %s',
    (pattern) => {
      expect(exampleOfPattern(pattern)).toBeUndefined()
    },
  )

  it('makes at most 500 characters for any pattern, and does not throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[ab()[\]{}|*+?^$.\\0-9,-]{0,40}$/)), (pattern) => {
        expect(exampleOfPattern(pattern, { min: 3 })?.length ?? 0).toBeLessThanOrEqual(500)
      }),
      { numRuns: 500 },
    )
  })
})
