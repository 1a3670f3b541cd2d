import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSchemaValidator } from './json-schema.ts'
import type { JsonSchema } from './tool.ts'

const validator = createSchemaValidator()

async function messagesOf(schema: JsonSchema, input: unknown): Promise<string[]> {
  const checked = await validator.validate(schema, input)
  return checked.ok ? [] : checked.issues.map((issue) => issue.message)
}

/** A validator, and the list of problems that it reported. */
function withProblems(options = {}) {
  const problems: string[] = []
  const own = createSchemaValidator({ ...options, onProblem: (_schema, reason) => problems.push(reason) })
  return { validate: own.validate, problems }
}

const object = (properties: object, more: object = {}): JsonSchema => ({ type: 'object', properties, ...more })
const many = (count: number, schema: object = { type: 'string' }) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, schema]))
const list = (count: number, item: unknown): unknown[] => Array.from({ length: count }, () => item)
const email = object({ email: { type: 'string', format: 'email' } }, { required: ['email'] })

describe('a JSON Schema validator', () => {
  it('returns the input object itself, without defaults', async () => {
    const input = { email: 'a@b.co', other: 1 }
    const checked = await validator.validate(object({ n: { type: 'number', default: 3 }, email: {} }), input)
    expect(checked.ok && checked.value).toBe(input)
    expect(input).toEqual({ email: 'a@b.co', other: 1 })
  })

  it('names a missing field', async () => {
    expect(await validator.validate(email, {})).toEqual({
      ok: false,
      issues: [{ path: 'email', message: "Required field 'email' is missing" }],
    })
  })

  it('writes nested paths in JavaScript notation', async () => {
    const items = { type: 'array', items: object({ price: { type: 'number' } }, { required: ['price'] }) }
    const schema = object({ items, byId: { type: 'object', additionalProperties: { type: 'string' } } })
    expect(await validator.validate(schema, { items: [{ price: 'free' }] })).toEqual({
      ok: false,
      issues: [
        {
          path: 'items[0].price',
          message: "Field 'items[0].price': expected number, received string",
          text: 'expected number, received string',
        },
      ],
    })
    expect(await messagesOf(schema, { items: [{ price: 1 }, {}] })).toEqual([
      "Required field 'items[1].price' is missing",
    ])
    expect(await messagesOf(schema, { byId: { 0: 5, 'a/b~c': 5 } })).toEqual([
      "Field 'byId.0': expected string, received number",
      "Field 'byId.a/b~c': expected string, received number",
    ])
  })

  it('names unknown fields if the schema forbids them', async () => {
    expect(await messagesOf(object({}, { additionalProperties: false }), { x: 1, y: 2 })).toEqual([
      "Unknown field 'x'",
      "Unknown field 'y'",
    ])
    expect(await messagesOf(object({}, { unevaluatedProperties: false }), { x: 1 })).toEqual(["Unknown field 'x'"])
  })

  it.each([[undefined], [null], [5], ['text'], [[]]])(
    'reports the whole input as wrong if it is %j instead of an object',
    async (input) => {
      expect(await messagesOf(email, input)).toEqual([expect.stringMatching(/^Input: expected object, received /)])
    },
  )

  it.each([
    ['enum', { enum: ['a', 'b', 3] }, "Field 'v': expected one of 'a', 'b', '3'"],
    ['const', { const: 'a' }, 'Field \'v\': expected "a"'],
    ['format', { type: 'string', format: 'date' }, "Field 'v': is not a valid date"],
    ['pattern', { pattern: '^[0-9]+$' }, "Field 'v': does not match the pattern ^[0-9]+$"],
    ['types', { type: ['number', 'null'] }, "Field 'v': expected number or null, received string"],
    ['length', { maxLength: 1 }, "Field 'v': must NOT have more than 1 character"],
  ])('describes what is wrong with a value that violates the %s of its schema', async (_, schema, message) => {
    expect(await messagesOf(object({ v: schema }), { v: 'zz' })).toEqual([message])
  })

  it('describes what is wrong inside the only union branch that accepts the type, or lists the types', async () => {
    const tag = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }
    expect(await messagesOf(object({ tag }), { tag: ['a', 1] })).toEqual([
      "Field 'tag[1]': expected string, received number",
    ])
    expect(await messagesOf(object({ tag }), { tag: 5 })).toEqual([
      "Field 'tag': expected string or array, received number",
    ])
  })

  it('describes what is wrong in unions behind references and in unions inside unions', async () => {
    const schema = object(
      { shape: { oneOf: [{ $ref: '#/$defs/line' }, { $ref: '#/$defs/list' }] } },
      {
        $defs: {
          line: { type: 'string' },
          list: { type: 'array', items: { anyOf: [{ type: 'number' }, { type: 'null' }] } },
        },
      },
    )
    expect(await messagesOf(schema, { shape: ['x'] })).toEqual([
      "Field 'shape[0]': expected number or null, received string",
    ])
    expect(await messagesOf(schema, { shape: true })).toEqual([
      "Field 'shape': expected string or array, received boolean",
    ])
  })

  it('lists the allowed constants of a union of constants', async () => {
    const hero = {
      oneOf: [
        { const: 'a', title: 'A' },
        { const: 'b', title: 'B' },
      ],
    }
    expect(await messagesOf(object({ hero }), { hero: 'c' })).toEqual(["Field 'hero': expected one of 'a', 'b'"])
  })

  const nothing = { type: 'null' }
  const [a, b] = [{ const: 'a' }, { const: 'b' }]
  const needs = (field: string) => ({ type: 'object', required: [field] })
  const none = "Field 'v': fits none of the forms that the schema allows"
  it.each<[what: string, branches: readonly object[], v: unknown, message: string]>([
    ['several objects', [{ type: 'string' }, needs('a'), needs('b')], {}, none],
    ['several constants', [nothing, a, b], 'c', "Field 'v': expected one of 'a', 'b'"],
    [
      'several enums',
      [nothing, { enum: ['a', 'b'] }, { enum: ['c', 3] }],
      'd',
      "Field 'v': expected one of 'a', 'b', 'c', '3'",
    ],
    ['constants and a pattern', [a, b, { type: 'string', pattern: '^x' }], 'c', none],
    ['only an object', [a, b, needs('x')], {}, "Required field 'v.x' is missing"],
    ['only a constant', [nothing, a, needs('x')], 'c', 'Field \'v\': expected "a"'],
    ['a union', [{ anyOf: [nothing, needs('a'), needs('b')] }, { type: 'string' }], {}, none],
    ['no branch', [nothing, a, b], 5, "Field 'v': expected null or string, received number"],
    [
      'no branch, also inside a union,',
      [{ anyOf: [nothing, a] }, needs('x')],
      5,
      "Field 'v': expected null or string or object, received number",
    ],
    ['no constant', [a, b], 5, "Field 'v': expected one of 'a', 'b'"],
  ])('describes a union in which %s can have the type of the value', async (_, branches, v, message) => {
    for (const keyword of ['anyOf', 'oneOf']) {
      expect(await messagesOf(object({ v: { [keyword]: branches } }), { v })).toEqual([message])
    }
  })

  it('says that a value fits several forms if the schema allows only one', async () => {
    const v = { oneOf: [{ type: 'string' }, { type: 'number' }, { minimum: 1 }] }
    expect(await messagesOf(object({ v }), { v: 5 })).toEqual([
      "Field 'v': fits several forms, but the schema allows only one",
    ])
  })

  it('reads draft-07 and 2020-12 schemas with a known $schema, an unknown one or none', async () => {
    const tuple = object({ pair: { type: 'array', items: [{ type: 'number' }], additionalItems: false } })
    const prefixed = object({ pair: { type: 'array', prefixItems: [{ type: 'number' }], items: false } })
    for (const schema of [
      tuple,
      { $schema: 'http://json-schema.org/draft-07/schema#', ...tuple },
      prefixed,
      { $schema: 'https://json-schema.org/draft/2020-12/schema', ...prefixed },
      { $schema: 'https://example.com/of-our-own', ...prefixed },
    ]) {
      expect((await validator.validate(schema, { pair: [1] })).ok).toBe(true)
      expect((await validator.validate(schema, { pair: ['x'] })).ok).toBe(false)
    }
  })

  it.each([
    ['a reference to nothing', object({ a: { $ref: '#/$defs/gone' } })],
    ['a reference to another machine', object({ a: { $ref: 'https://example.com/schema.json' } })],
    ['an unknown type', object({ a: { type: 'strin' } })],
    ['a keyword of the wrong kind', object({}, { required: 'yes' })],
    ['an asynchronous schema', object({}, { $async: true })],
  ])('accepts every input and reports one problem if the schema has %s', async (_, schema) => {
    const { validate, problems } = withProblems()
    expect((await validate(schema, { a: 1 })).ok).toBe(true)
    expect((await validate(schema, { a: 2 })).ok).toBe(true)
    expect(problems).toEqual([expect.stringContaining('cannot be used')])
  })

  it('does not compile a schema above the length limit', async () => {
    const { validate, problems } = withProblems()
    expect((await validate({ ...email, description: 'x'.repeat(100_000) }, {})).ok).toBe(true)
    expect(problems).toHaveLength(1)
  })

  it('keeps two schemas with the same $id apart', async () => {
    const id = { $id: 'https://example.com/same' }
    expect(await messagesOf(object({ v: { type: 'string' } }, id), { v: 1 })).toHaveLength(1)
    expect(await messagesOf(object({ v: { type: 'number' } }, id), { v: 1 })).toEqual([])
  })

  it('compiles a schema again after it was evicted from the cache', async () => {
    const { validate } = withProblems({ maxCompiled: 1 })
    const number = object({ v: { type: 'number' } })
    expect((await validate(number, { v: 'x' })).ok).toBe(false)
    expect((await validate(email, {})).ok).toBe(false)
    expect((await validate(number, { v: 'x' })).ok).toBe(false)
  })

  it.each([
    ['that were evicted from the cache', { type: 'string' }],
    ['that cannot be compiled', { $ref: '#/absent' }],
  ])('keeps no schemas %s in memory', async (_, field) => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const { validate } = withProblems({ maxCompiled: 1 })
    const use = async () => {
      const properties = { v: { ...field } }
      await validate(object(properties), { v: 'x' })
      return new WeakRef(properties)
    }
    const used: WeakRef<object>[] = []
    for (let count = 0; count < 20; count++) used.push(await use())
    const kept = () => {
      collect()
      return used.filter((one) => one.deref() !== undefined).length
    }
    // The cache has one, and the engine that checks schemas may have the last one.
    await expect.poll(kept).toBeLessThanOrEqual(2)
  })
})

describe('a JSON Schema validator on hostile schemas and input', () => {
  it('does not count inherited properties as fields that were sent', async () => {
    expect(await messagesOf(object({}, { required: ['constructor', '__proto__'] }), {})).toEqual([
      "Required field 'constructor' is missing",
      "Required field '__proto__' is missing",
    ])
  })

  it('runs no pattern that backtracks, and leaves patterns that need backtracking to the server', async () => {
    const slow = object({ v: { type: 'string', pattern: '^(a+)+$' } })
    expect((await validator.validate(slow, { v: `${'a'.repeat(5_000)}!` })).ok).toBe(false)
    const { validate, problems } = withProblems()
    expect((await validate(object({ v: { pattern: '^(?=x)(a+)+$' } }), { v: 'y' })).ok).toBe(true)
    expect(problems).toEqual([expect.stringContaining('not checked')])
  })

  // 40 levels of definitions. Each level refers twice to the next one, so a complete check takes 2^40 steps.
  const doubled = (
    keyword: string,
    reference: (level: number) => object,
    own: (level: number) => object = () => ({}),
  ) => {
    const level = (at: number) => ({ ...own(at), [keyword]: [reference(at + 1), reference(at + 1)] })
    const levels = Array.from({ length: 40 }, (_, at) => [`a${at}`, level(at)])
    return object(
      { v: reference(0) },
      { $defs: { ...Object.fromEntries(levels), a40: { type: 'string', ...own(40) } } },
    )
  }
  const byPointer = (at: number) => ({ $ref: `#/$defs/a${at}` })
  // A complete check of each of these takes from seconds to years.
  it.each([
    ['anyOf', doubled('anyOf', byPointer)],
    ['oneOf', doubled('oneOf', byPointer)],
    ['allOf', doubled('allOf', byPointer)],
    [
      'anchors',
      doubled(
        'anyOf',
        (at) => ({ $ref: `#n${at}` }),
        (at) => ({ $anchor: `n${at}` }),
      ),
    ],
    [
      'dynamic anchors',
      doubled(
        'anyOf',
        (at) => ({ $dynamicRef: `#n${at}` }),
        (at) => ({ $dynamicAnchor: `n${at}` }),
      ),
    ],
    [
      'ids',
      doubled(
        'anyOf',
        (at) => ({ $ref: `a${at}` }),
        (at) => ({ $id: `a${at}` }),
      ),
    ],
    ['full addresses', { $id: 'x:y', ...doubled('anyOf', (at) => ({ $ref: `x:y#/$defs/a${at}` })) }],
    [
      'many properties in many references',
      object(many(500, { $ref: '#/$defs/a' }), { $defs: { a: object(many(1_000)) } }),
    ],
    ['too many references', object(many(3_000, { $ref: '#/$defs/a' }), { $defs: { a: object(many(3)) } })],
    ['many names in many items', object({ v: { type: 'array', items: object(many(5_000)) } }), list(20_000, {})],
    ['many constants in many items', object({ v: { items: { enum: list(5_000, ['x']) } } }), list(20_000, ['y'])],
    ['lists, each compared with each', object({ v: { uniqueItems: true } }), list(60_000, [1])],
    ['long lists compared', object({ v: { uniqueItems: true } }), list(1_000, list(500, 1))],
    ['a text measured often', object({ v: { anyOf: list(2_000, { maxLength: 1 }) } }), 'a'.repeat(1_000_000)],
    ['a large pattern', object({ v: { pattern: '(a{1,100}){1,10}[bc]' } }), 'a'.repeat(100_000)],
    [
      'a large pattern that must not match',
      object({ v: { not: { pattern: '(a{1,100}){1,10}[bc]' } } }),
      'a'.repeat(100_000),
    ],
    [
      'many large patterns',
      object({ v: { anyOf: Array.from({ length: 1_000 }, (_, at) => ({ pattern: `(x?){0,1000}${at}` })) } }),
    ],
    ['a format that backtracks', object({ v: { format: 'url' } }), `http://${'::'.repeat(50_000)}`],
  ])(
    'accepts the input, and leaves the check to the server, if the check takes too long: %s',
    async (_, schema, v: unknown = 1) => {
      expect((await validator.validate(schema, { v })).ok).toBe(true)
    },
  )

  // Each definition accepts an array and checks its items three times.
  const deepArray: unknown = JSON.parse('['.repeat(200) + ']'.repeat(200))
  it.each([
    ['with an escaped slash in its name', '#/$defs/a%2Fb', { 'a/b': true }],
    ['that ajv reads as the root', '#/', {}],
  ])('counts the steps behind a reference %s', async (_, $ref, names) => {
    const items = { anyOf: [{ $ref }, { $ref }, { $ref }] }
    const $defs = Object.fromEntries(Object.keys(names).map((name) => [name, { type: 'array', items }]))
    const started = performance.now()
    expect((await validator.validate({ items, properties: { v: { $ref } }, $defs }, { v: deepArray })).ok).toBe(true)
    expect((await validator.validate({ items, $defs }, deepArray)).ok).toBe(true)
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  // Each schema has a decoy `{}`, which a counter follows if it finds another target than ajv.
  it.each([
    ['ends with a second #', '#/$defs/a#', {}, { 'a#': {} }],
    ['ends with a second # and a slash', '#/$defs/a#/', {}, { 'a#': { '': {} } }],
    ['names an anchor that a default value has too', '#x', { $anchor: 'x' }, { b: { default: { $anchor: 'x' } } }],
  ])('takes less than five seconds if a hostile reference %s', async (_, $ref, anchor, decoys) => {
    const a = { ...anchor, type: 'array', items: { anyOf: [1, 2, 3].map((minItems) => ({ $ref, minItems })) } }
    const schema = { properties: { v: { $ref } }, $defs: { a, ...decoys } }
    const started = performance.now()
    await validator.validate(schema, { v: JSON.parse('['.repeat(17) + ']'.repeat(17)) })
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  it('takes less than five seconds if a $dynamicRef has another target than its anchor', async () => {
    const items = { anyOf: [1, 2, 3].map((minItems) => ({ $dynamicRef: '#x', minItems })) }
    const started = performance.now()
    await validator.validate({ items, $defs: { t: { $anchor: 'x' } } }, JSON.parse('['.repeat(16) + ']'.repeat(16)))
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  it('checks large input to the end', async () => {
    const row = object({ id: { type: 'integer' }, name: { type: 'string', maxLength: 80 } }, { required: ['id'] })
    const schema = object({ v: { type: 'array', items: row, uniqueItems: true } })
    const rows = Array.from({ length: 800 }, (_, id) => ({ id, name: 'One' }))
    expect(await messagesOf(schema, { v: rows })).toEqual([])
    expect(await messagesOf(schema, { v: [...rows, { name: 'Two' }] })).toEqual([
      "Required field 'v[800].id' is missing",
    ])
    expect(await messagesOf(schema, { v: [...rows, rows[0]] })).toHaveLength(1)
    const urls = object({ v: { type: 'array', items: { type: 'string', format: 'url', pattern: '^https:' } } })
    expect(await messagesOf(urls, { v: [...list(1_000, 'https://example.com/a'), 'http://example.com'] })).toEqual([
      "Field 'v[1000]': does not match the pattern ^https:",
    ])
  })

  it('returns 50 messages if 40,000 values fit no branch of their union', async () => {
    const union = { anyOf: [{ type: 'string' }, { type: 'object' }] }
    const messages = await messagesOf(object({ v: { type: 'array', items: union } }), { v: list(40_000, 1) })
    expect(messages[0]).toBe("Field 'v[0]': expected string or object, received number")
    expect(messages).toHaveLength(50)
  })

  it('returns a result for arrays 10,000 levels deep under a recursive schema without throwing', async () => {
    const schema = object(
      { v: { $ref: '#/$defs/nested' } },
      { $defs: { nested: { type: 'array', items: { $ref: '#/$defs/nested' } } } },
    )
    const deep: unknown = JSON.parse('['.repeat(10_000) + ']'.repeat(10_000))
    expect(await validator.validate(schema, { v: deep })).toHaveProperty('ok')
  })

  it('limits the number and the length of its messages', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, 1]))
    const checked = await validator.validate(object({}, { additionalProperties: false }), {
      ...many,
      ['x'.repeat(1_000_000)]: 1,
    })
    expect(JSON.stringify(checked).length).toBeLessThan(20_000)
  })

  it('returns a result for any schema and any value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), async (schema, input) => {
        const checked = await validator.validate(schema, input)
        expect(checked.ok || checked.issues.length > 0).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})

it('prepares for the first check once, and reports no problem', async () => {
  const problems: string[] = []
  const validator = createSchemaValidator({ onProblem: (_schema, reason) => problems.push(reason) })
  expect(validator.prepare()).toBe(validator.prepare())
  await validator.prepare()
  expect(problems).toEqual([])
  expect(await validator.validate({ type: 'object', required: ['a'] }, {})).toMatchObject({ ok: false })
})
