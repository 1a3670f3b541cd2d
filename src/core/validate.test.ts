import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { validateAsync, validateWith } from './validate.ts'

const email = z.object({ email: z.email() })

function messagesOf(type: z.ZodType, input: unknown): string[] {
  const checked = validateWith(type, input)
  return checked.ok ? [] : checked.issues.map((issue) => issue.message)
}

describe('validateWith', () => {
  it('returns the input in its final form: with defaults and conversions, without unknown keys', () => {
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
  ])('reports a missing %s as missing', (_, type) => {
    expect(new Set(messagesOf(z.object({ field: type }), {}))).toEqual(new Set(["Required field 'field' is missing"]))
  })

  it('reports a null field as wrong, not as missing', () => {
    expect(messagesOf(z.object({ id: z.string() }), { id: null })).toEqual([
      "Field 'id': expected string, received null",
    ])
  })

  it("keeps the author's own message about a missing field", () => {
    const type = z
      .object({ id: z.string().optional(), email: z.string().optional() })
      .refine(({ id, email }) => id ?? email, { path: ['id'], error: 'Give id or email' })
    expect(messagesOf(type, {})).toEqual(["Field 'id': Give id or email"])
  })

  it('writes nested paths in JavaScript notation', () => {
    const type = z.object({ items: z.array(z.object({ price: z.number() })) })
    expect(validateWith(type, { items: [{ price: 'free' }] })).toEqual({
      ok: false,
      issues: [
        {
          path: 'items[0].price',
          message: "Field 'items[0].price': expected number, received string",
          text: 'expected number, received string',
        },
      ],
    })
    expect(messagesOf(type, { items: [{ price: 1 }, {}] })).toEqual(["Required field 'items[1].price' is missing"])
  })

  it('names every unknown field of a strict object, including nested ones', () => {
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
    'reports the whole input as wrong if it is %j instead of an object',
    (input) => {
      expect(messagesOf(email, input)).toEqual([expect.stringMatching(/^Input: expected object, received /)])
    },
  )

  it('describes what is wrong inside the only union branch that accepts the type', () => {
    const type = z.object({ tag: z.union([z.string(), z.array(z.string())]) })
    expect(messagesOf(type, { tag: ['a', 1] })).toEqual(["Field 'tag[1]': expected string, received number"])
  })

  it('names the field if no branch of a union accepts the type', () => {
    const checked = validateWith(z.object({ tag: z.union([z.string(), z.array(z.string())]) }), { tag: 5 })
    expect(checked).toMatchObject({ ok: false, issues: [{ path: 'tag' }] })
  })

  const needs = (field: string) => z.object({ [field]: z.string() })
  const none = "Field 'v': fits none of the forms that the schema allows"
  it.each<[what: string, branches: readonly z.ZodType[], v: unknown, message: string]>([
    ['several objects', [z.string(), needs('a'), needs('b')], {}, none],
    ['several literals', [z.null(), z.literal('a'), z.literal('b')], 'c', "Field 'v': expected one of 'a', 'b'"],
    [
      'several enums',
      [z.null(), z.enum(['a', 'b']), z.literal(['c', 3n])],
      'd',
      "Field 'v': expected one of 'a', 'b', 'c', '3'",
    ],
    ['only an object', [z.literal('a'), z.literal('b'), needs('x')], {}, "Required field 'v.x' is missing"],
    ['only a literal', [z.null(), z.literal('a'), needs('x')], 'c', 'Field \'v\': expected "a"'],
    ['a union', [z.union([z.null(), needs('a'), needs('b')]), z.string()], {}, none],
    ['no branch', [z.null(), z.literal('a'), z.literal('b')], 5, "Field 'v': expected null or string"],
    [
      'no branch, also inside a union,',
      [z.union([z.null(), z.literal('a')]), needs('x')],
      5,
      "Field 'v': expected null or string or object",
    ],
    ['no literal', [z.literal('a'), z.literal('b')], 5, "Field 'v': expected one of 'a', 'b'"],
  ])('describes a union in which %s can have the type of the value', (_, branches, v, message) => {
    expect(messagesOf(z.object({ v: z.union(branches) }), { v })).toEqual([message])
  })

  it("keeps the author's own message about a union", () => {
    const error = 'Say a or b'
    expect(messagesOf(z.object({ v: z.union([z.literal('a'), z.literal('b')], { error }) }), { v: 'c' })).toEqual([
      "Field 'v': Say a or b",
    ])
    expect(messagesOf(z.object({ v: z.union([needs('a'), needs('b')], { error }) }), { v: {} })).toEqual([
      "Field 'v': Say a or b",
    ])
  })

  it('names the key that selects the branch of a discriminated union', () => {
    const type = z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })])
    expect(validateWith(type, { kind: 'c' })).toMatchObject({ ok: false, issues: [{ path: 'kind' }] })
  })
})

it('passes on a RangeError that a transform throws, because it is not a stack overflow', async () => {
  const type = z.string().transform((text) => new Date(text).toISOString())
  expect(() => validateWith(type, 'never')).toThrow('Invalid time value')
  await expect(validateAsync(type, 'never')).rejects.toThrow('Invalid time value')
})

describe('validateAsync', () => {
  const free = z.object({ name: z.string().refine(async (name) => name !== 'taken', 'is taken') })

  it('waits for a schema with an asynchronous check', async () => {
    expect(await validateAsync(free, { name: 'new' })).toEqual({ ok: true, value: { name: 'new' } })
    expect(await validateAsync(free, { name: 'taken' })).toEqual({
      ok: false,
      issues: [{ path: 'name', message: "Field 'name': is taken", text: 'is taken' }],
    })
  })
})

describe('validateWith on hostile input', () => {
  const MEGABYTE = 'x'.repeat(1_000_000)
  const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown

  it('never lets a __proto__ key change a prototype', () => {
    const input = JSON.parse('{"email":"a@b.co","__proto__":{"admin":true}}')
    for (const type of [email, z.looseObject({}), z.record(z.string(), z.unknown())]) {
      const checked = validateWith(type, input)
      expect(checked.ok && Object.getPrototypeOf(checked.value)).toBe(Object.prototype)
      expect(checked.ok && (checked.value as { admin?: boolean }).admin).toBeUndefined()
    }
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
    expect(messagesOf(z.strictObject({ email: z.email() }), input)).toEqual(["Unknown field '__proto__'"])
  })

  it('does not count inherited properties as fields that were sent', () => {
    const type = z.object({ constructor: z.string(), toString: z.string() })
    expect(messagesOf(type, {})).toEqual([
      "Required field 'constructor' is missing",
      "Required field 'toString' is missing",
    ])
  })

  it('keeps its messages short for strings of 1 MB', () => {
    const type = z.object({ text: z.email(), state: z.enum(['open', 'paid']), n: z.number() })
    for (const message of messagesOf(type, { text: MEGABYTE, state: MEGABYTE, n: MEGABYTE })) {
      expect(message.length).toBeLessThan(400)
    }
  })

  it('keeps its messages and paths short for keys of 1 MB', () => {
    for (const type of [z.strictObject({}), z.record(z.string(), z.number())]) {
      const checked = validateWith(type, { [MEGABYTE]: 'x' })
      expect(checked.ok).toBe(false)
      expect(JSON.stringify(checked).length).toBeLessThan(2_000)
    }
  })

  it('describes at most 50 faults', () => {
    const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key${index}`, 1]))
    expect(messagesOf(z.strictObject({}), keys)).toHaveLength(50)
    expect(messagesOf(z.union([z.string(), z.strictObject({})]), keys)).toHaveLength(50)
    const items = Array.from({ length: 20_000 }, () => 'x')
    expect(messagesOf(z.object({ items: z.array(z.number()) }), { items })).toHaveLength(50)
  })

  it('accepts arrays 10,000 levels deep in a field that takes any value, and refuses them in a field of strings', () => {
    expect(validateWith(z.object({ any: z.unknown() }), { any: nested(10_000) }).ok).toBe(true)
    expect(validateWith(z.object({ any: z.array(z.string()) }), { any: nested(10_000) }).ok).toBe(false)
  })

  it('returns a result for arrays 10,000 levels deep under a recursive type without throwing', () => {
    const Nested: z.ZodType = z.lazy(() => z.array(Nested))
    expect(validateWith(Nested, nested(10_000))).toHaveProperty('ok')
    expect(validateWith(z.object({ json: z.json() }), { json: nested(10_000) })).toHaveProperty('ok')
  })

  it('returns a result for any value', () => {
    const type = z.object({ id: z.string(), tags: z.union([z.string(), z.array(z.string())]).optional() })
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (input) => {
        const checked = validateWith(type, input)
        expect(checked.ok || checked.issues.length > 0).toBe(true)
      }),
    )
  })
})
