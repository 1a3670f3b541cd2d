// Schemas for tests: hostile ones that are arbitrary JSON, and valid ones as a careful author writes them.

import fc from 'fast-check'
import type { JsonSchema } from '../tool.ts'

const names = fc.oneof(
  fc.constantFrom(..."a b id __proto__ constructor toString it's [key] … x-y $ref".split(' '), 'a b', ''),
  fc.string({ maxLength: 8 }),
)
const references = fc.constantFrom('#', '#/$defs/a', '#/$defs/b', '#/properties/a', '#/nope', '#anchor', '#/%zz', 'x:y')
const garbage = fc.jsonValue({ maxDepth: 2 })
const typeNames = fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'array', 'object')

function mostly(sound: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 5, arbitrary: sound }, { weight: 1, arbitrary: garbage })
}

/** Any JSON in place of a schema. Most values have some schema keywords. */
export const hostileSchemas: fc.Arbitrary<unknown> = fc.letrec((tie) => {
  const schema = tie('schema')
  const list = fc.array(schema, { maxLength: 3 })
  const fields = fc.dictionary(names, schema, { maxKeys: 4 })
  const keywords: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    type: fc.oneof(typeNames, fc.array(typeNames, { maxLength: 4 })),
    properties: fields,
    patternProperties: fields,
    required: fc.array(names, { maxLength: 4 }),
    additionalProperties: schema,
    propertyNames: schema,
    items: fc.oneof(schema, list),
    prefixItems: list,
    anyOf: list,
    oneOf: list,
    allOf: list,
    not: schema,
    $ref: references,
    enum: fc.array(garbage, { maxLength: 4 }),
    const: garbage,
    default: garbage,
    examples: fc.array(garbage, { maxLength: 2 }),
    description: fc.string(),
    format: fc.string(),
    pattern: fc.string(),
    minLength: fc.integer(),
    maxLength: fc.integer(),
    minimum: fc.double(),
    maximum: fc.double(),
    exclusiveMinimum: fc.double(),
    multipleOf: fc.double(),
    minItems: fc.integer(),
    maxItems: fc.integer(),
    uniqueItems: fc.boolean(),
    minProperties: fc.integer(),
    nullable: fc.boolean(),
  }
  const entries = Object.entries(keywords).map(([keyword, value]) => fc.tuple(fc.constant(keyword), mostly(value)))
  const leaf = fc.oneof(fc.boolean(), garbage, fc.record({ $ref: references }))
  const inner = fc.array(fc.oneof(...entries), { maxLength: 6 }).map((pairs) => Object.fromEntries(pairs))
  return {
    schema: fc.oneof({ maxDepth: 4, depthSize: 'small' }, leaf, inner),
    root: fc
      .tuple(fields, fc.array(names, { maxLength: 4 }), inner, schema, schema)
      .map(([properties, required, more, a, b]) => ({ properties, required, ...more, $defs: { a, b } })),
  }
}).root

const soundNames = fc.constantFrom('a', 'b', 'c', 'some-name', 'x.y', 'it is', "it's", 'constructor')
const literals = fc.oneof(fc.string({ maxLength: 12 }), fc.integer(), fc.boolean(), fc.constant(null))

const strings = fc.oneof(
  fc.constant({ type: 'string' }),
  fc.constantFrom('date-time', 'email', 'uuid', 'uri', 'ipv4').map((format) => ({ type: 'string', format })),
  fc
    .constantFrom('^[a-z]+$', '^\\d{3}-\\d{2}$', '^(a|b)/c$', '^v\\d+(\\.\\d+)*$')
    .map((pattern) => ({ type: 'string', pattern })),
  fc
    .tuple(fc.nat(20), fc.nat(20))
    .map(([low, extra]) => ({ type: 'string', minLength: low, maxLength: low + extra + 1 })),
)
const numbers = fc.oneof(
  fc.constantFrom('integer', 'number').map((type) => ({ type })),
  fc
    .tuple(fc.constantFrom('integer', 'number'), fc.integer({ min: -1000, max: 1000 }), fc.nat(50))
    .map(([type, minimum, extra]) => ({ type, minimum, maximum: minimum + extra })),
  fc.integer({ min: -100, max: 100 }).map((exclusiveMinimum) => ({ type: 'integer', exclusiveMinimum })),
  fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.nat(50))
    .map(([multipleOf, minimum]) => ({ type: 'integer', multipleOf, minimum })),
)

const soundTypes = fc.letrec((tie) => {
  const schema = tie('schema')
  return {
    schema: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.oneof(
        strings,
        numbers,
        fc.constantFrom(
          { type: 'boolean' },
          { type: 'null' },
          {},
          true,
          { $ref: '#/$defs/tree' },
          { $ref: '#/$defs/text' },
        ),
        fc.uniqueArray(literals, { minLength: 1, maxLength: 4 }).map((values) => ({ enum: values })),
        literals.map((value) => ({ const: value })),
      ),
      fc.tuple(schema, fc.nat(2)).map(([items, minItems]) => ({ type: 'array', items, minItems })),
      fc.array(schema, { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
      schema.map((additionalProperties) => ({ type: 'object', additionalProperties })),
      tie('object'),
    ),
    object: fc
      .tuple(
        fc.uniqueArray(fc.tuple(soundNames, schema, fc.boolean()), { maxLength: 4, selector: ([name]) => name }),
        fc.boolean(),
      )
      .map(([fields, isOpen]) => ({
        type: 'object',
        properties: Object.fromEntries(fields.map(([name, field]) => [name, field])),
        required: fields.filter(([, , isRequired]) => isRequired).map(([name]) => name),
        ...(isOpen ? {} : { additionalProperties: false }),
      })),
  }
})

/** Argument schemas that accept at least one value. */
export const soundSchemas: fc.Arbitrary<JsonSchema> = soundTypes.object.map((object) => ({
  // The `map` above returns an object schema.
  ...(object as JsonSchema),
  $defs: {
    text: { type: 'string', minLength: 2 },
    tree: {
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
      required: ['name'],
    },
  },
}))
