import { expect, it } from 'vitest'
import { findVariant } from './find-variant.ts'

const circle = { type: 'object', properties: { kind: { const: 'circle' }, radius: {} }, required: ['kind'] }
const square = { type: 'object', properties: { kind: { const: 'square' }, side: {} }, required: ['kind'] }
const text = { type: 'string' }
const numbers = { type: 'array', items: { type: 'integer' } }

it.each([
  [undefined, [text, {}], 0],
  [3, [text, { type: 'integer' }], 1],
  [1.5, [{ type: 'integer' }, { type: 'number' }], 1],
  [true, [text, { type: 'boolean' }], 1],
  ['auto', [{ type: 'integer' }, { enum: ['auto', 'off'] }], 1],
  [['a'], [numbers, { type: 'array', items: text }], 1],
  [{ kind: 'square', side: 2 }, [circle, square], 1],
  [{ side: 2 }, [circle, { type: 'object', properties: { side: {} } }], 1],
  [{ b: 1 }, [{ properties: { a: {} } }, { properties: { b: {} } }], 1],
  [{ any: 1 }, [text, { type: 'object', additionalProperties: true }], 1],
  ['a', [{ type: 'array' }, { type: ['integer', 'string'] }], 1],
  ['a', [{ type: 'integer' }, { $ref: '#/$defs/text' }], 1],
  [null, [text, numbers], 0],
])('findVariant finds the first variant that fits the value, or the first of all: %j', (value, variants, index) => {
  expect(findVariant(value, variants, { $defs: { text } })).toBe(index)
})

it('findVariant ends for variants that refer to themselves', () => {
  const root = { anyOf: [{ $ref: '#' }, { $ref: '#' }] }
  expect(findVariant('a', [{ type: 'integer' }, root], root)).toBe(1)
})
