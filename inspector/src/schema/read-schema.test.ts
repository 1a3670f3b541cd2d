import { describe, expect, it } from 'vitest'
import { allowsOtherFields, initialItem, initialValue, resolve, shapeOf, typeText } from './read-schema.ts'

/** The schema that `z.json()` of zod emits. */
const anyJson = {
  anyOf: [
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'null' },
    { type: 'array', items: { $ref: '#' } },
    { type: 'object', additionalProperties: { $ref: '#' } },
  ],
}

describe('typeText', () => {
  it.each([
    [{ type: 'integer' }, 'integer'],
    [{ type: 'string', format: 'email' }, 'string (email)'],
    [{ enum: ['red', 'blue'] }, '"red" | "blue"'],
    [{ type: 'array', items: { type: 'integer' } }, 'list of integer'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string'],
    [{ type: ['string', 'number'] }, 'string or number'],
    [{}, 'any'],
  ])('typeText names the type of %j', (schema, text) => {
    expect(typeText(schema, schema)).toBe(text)
  })

  it('typeText cuts the text of a type that contains itself', () => {
    expect(typeText(anyJson, anyJson)).toBe(
      'string or number or boolean or list of string or number or boolean or list of … or object or object',
    )
  })

  it('typeText cuts the text of a list that contains itself', () => {
    const lists = { type: 'array', items: { $ref: '#' } }
    expect(typeText(lists, lists)).toBe('list of list of list of list of …')
  })

  it('typeText cuts a long list of variants', () => {
    const variants = Array.from({ length: 30 }, () => ({ type: 'string' }))
    expect(typeText({ anyOf: variants }, {}).split(' or ')).toEqual([...Array.from({ length: 8 }, () => 'string'), '…'])
  })
})

describe('resolve', () => {
  it('resolve merges the parts of allOf', () => {
    const schema = {
      allOf: [{ $ref: '#/$defs/named' }, { properties: { age: { type: 'integer' } }, required: ['age'] }],
      $defs: { named: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
    }
    expect(resolve(schema, schema)).toMatchObject({
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer' } },
      required: ['name', 'age'],
    })
  })

  it('resolve ends for an allOf that refers to its own schema', () => {
    const schema = { type: 'object', allOf: [{ $ref: '#' }, { $ref: '#' }] }
    expect(resolve(schema, schema)).toEqual({ type: 'object' })
  })

  it('resolve ends quickly for definitions that each refer to the next one twice', () => {
    const definition = (at: number) => ({ allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] })
    const $defs = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`d${at}`, definition(at)]))
    expect(resolve({ $ref: '#/$defs/d0' }, { $defs })).toEqual({})
  })

  it.each(['#/%', '#/$defs/none', 'https://x.test/schema', '#/$defs/__proto__'])(
    'resolve ignores a reference that it cannot follow: %s',
    ($ref) => {
      expect(resolve({ $ref, title: 'kept' }, { $defs: {} })).toEqual({ title: 'kept' })
    },
  )

  it('resolve follows a reference with escaped characters', () => {
    const root = { $defs: { 'a/b c': { type: 'string' } } }
    expect(resolve({ $ref: '#/$defs/a~1b%20c' }, root)).toEqual({ type: 'string' })
  })
})

describe('shapeOf', () => {
  it('shapeOf ends for references that refer to each other', () => {
    const root = { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }
    expect(shapeOf({ $ref: '#/$defs/a' }, root)).toEqual({ kind: 'json' })
  })

  it('shapeOf ends for a single variant that refers to its own schema', () => {
    const schema = { anyOf: [{ $ref: '#' }] }
    expect(shapeOf(schema, schema)).toEqual({ kind: 'json' })
  })

  it('shapeOf reads several constants as a choice with their titles', () => {
    const schema = { oneOf: [{ const: 1, title: 'one' }, { const: 2 }] }
    expect(shapeOf(schema, schema)).toEqual({ kind: 'choice', values: [1, 2], names: ['one', undefined] })
  })

  it('shapeOf does not repeat the title and the description of a value in its variants', () => {
    const schema = {
      title: 'Limit',
      description: 'How many to return.',
      minimum: 1,
      anyOf: [{ type: 'integer' }, { type: 'number', title: 'Share', description: 'A part of all.' }],
    }
    expect(shapeOf(schema, schema)).toEqual({
      kind: 'variants',
      variants: [
        { type: 'integer', minimum: 1 },
        { type: 'number', minimum: 1, title: 'Share', description: 'A part of all.' },
      ],
    })
  })
})

describe('allowsOtherFields', () => {
  it.each([
    [{ type: 'object', additionalProperties: true }, true],
    [{ type: 'object', additionalProperties: { type: 'string' } }, true],
    [{ type: 'object', patternProperties: { '^x-': {} } }, true],
    [{ $ref: '#/$defs/open', $defs: { open: { type: 'object', additionalProperties: true } } }, true],
    [{ type: 'object', additionalProperties: false }, false],
    [{ type: 'object', properties: {} }, false],
  ])('allowsOtherFields reads whether a schema allows fields that it does not name: %j', (schema, allows) => {
    expect(allowsOtherFields(schema, schema)).toBe(allows)
  })
})

describe('initialValue', () => {
  it('initialValue contains defaults and the constants of required fields', () => {
    const schema = {
      type: 'object',
      properties: { kind: { const: 'box' }, size: { type: 'integer', default: 3 }, name: { type: 'string' } },
      required: ['kind', 'name'],
    }
    expect(initialValue(schema, schema)).toEqual({ kind: 'box', size: 3 })
  })

  it('initialValue ends for a required field that contains its own object', () => {
    const schema = { type: 'object', properties: { child: { $ref: '#' } }, required: ['child'] }
    expect(initialValue(schema, schema)).toEqual({})
  })
})

describe('initialItem', () => {
  it.each([
    [{ type: 'string' }, ''],
    [{ type: 'integer' }, 0],
    [{ type: 'array', items: { type: 'string' } }, []],
    [{ type: 'array' }, []],
    [{ type: 'object' }, {}],
    [{ type: 'string', default: 'x' }, 'x'],
    [{ enum: ['red', 'blue'] }, null],
  ])('initialItem starts a list item of %j with a value of its type', (schema, value) => {
    expect(initialItem(schema, schema)).toEqual(value)
  })
})
