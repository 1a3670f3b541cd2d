import { describe, expect, it } from 'vitest'
import { namesGiven } from './names-given.ts'

describe('the names that a model gives', () => {
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
  ])('as %j are %j', (given, names) => {
    expect(namesGiven(given)).toEqual(names)
  })
})
