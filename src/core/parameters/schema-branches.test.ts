import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSchemaValidator } from '../json-schema.ts'
import type { JsonSchema } from '../tool.ts'
import { mergeSchemas } from './schema-branches.ts'

const number = fc.integer({ min: -3, max: 3 })
const small = fc.nat(3)
const leaves = fc.oneof(number, fc.constantFrom('', 'a', 'ab', 'abcd', null))
const types = fc.uniqueArray(fc.constantFrom('string', 'integer', 'number', 'array', 'object', 'null'), {
  minLength: 1,
})
const simple = fc.record(
  {
    type: types,
    enum: fc.uniqueArray(fc.oneof(number, fc.constantFrom('a', 'ab', null)), { minLength: 1, maxLength: 4 }),
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    minLength: small,
    maxLength: small,
    minItems: small,
    maxItems: small,
    minProperties: small,
    maxProperties: small,
  },
  { requiredKeys: [] },
)
const schemas: fc.Arbitrary<JsonSchema> = fc.oneof(
  simple,
  fc.record({ const: leaves }),
  fc.record({
    properties: fc.dictionary(fc.constantFrom('a', 'b'), simple),
    required: fc.subarray(['a', 'b']),
    items: simple,
  }),
)
const values = fc.oneof(
  leaves,
  fc.array(leaves, { maxLength: 4 }),
  fc.dictionary(fc.constantFrom('a', 'b', 'c'), leaves),
)

describe('mergeSchemas', () => {
  const validator = createSchemaValidator()

  it('returns a schema that accepts exactly the values that both schemas accept', async () => {
    await fc.assert(
      fc.asyncProperty(
        schemas,
        schemas,
        fc.array(values, { minLength: 5, maxLength: 5 }),
        async (inner, outer, tried) => {
          const merged = mergeSchemas(inner, outer)?.schema ?? { not: {} }
          for (const value of tried) {
            const { ok } = await validator.validate({ allOf: [inner, outer] }, value)
            expect((await validator.validate(merged, value)).ok, JSON.stringify({ merged, value })).toBe(ok)
          }
        },
      ),
      { numRuns: 50 },
    )
  })

  it('sets isWhole to false if it keeps only one of two patterns, but not for descriptions', () => {
    expect(mergeSchemas({ pattern: '^a' }, { pattern: 'b$' })).toEqual({ schema: { pattern: 'b$' }, isWhole: false })
    expect(mergeSchemas({ description: 'of the type' }, { description: 'of the field' })).toEqual({
      schema: { description: 'of the field' },
      isWhole: true,
    })
  })

  it('returns undefined if the schemas have no type or no listed value in common', () => {
    expect(mergeSchemas({ type: 'string' }, { type: ['number', 'null'] })).toBeUndefined()
    expect(mergeSchemas({ const: 1 }, { enum: [2, 3] })).toBeUndefined()
  })
})
