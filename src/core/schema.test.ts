import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { decodeStringified } from './decode.ts'
import { isRecord, signature, toInputSchema } from './schema.ts'
import type { JsonSchema } from './tool.ts'
import { validateMaybeAsync, validateWith } from './validate.ts'

const email = z.object({ email: z.email() })

function messagesOf(type: z.ZodType, input: unknown): string[] {
  const checked = validateWith(type, input)
  return checked.ok ? [] : checked.issues.map((issue) => issue.message)
}

describe('toInputSchema', () => {
  it('describes an object with its fields, and nothing that only costs tokens', () => {
    expect(toInputSchema(z.object({ id: z.string().describe('Order id'), note: z.string().optional() }))).toEqual({
      type: 'object',
      properties: { id: { type: 'string', description: 'Order id' }, note: { type: 'string' } },
      required: ['id'],
    })
  })

  it('does not require a field that has a default', () => {
    const schema = toInputSchema(z.object({ id: z.string(), limit: z.int().default(20) }))
    expect(schema.required).toEqual(['id'])
    expect(schema.properties).toMatchObject({ limit: { default: 20 } })
  })

  it('drops the safe-integer bounds that no author wrote, at any depth', () => {
    const schema = toInputSchema(z.object({ n: z.int(), list: z.array(z.object({ n: z.number().int() })) }))
    expect(JSON.stringify(schema)).not.toMatch(/9007199254740991|minimum|maximum/)
  })

  it('keeps the bounds that an author wrote', () => {
    const schema = toInputSchema(z.object({ n: z.int().min(1).max(200), from: z.int().min(0) }))
    expect(schema.properties).toEqual({
      n: { type: 'integer', minimum: 1, maximum: 200 },
      from: { type: 'integer', minimum: 0 },
    })
  })

  it('names a dialect only where the author named one', () => {
    const draft7 = 'http://json-schema.org/draft-07/schema#'
    expect(toInputSchema(email)).not.toHaveProperty('$schema')
    expect(toInputSchema(email.meta({ title: 'Mail' }))).not.toHaveProperty('$schema')
    expect(toInputSchema(email.meta({ $schema: draft7 }))).toMatchObject({ $schema: draft7, type: 'object' })
  })

  it.each([
    ['a union', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ['a tagged union', z.discriminatedUnion('k', [z.object({ k: z.literal(1) }), z.object({ k: z.literal(2) })])],
    ['a union of unions', z.union([z.object({ a: z.int() }), z.union([z.object({ b: z.int() }), z.object({})])])],
    ['an intersection', z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() }))],
    ['an intersection with a union', z.object({ a: z.int() }).and(z.union([z.object({ b: z.int() }), z.object({})]))],
    ['a record', z.record(z.string(), z.number())],
    ['a transformed object', z.object({ a: z.string() }).transform(({ a }) => a)],
    ['a refined object', z.object({ a: z.string() }).refine(() => true)],
    ['a lazy object', z.lazy(() => z.object({ a: z.string() }))],
    ['an object with an id', z.object({ a: z.string() }).meta({ id: 'schema-test-root' })],
    [
      'a union of objects with ids',
      z.union([z.object({ a: z.int() }).meta({ id: 'schema-test-branch' }), z.object({})]),
    ],
  ])('gives %s the type object', (_, type) => {
    expect(toInputSchema(type).type).toBe('object')
  })

  it.each([
    ['a string', z.string()],
    ['an array of objects', z.array(z.object({}))],
    ['a union with a string', z.union([z.object({}), z.string()])],
    ['an object or null', z.object({}).nullable()],
  ])('does not call %s an object', (_, type) => {
    expect(toInputSchema(type).type).not.toBe('object')
  })

  it('does not throw for types that JSON cannot spell', () => {
    const schema = toInputSchema(
      z.object({
        date: z.date(),
        big: z.bigint(),
        map: z.map(z.string(), z.int()),
        custom: z.custom<string>(() => true),
        length: z.string().transform((text) => text.length),
        piped: z.string().transform(Number).pipe(z.int()),
        nested: z.object({ when: z.date().optional() }),
      }),
    )
    expect(Object.keys(schema.properties ?? {})).toHaveLength(7)
    expect(schema.properties).toMatchObject({ length: { type: 'string' }, piped: { type: 'string' } })
  })

  it('keeps the fields of an object with an id where clients and signatures look for them', () => {
    const schema = toInputSchema(z.object({ id: z.string() }).meta({ id: 'schema-test-fields' }))
    expect(schema).toMatchObject({ properties: { id: { type: 'string' } }, required: ['id'] })
  })

  it('describes recursive types', () => {
    const Folder = z.object({
      name: z.string(),
      get folders() {
        return z.array(Folder)
      },
    })
    expect(() => JSON.stringify(toInputSchema(Folder))).not.toThrow()
  })
})

describe('validateWith', () => {
  it('gives the input its final form: defaults, conversions, unknown keys gone', () => {
    const type = z.object({ limit: z.int().default(20), id: z.string().transform(Number) })
    expect(validateWith(type, { id: '7', other: true })).toEqual({ ok: true, value: { limit: 20, id: 7 } })
  })

  it('names a missing field', () => {
    expect(validateWith(email, {})).toEqual({
      ok: false,
      issues: [{ path: 'email', message: "Required field 'email' is missing" }],
    })
    expect(messagesOf(email, { email: undefined })).toEqual(["Required field 'email' is missing"])
  })

  it.each([
    ['enum', z.enum(['open', 'paid'])],
    ['literal', z.literal('open')],
    ['union', z.union([z.string(), z.array(z.string())])],
    ['discriminated union', z.discriminatedUnion('k', [z.object({ k: z.literal(1) }), z.object({ k: z.literal(2) })])],
    ['date', z.date()],
    ['object', z.object({ a: z.string() })],
    ['array', z.array(z.string())],
    ['coerced number', z.coerce.number()],
    ['intersection', z.intersection(z.object({ a: z.string() }), z.object({ a: z.string() }))],
  ])('says that a missing %s is missing', (_, type) => {
    expect(new Set(messagesOf(z.object({ field: type }), {}))).toEqual(new Set(["Required field 'field' is missing"]))
  })

  it('says that a null field is wrong, not missing', () => {
    expect(messagesOf(z.object({ id: z.string() }), { id: null })).toEqual([
      "Field 'id': expected string, received null",
    ])
  })

  it("keeps an author's own words about a field that was left out", () => {
    const type = z
      .object({ id: z.string().optional(), email: z.string().optional() })
      .refine(({ id, email }) => id ?? email, { path: ['id'], error: 'Give id or email' })
    expect(messagesOf(type, {})).toEqual(["Field 'id': Give id or email"])
  })

  it('writes nested paths as code would', () => {
    const type = z.object({ items: z.array(z.object({ price: z.number() })) })
    expect(validateWith(type, { items: [{ price: 'free' }] })).toEqual({
      ok: false,
      issues: [{ path: 'items[0].price', message: "Field 'items[0].price': expected number, received string" }],
    })
    expect(messagesOf(type, { items: [{ price: 1 }, {}] })).toEqual(["Required field 'items[1].price' is missing"])
  })

  it('names every unknown field of a strict object, nested ones too', () => {
    const type = z.strictObject({ a: z.strictObject({}).optional() })
    expect(messagesOf(type, { x: 1, y: 2 })).toEqual(["Unknown field 'x'", "Unknown field 'y'"])
    expect(validateWith(type, { a: { z: 1 } })).toEqual({
      ok: false,
      issues: [{ path: 'a.z', message: "Unknown field 'a.z'" }],
    })
  })

  it('reports every fault at once', () => {
    expect(messagesOf(z.object({ a: z.string(), b: z.int() }), { b: 'x' })).toHaveLength(2)
  })

  it.each([[undefined], [null], [5], ['text'], [true], [[]]])(
    'speaks of the whole input where %j is no object',
    (input) => {
      expect(messagesOf(email, input)).toEqual([expect.stringMatching(/^Input: expected object, received /)])
    },
  )

  it('says what is wrong inside the one branch of a union that fits best', () => {
    const type = z.object({ tag: z.union([z.string(), z.array(z.string())]) })
    expect(messagesOf(type, { tag: ['a', 1] })).toEqual(["Field 'tag[1]': expected string, received number"])
  })

  it('names the field where no branch of a union fits better', () => {
    const checked = validateWith(z.object({ tag: z.union([z.string(), z.array(z.string())]) }), { tag: 5 })
    expect(checked).toMatchObject({ ok: false, issues: [{ path: 'tag' }] })
  })

  it('names the key that chooses the branch of a discriminated union', () => {
    const type = z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })])
    expect(validateWith(type, { kind: 'c' })).toMatchObject({ ok: false, issues: [{ path: 'kind' }] })
  })
})

describe('validateMaybeAsync', () => {
  const free = z.object({ name: z.string().refine(async (name) => name !== 'taken', 'is taken') })

  it('answers at once where the schema does not wait', () => {
    expect(validateMaybeAsync(email, {})).toEqual(validateWith(email, {}))
    expect(validateMaybeAsync(email, { email: 'a@b.co' })).toEqual({ ok: true, value: { email: 'a@b.co' } })
  })

  it('waits for a schema that does', async () => {
    expect(await validateMaybeAsync(free, { name: 'new' })).toEqual({ ok: true, value: { name: 'new' } })
    expect(await validateMaybeAsync(free, { name: 'taken' })).toEqual({
      ok: false,
      issues: [{ path: 'name', message: "Field 'name': is taken" }],
    })
  })
})

describe('validateWith on hostile input', () => {
  const MEGABYTE = 'x'.repeat(1_000_000)
  const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown

  it('never lets a __proto__ key reach a prototype', () => {
    const input = JSON.parse('{"email":"a@b.co","__proto__":{"admin":true}}')
    for (const type of [email, z.looseObject({}), z.record(z.string(), z.unknown())]) {
      const checked = validateWith(type, input)
      expect(checked.ok && Object.getPrototypeOf(checked.value)).toBe(Object.prototype)
      expect(checked.ok && (checked.value as { admin?: boolean }).admin).toBeUndefined()
    }
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
    expect(messagesOf(z.strictObject({ email: z.email() }), input)).toEqual(["Unknown field '__proto__'"])
  })

  it('does not take what every object inherits for a field that was sent', () => {
    const type = z.object({ constructor: z.string(), toString: z.string() })
    expect(messagesOf(type, {})).toEqual([
      "Required field 'constructor' is missing",
      "Required field 'toString' is missing",
    ])
  })

  it('keeps its words short for strings of 1 MB', () => {
    const type = z.object({ text: z.email(), state: z.enum(['open', 'paid']), n: z.number() })
    for (const message of messagesOf(type, { text: MEGABYTE, state: MEGABYTE, n: MEGABYTE })) {
      expect(message.length).toBeLessThan(400)
    }
  })

  it('keeps its words and paths short for keys of 1 MB', () => {
    for (const type of [z.strictObject({}), z.record(z.string(), z.number())]) {
      const checked = validateWith(type, { [MEGABYTE]: 'x' })
      expect(checked.ok).toBe(false)
      expect(JSON.stringify(checked).length).toBeLessThan(2_000)
    }
  })

  it('passes arrays 10,000 deep through a field that takes anything', () => {
    expect(validateWith(z.object({ any: z.unknown() }), { any: nested(10_000) }).ok).toBe(true)
    expect(validateWith(z.object({ any: z.array(z.string()) }), { any: nested(10_000) }).ok).toBe(false)
  })

  it('answers, and does not throw, for arrays 10,000 deep where the type is recursive', () => {
    const Nested: z.ZodType = z.lazy(() => z.array(Nested))
    expect(validateWith(Nested, nested(10_000))).toHaveProperty('ok')
    expect(validateWith(z.object({ json: z.json() }), { json: nested(10_000) })).toHaveProperty('ok')
  })

  it('answers for any value at all', () => {
    const type = z.object({ id: z.string(), tags: z.union([z.string(), z.array(z.string())]).optional() })
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (input) => {
        const checked = validateWith(type, input)
        expect(checked.ok || checked.issues.length > 0).toBe(true)
      }),
    )
  })
})

describe('decodeStringified', () => {
  const schema = toInputSchema(
    z.object({
      filter: z.object({ ids: z.array(z.int()) }).optional(),
      tags: z.array(z.string()).optional(),
      note: z.string().optional(),
      either: z.union([z.string(), z.array(z.string())]).optional(),
      anything: z.unknown().optional(),
    }),
  )
  const value = fc.oneof(fc.jsonValue(), fc.json(), fc.string())
  const input = fc.record(
    { filter: value, tags: value, note: value, either: value, anything: value, other: value },
    { requiredKeys: [] },
  )

  it('decodes objects and arrays sent as text, at every level', () => {
    expect(decodeStringified('{"filter":"{\\"ids\\":\\" [1] \\"}","tags":"[\\"a\\"]"}', schema)).toEqual({
      filter: { ids: [1] },
      tags: ['a'],
    })
  })

  it('decodes for a field that may also be null, and for one whose schema has an id', () => {
    const point = z.object({ x: z.int() })
    const type = z.object({ nullable: point.nullable(), named: point.meta({ id: 'schema-test-point' }) })
    expect(decodeStringified({ nullable: '{"x":1}', named: '{"x":2}' }, toInputSchema(type))).toEqual({
      nullable: { x: 1 },
      named: { x: 2 },
    })
  })

  it('keeps a string that the schema allows, whatever it spells', () => {
    const kept = { note: '{"a":1}', either: '["a"]', anything: '{}', other: '[]' }
    expect(decodeStringified(kept, schema)).toBe(kept)
    expect(decodeStringified('{}', { type: ['string', 'object'] })).toBe('{}')
    expect(decodeStringified('{}', {})).toBe('{}')
  })

  it('keeps text of the wrong kind, so that the validator can say so', () => {
    for (const text of ['', 'null', '5', '[1]', '{', '{bad}', 'order 7', '"{}"']) {
      expect(decodeStringified(text, { type: 'object' })).toBe(text)
    }
    expect(decodeStringified('{"a":1}', { type: 'array' })).toBe('{"a":1}')
  })

  it('leaves untouched every value that the schema allows', () => {
    const type = z.object({ filter: z.object({ ids: z.array(z.int()) }), tags: z.array(z.string()), note: z.string() })
    const allowed = fc.record({
      filter: fc.record({ ids: fc.array(fc.integer()) }),
      tags: fc.array(fc.oneof(fc.string(), fc.json())),
      note: fc.oneof(fc.string(), fc.json()),
    })
    fc.assert(
      fc.property(allowed, (good) => {
        expect(type.safeParse(good).success).toBe(true)
        expect(decodeStringified(good, toInputSchema(type))).toBe(good)
      }),
    )
  })

  it('never turns bad input into an empty object', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.anything()), (bad) => {
        const decoded = decodeStringified(bad, schema)
        const spellsAnObject = typeof bad === 'string' && isRecord(parsedOr(bad))
        if (!spellsAnObject && !isRecord(bad)) expect(decoded).toBe(bad)
        if (isRecord(decoded) && Object.keys(decoded).length === 0) {
          expect(typeof bad === 'string' ? parsedOr(bad) : bad).toEqual({})
        }
      }),
    )
  })

  it('keeps every key, does not edit what it was given, and has nothing left to do the second time', () => {
    fc.assert(
      fc.property(input, (given) => {
        const before = structuredClone(given)
        const decoded = decodeStringified(given, schema)
        expect(given).toEqual(before)
        expect(Object.keys(decoded as object)).toEqual(Object.keys(given))
        expect(decodeStringified(decoded, schema)).toEqual(decoded)
      }),
    )
  })

  it('sets no prototype, even where the schema has a __proto__ property', () => {
    const hostile = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"object"}}}') as JsonSchema
    const decoded = decodeStringified(JSON.parse('{"__proto__":"{\\"admin\\":true}"}'), hostile) as { admin?: boolean }
    expect(Object.keys(decoded)).toEqual(['__proto__'])
    expect(decoded.admin).toBeUndefined()
  })

  it('does not throw for text a million brackets deep', () => {
    expect(decodeStringified('['.repeat(1_000_000), { type: 'array' })).toBe('['.repeat(1_000_000))
    expect(decodeStringified('['.repeat(1_000_000) + ']'.repeat(1_000_000), { type: 'array' })).toBeDefined()
  })
})

describe('signature', () => {
  it('lists required fields first, marks optional ones and arrays', () => {
    const type = z.object({ note: z.string().optional(), customerId: z.string(), items: z.array(z.string()) })
    expect(signature('create-order', toInputSchema(type))).toBe('create-order(customerId, items[], note?)')
  })

  it('has empty brackets where there is nothing to pass', () => {
    expect(signature('ping', toInputSchema(z.object({})))).toBe('ping()')
    expect(signature('ping', {})).toBe('ping()')
  })
})

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
