import { describe, expect, it } from 'vitest'
import { createSchemaValidator } from '../json-schema.ts'
import { exampleArguments } from './example-arguments.ts'

const validator = createSchemaValidator()

async function exampleOf(schema: unknown): Promise<unknown> {
  const root = { type: 'object', properties: { it: schema }, required: ['it'] }
  const args = exampleArguments(root)
  expect(await validator.validate(root, args)).toMatchObject({ ok: true })
  return args.it
}

describe('exampleArguments', () => {
  it('gives the required arguments and no others', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      required: ['b', 'c'],
    }
    expect(exampleArguments(schema)).toEqual({ b: 'example', c: 'example' })
    expect(exampleArguments({ type: 'object' })).toEqual({})
  })

  it.each([
    [{ type: 'string' }, 'example'],
    [{ type: 'string', examples: ['owner/repo'] }, 'owner/repo'],
    [{ type: 'string', default: 'main' }, 'main'],
    [{ type: 'string', examples: [5], default: null }, 'example'],
    [{ type: 'array', items: { enum: ['High'] }, default: ['high'] }, ['High']],
    [{ enum: ['open', 'closed'] }, 'open'],
    [{ const: 5 }, 5],
    [{ type: 'string', format: 'date-time' }, '2025-01-31T09:30:00Z'],
    [{ type: 'string', format: 'email', pattern: '^(?!x)[a-z]+@[a-z.]+$' }, 'name@example.com'],
    [{ type: 'string', format: 'uri', pattern: '^https://' }, 'https://example.com'],
    [{ type: 'string', pattern: '^[a-f0-9]{8}$' }, 'aaaaaaaa'],
    [{ type: 'string', minLength: 10 }, 'exampleexa'],
    [{ type: 'string', maxLength: 3 }, 'exa'],
    [{ type: 'integer' }, 1],
    [{ type: 'integer', minimum: 5, multipleOf: 4 }, 8],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
    [{ type: 'integer', maximum: -3 }, -3],
    [{ type: 'boolean' }, true],
    [{ type: 'array', items: { type: 'integer' }, minItems: 2, uniqueItems: true }, [1, 2]],
    [{ type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 2, uniqueItems: true }, ['a', 'b']],
    [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'boolean' }], items: false }, ['example', true]],
    [{ type: 'object', additionalProperties: { type: 'integer' }, minProperties: 1 }, { example: 1 }],
    [{ type: ['null', 'string'] }, 'example'],
    [
      { oneOf: [{ type: 'object', required: ['a'], properties: { a: { const: 'x' } } }, { type: 'string' }] },
      { a: 'x' },
    ],
    [{ allOf: [{ type: 'integer' }, { minimum: 7 }] }, 7],
    [true, 'example'],
  ])('makes a valid argument for %j: %j', async (schema, expected) => {
    expect(await exampleOf(schema)).toEqual(expected)
  })

  it('ends a recursion after a limited number of levels', () => {
    const tree = {
      type: 'object',
      properties: { in: { type: 'array', items: { $ref: '#/$defs/tree' } } },
      required: ['in'],
    }
    const text = JSON.stringify(
      exampleArguments({
        type: 'object',
        properties: { it: { $ref: '#/$defs/tree' } },
        required: ['it'],
        $defs: { tree },
      }),
    )
    expect(text).toMatch(/^\{"it":\{"in":\[.*\]\}\}$/)
    expect(text.length).toBeLessThan(200)
  })

  it('returns an empty object for a schema that no value fits', () => {
    expect(exampleArguments({ properties: { a: { $ref: '#' } }, required: ['a'] })).toEqual({})
    expect(exampleArguments({ properties: { a: false }, required: ['a'] })).toEqual({})
  })

  it('invents no secrets: each made-up text contains the word example', () => {
    const properties = { api_key: { type: 'string' }, password: { type: 'string', minLength: 12 } }
    const made = exampleArguments({ type: 'object', properties, required: ['api_key', 'password'] })
    for (const value of Object.values(made)) expect(value).toContain('example')
  })
})
