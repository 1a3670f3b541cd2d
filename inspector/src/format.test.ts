import { describe, expect, it } from 'vitest'
import { count, duration, percent } from './format.ts'

const plain = (text: string) => text.replaceAll('\u00a0', ' ')

describe('percent', () => {
  it.each([
    [0, 5, '0 %'],
    [1, 0, '0 %'],
    [23, 1_000, '2.3 %'],
    [77, 100, '77 %'],
    [99_999, 100_000, '99.9 %'],
    [5, 5, '100 %'],
    [722, 100, '722 %'],
    [722, 1, '> 999 %'],
  ])('percent shows %d of %d as %s', (part, whole, text) => {
    expect(plain(percent(part, whole))).toBe(text)
  })
})

it('count adds the noun, in the singular for 1 and in the plural for other numbers', () => {
  expect([count(1, 'call'), count(1_200, 'call'), count(0, 'entry', 'entries')]).toEqual([
    '1 call',
    '1,200 calls',
    '0 entries',
  ])
})

it('duration shows a time in one unit: seconds, minutes, hours or days', () => {
  expect([900, 90_000, 5_400_000, 864_000_000].map((ms) => plain(duration(ms)))).toEqual([
    '1 s',
    '2 min',
    '1.5 h',
    '10 days',
  ])
})
