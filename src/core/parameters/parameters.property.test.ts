import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildArguments } from '../../../bench/build-arguments.ts'
import { parseType } from '../../../bench/parse-type.ts'
import { createSchemaValidator } from '../json-schema.ts'
import type { JsonSchema } from '../tool.ts'
import { hostileSchemas, soundSchemas } from './any-schema.fixture.ts'
import { exampleArguments } from './example-arguments.ts'
import { parametersOf } from './parameters.ts'
import { signature } from './signature.ts'

// These functions get parsed JSON. The type `JsonSchema` does not guarantee more than that.
const asSchema = (value: unknown) => value as JsonSchema

describe('hostile schemas', () => {
  it('a hostile schema gives a list of parameters and a signature of bounded size, and an object of example arguments', () => {
    fc.assert(
      fc.property(hostileSchemas, (schema) => {
        const list = parametersOf(asSchema(schema))
        expect(JSON.stringify(list).length).toBeLessThan(40_000)
        expect(signature('tool', asSchema(schema)).length).toBeLessThan(2_000)
        expect(JSON.parse(JSON.stringify(exampleArguments(asSchema(schema))))).toBeTypeOf('object')
      }),
      { numRuns: 150 },
    )
  })

  it('a hostile schema gives types that parseType can parse', () => {
    fc.assert(
      fc.property(hostileSchemas, (schema) => {
        const { parameters, oneOf = [] } = parametersOf(asSchema(schema))
        for (const text of [...parameters.map(({ type }) => type), ...oneOf]) {
          expect(() => parseType(text), text).not.toThrow()
        }
      }),
      { numRuns: 150 },
    )
  })

  it('a hostile schema and its copy give the same parameters and the same example arguments', () => {
    fc.assert(
      fc.property(hostileSchemas, (schema) => {
        const copy = asSchema(structuredClone(schema))
        expect(parametersOf(asSchema(schema))).toEqual(parametersOf(copy))
        expect(exampleArguments(asSchema(schema))).toEqual(exampleArguments(copy))
      }),
      { numRuns: 60 },
    )
  })
})

describe('schemas that some value fits', () => {
  const validator = createSchemaValidator()
  const issuesOf = async (schema: JsonSchema, args: unknown) => {
    const checked = await validator.validate(schema, args)
    return checked.ok ? [] : checked.issues
  }

  it.each(['required', 'all'] as const)(
    'a valid schema accepts arguments built from the parameter list alone, with %s parameters',
    async (filled) => {
      await fc.assert(
        fc.asyncProperty(soundSchemas, async (schema) => {
          const args = buildArguments(JSON.parse(JSON.stringify(parametersOf(schema))), filled)
          expect(await issuesOf(schema, args), JSON.stringify({ args, list: parametersOf(schema) })).toEqual([])
        }),
        { numRuns: 60 },
      )
    },
  )

  it('a valid schema accepts its example arguments', async () => {
    await fc.assert(
      fc.asyncProperty(soundSchemas, async (schema) => {
        expect(await issuesOf(schema, exampleArguments(schema))).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})
