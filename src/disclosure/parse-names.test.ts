import { describe, expect, it } from 'vitest'
import { parseNames } from './parse-names.ts'

describe('parseNames', () => {
  it.each([
    ['a', ['a']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    ['["a","b"]', ['a', 'b']],
    [' ["a"]', ['a']],
    ['[a', ['[a']],
    ['[7]', ['[7]']],
    ['[]', []],
    [[], []],
  ])('reads %j as the names %j', (given, names) => {
    expect(parseNames(given)).toEqual(names)
  })
})
