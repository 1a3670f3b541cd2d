import { describe, expect, it } from 'vitest'
import { namesGiven } from './names-given.ts'

describe('namesGiven', () => {
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
    expect(namesGiven(given)).toEqual(names)
  })
})
