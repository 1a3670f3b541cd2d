import { describe, expect, it } from 'vitest'
import { parseType } from '../../../bench/parse-type.ts'
import { createSchemaReader } from './schema-reader.ts'
import { type TypeDetail, typeText } from './type-text.ts'

const everything: TypeDetail = { maxChars: 2_000, optionalDepth: 12, maxOptional: 100, commentChars: 60 }

function textOf(schema: unknown, { isRequired = true, detail = everything, root = schema } = {}): string {
  const { text } = typeText({ name: 'it', schema, isRequired }, createSchemaReader(root), detail)
  expect(() => parseType(text), text).not.toThrow()
  return text
}

const object = (properties: Record<string, unknown>, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
})

describe('typeText', () => {
  it.each([
    [{ type: 'string' }, 'string'],
    [{ type: 'string', format: 'date-time' }, 'string date-time'],
    [{ type: 'string', format: 'date-time', pattern: '^\\d{4}-.*$' }, 'string date-time'],
    [{ type: 'string', format: 'uri', pattern: '^https://' }, 'string uri /^https:\\/\\//'],
    [{ type: 'string', pattern: 'a\\\nb\n/\\\\' }, 'string /a\\nb\\n\\/\\\\/'],
    [{ type: 'string', pattern: '^[a-z]+$', minLength: 1, maxLength: 64 }, 'string /^[a-z]+$/ 1..64 chars'],
    [{ type: 'string', minLength: 1 }, 'string >=1 chars'],
    [{ type: 'string', minLength: 0, maxLength: 5 }, 'string <=5 chars'],
    [{ type: 'string', minLength: 4, maxLength: 4 }, 'string 4 chars'],
    [{ type: 'integer', minimum: 1, maximum: 100, default: 10 }, 'integer 1..100 = 10'],
    [{ type: 'number', minimum: 0 }, 'number >=0'],
    [{ type: 'number', exclusiveMinimum: 0, maximum: 1 }, 'number >0 <=1'],
    [{ type: 'integer', minimum: 1, exclusiveMinimum: true }, 'integer >1'],
    [{ type: 'integer', minimum: -9007199254740991, maximum: 2147483647 }, 'integer'],
    [{ type: 'integer', minimum: 0, multipleOf: 5 }, 'integer >=0 multiple of 5'],
    [{ type: 'boolean', default: false }, 'boolean = false'],
    [{ type: 'string', enum: ['open', 'closed'], default: 'open' }, "'open'|'closed' = 'open'"],
    [{ enum: [1, 2, null, true] }, '1|2|null|true'],
    [{ const: "it's" }, "'it\\'s'"],
    [{ const: { a: [1, 'x'] } }, "{a: [1, 'x']}"],
    [{ type: ['string', 'null'] }, 'string|null'],
    [{ type: 'string', nullable: true }, 'string|null'],
    [{ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }, 'string|string[]'],
    [{ oneOf: [{ const: 'a' }, { const: 'b' }] }, "'a'|'b'"],
    [
      {
        allOf: [
          { type: 'integer', minimum: 0 },
          { type: 'number', maximum: 50 },
        ],
      },
      'integer 0..50',
    ],
    [{ type: 'array' }, 'any[]'],
    [{ type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 5 }, 'string[] 1..5 items'],
    [{ type: 'array', items: { enum: ['a', 'b'] }, uniqueItems: true }, "('a'|'b')[] unique"],
    [{ type: 'array', items: { type: 'integer', minimum: 1 } }, '(integer >=1)[]'],
    [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false }, '[string, number]'],
    [{ type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'number' } }, '[string, ...number[]]'],
    [{ type: 'object' }, 'object'],
    [{ type: 'object', additionalProperties: false }, '{}'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, '{[key]: number}'],
    [{ type: 'object', additionalProperties: {}, propertyNames: { type: 'string' } }, 'object'],
    [{ type: 'object', patternProperties: { '^x-': { type: 'string' } } }, '{[key: string /^x-/]: string}'],
    [{ type: 'object', minProperties: 1 }, 'object >=1 keys'],
    [{ additionalProperties: { type: 'number' }, propertyNames: { enum: ['a', 'b'] } }, "{[key: 'a'|'b']: number}"],
    [{}, 'any'],
    [true, 'any'],
    [false, 'never'],
    [{ type: ['string', 'number', 'boolean', 'object', 'array', 'null'] }, 'any'],
    [{ pattern: '^a' }, 'string /^a/'],
    [{ properties: { a: { type: 'string' } } }, '{a?: string}'],
    [{ type: 'string', enum: [] }, 'string'],
  ])('prints the schema %j as the type %s', (schema, text) => {
    expect(textOf(schema)).toBe(text)
  })

  it('prints nested objects with the required fields first, and with descriptions', () => {
    const address = object({ zip: { type: 'string', description: 'Five digits' }, street: { type: 'string' } }, [
      'street',
    ])
    expect(textOf({ type: 'array', items: address })).toBe('{street: string, zip?: string /* Five digits */}[]')
  })

  it('quotes names that could not be parsed back', () => {
    expect(textOf(object({ 'a b': { type: 'string' }, 'x-y.z': { type: 'string' } }))).toBe(
      "{'a b'?: string, x-y.z?: string}",
    )
  })

  it('prints a required field that the schema does not describe', () => {
    expect(textOf({ type: 'object', required: ['id'] })).toBe('{id: any}')
  })

  it('leaves out null if an absent field means the same', () => {
    const schema = { anyOf: [{ type: 'string' }, { type: 'null' }], default: null }
    expect(textOf(schema, { isRequired: false })).toBe('string')
    expect(textOf(schema)).toBe('string|null')
  })

  it('follows references, even with other keywords next to them', () => {
    const root = { $defs: { id: { type: 'string', minLength: 2 }, 'a/b': { type: 'integer' } } }
    expect(textOf({ $ref: '#/$defs/id' }, { root })).toBe('string >=2 chars')
    expect(textOf({ $ref: '#/$defs/a~1b', maximum: 5 }, { root })).toBe('integer <=5')
    expect(textOf({ $ref: '#/$defs/id', default: 'ab' }, { root })).toBe("string >=2 chars = 'ab'")
  })

  it('marks a recursion with …', () => {
    const root = {
      $defs: { tree: object({ name: { type: 'string' }, in: { type: 'array', items: { $ref: '#/$defs/tree' } } }) },
    }
    expect(textOf({ $ref: '#/$defs/tree' }, { root })).toBe('{name?: string, in?: …[]}')
  })

  it('marks an unresolved reference and a condition that a type cannot express', () => {
    expect(textOf({ $ref: 'https://example.com/schema' })).toBe('any …')
    expect(textOf({ type: 'string', not: { const: 'x' } })).toBe('string …')
  })

  it('shows the number of values and fields that it leaves out', () => {
    const values = Array.from({ length: 500 }, (_, index) => `value-${index}`)
    expect(textOf({ enum: values })).toMatch(/^'value-0'\|.*\|…\+4\d\d$/)
    const nested = object({ inner: object({ a: {}, b: {}, c: { type: 'string' } }, ['c']) })
    expect(textOf(nested, { detail: { ...everything, optionalDepth: 1 } })).toBe('{inner?: {c: string, …+2}}')
    expect(textOf(nested, { detail: { ...everything, maxOptional: 1 } })).toBe('{inner?: {c: string, …+2}}')
  })

  it('keeps required fields even if the limit cuts the optional ones', () => {
    const names = Array.from({ length: 12 }, (_, index) => `field${index}`)
    const all = object(Object.fromEntries(names.map((name) => [name, { type: 'string' }])), names.slice(6))
    const text = textOf(all, { detail: { ...everything, maxChars: 60 } })
    for (const name of names.slice(6)) expect(text).toContain(`${name}: string`)
    expect(text).toContain('…+6')
  })

  it('does not print a pattern that is too long or not a regular expression', () => {
    expect(textOf({ type: 'string', pattern: `^${'a?'.repeat(200)}$` })).toBe('string /…/')
    expect(textOf({ type: 'string', pattern: '*/ = 5' })).toBe('string /…/')
    expect(textOf({ type: 'string', pattern: 'a\\' })).toBe('string /…/')
  })

  it('changes a */ in a description, because it would end the comment', () => {
    expect(textOf(object({ a: { type: 'string', description: 'One */ here' } }))).toBe(
      '{a?: string /* One * / here */}',
    )
  })
})
