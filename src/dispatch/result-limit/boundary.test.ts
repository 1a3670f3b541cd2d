import { describe, expect, it } from 'vitest'
import { findBoundary, type Layout, looksLikeJson } from './boundary.ts'

const prose: Layout = { ends: [], isJson: false }
const json: Layout = { ends: [], isJson: true }

/** The text before the cut. */
function headOf(text: string, layout = prose, from = 0): string {
  return text.slice(0, findBoundary(text, from, text.length, layout))
}

describe('findBoundary', () => {
  it.each([
    ['a paragraph rather than a line', 'One.\n\nTwo.\nThree. Four fi', 'One.\n\n'],
    ['a paragraph with Windows line endings', 'One.\r\n\r\nTwo\r\nThr', 'One.\r\n\r\n'],
    ['a line rather than a sentence', 'One. Two\nThree. Four fi', 'One. Two\n'],
    ['a sentence rather than a word', 'One two. Three fo', 'One two. '],
    ['a sentence that ends in a quote', 'He said "no." Then he le', 'He said "no." '],
    ['a sentence without spaces', '一句话。第二', '一句话。'],
    ['a word if there is no better place', 'one two thr', 'one two '],
    ['the last character if there is no other place', 'abcdef', 'abcdef'],
  ])('cuts after %s', (_, text, expected) => {
    expect(headOf(text)).toBe(expected)
  })

  it.each([
    ['a line', '[\n  {"a": 1},\n  {"b"', '[\n  {"a": 1},\n'],
    ['an element that is an object', '[{"a":"x, y"},{"b":"z","c', '[{"a":"x, y"},'],
    ['an element that is a list', '[[1,2],[3,4', '[[1,2],'],
    ['a string', '["a b","c d","e f', '["a b","c d",'],
    ['a number', '[1,22,33', '[1,22,'],
    ['a word', '{"text":"some words he', '{"text":"some words '],
  ])('cuts JSON after %s', (_, text, expected) => {
    expect(headOf(text, json)).toBe(expected)
  })

  it('cuts at the end of a block if there is one', () => {
    expect(headOf('One.\n\nTwo. Three', { ends: [3, 6, 9, 40], isJson: false })).toBe('One.\n\nTwo')
  })

  it('does not cut before `from`', () => {
    expect(headOf('One.\n\nTwo three', prose, 6)).toBe('One.\n\nTwo ')
    expect(headOf('One.\n\nTwo three', { ends: [6], isJson: false }, 6)).toBe('One.\n\nTwo ')
    expect(headOf('One.\n\nTwo three', prose, 11)).toBe('One.\n\nTwo three')
  })
})

describe('looksLikeJson', () => {
  it('decides by the first character that is not a space', () => {
    expect(['{"a":1}', ' \n[1]', '[cut', '"text"', 'text', ''].map(looksLikeJson)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ])
  })
})
