import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { findNotJson, referenced, toInputSchema } from './schema.ts'

const email = z.object({ email: z.email() })

describe('toInputSchema', () => {
  it('describes an object with its fields, without parts that only cost tokens', () => {
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

  it('drops the safe-integer bounds that zod adds, at any depth', () => {
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

  it('sets $schema only if the author set it', () => {
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
  ])('does not give %s the type object', (_, type) => {
    expect(toInputSchema(type).type).not.toBe('object')
  })

  it('does not throw for types that JSON cannot represent', () => {
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

  it('keeps the fields of an object with an id at the top level, where clients expect them', () => {
    const schema = toInputSchema(z.object({ id: z.string() }).meta({ id: 'schema-test-fields' }))
    expect(schema).toMatchObject({ properties: { id: { type: 'string' } }, required: ['id'] })
  })

  it('gives a recursive type a schema that can be written as JSON', () => {
    const Folder = z.object({
      name: z.string(),
      get folders() {
        return z.array(Folder)
      },
    })
    expect(() => JSON.stringify(toInputSchema(Folder))).not.toThrow()
  })
})

describe('referenced', () => {
  const point = { type: 'object' }

  it('returns the target of a reference', () => {
    expect(referenced({ $ref: '#/$defs/point' }, { $defs: { point } })).toBe(point)
    expect(referenced({ $ref: '#/definitions/point' }, { definitions: { point } })).toBe(point)
  })

  it.each([
    ['the schema has no reference', {}],
    ['the target does not exist', { $ref: '#/$defs/other' }],
    ['the target is in another document', { $ref: 'https://schemas.example/point' }],
    ['the target is an inherited property', { $ref: '#/$defs/__proto__' }],
    ['the reference is not a string', { $ref: 7 }],
  ])('finds no target if %s', (_, schema) => {
    expect(referenced(schema, { $defs: { point } })).toBeUndefined()
  })
})

const sharedDate = z.date()

/** Two types that refer to each other. A search of the order visits the line before it finds the date. */
const order = z.object({
  get line() {
    return line
  },
  paid: z.date(),
})
const line = z.object({
  get order() {
    return order
  },
})

const textToDate = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
})

describe('findNotJson', () => {
  it.each([
    ['a bigint', z.object({ id: z.bigint() }), 'id', 'bigint'],
    ['a set', z.object({ tags: z.set(z.string()) }), 'tags', 'set'],
    ['a map', z.object({ fields: z.map(z.string(), z.string()) }), 'fields', 'map'],
    ['a date', z.object({ on: z.date() }), 'on', 'date'],
    ['a symbol', z.object({ key: z.symbol() }), 'key', 'symbol'],
    ['a file', z.object({ upload: z.file() }), 'upload', 'file'],
    ['an optional date', z.object({ on: z.date().optional() }), 'on', 'date'],
    ['a date with a default', z.object({ on: z.date().default(() => new Date()) }), 'on', 'date'],
    ['a date in a list', z.object({ days: z.array(z.date()) }), 'days[]', 'date'],
    ['a bigint in a tuple', z.object({ range: z.tuple([z.string(), z.bigint()]) }), 'range[]', 'bigint'],
    ['a bigint in a record', z.object({ sums: z.record(z.string(), z.bigint()) }), 'sums.*', 'bigint'],
    ['a nested date', z.object({ order: z.object({ paid: z.date() }) }), 'order.paid', 'date'],
    ['a union of a date and a bigint', z.object({ at: z.union([z.date(), z.bigint()]) }), 'at', 'date'],
    ['a date before a transform', z.object({ on: z.date().transform(String) }), 'on', 'date'],
    ['a date in an intersection', z.intersection(z.object({ a: z.string() }), z.object({ b: z.date() })), 'b', 'date'],
    ['a lazy date', z.object({ on: z.lazy(() => z.date()) }), 'on', 'date'],
    [
      'a date that two branches of a union share',
      z.object({ w: z.union([z.object({ a: sharedDate }), z.object({ b: sharedDate })]) }),
      'w.a',
      'date',
    ],
    ['a date that is a branch twice', z.object({ w: z.union([sharedDate, sharedDate]) }), 'w', 'date'],
    ['a date in types that refer to each other', z.object({ w: z.union([order, line]) }), 'w.paid', 'date'],
    ['a date in a list as the whole input', z.array(z.object({ on: z.date() })), '[].on', 'date'],
    ['a bigint of zod/mini', mini.object({ id: mini.bigint() }), 'id', 'bigint'],
  ])('finds %s in a schema', (_, type, path, kind) => {
    expect(findNotJson(type)).toMatchObject({ path, type: kind, instead: expect.any(String) })
  })

  const folder = z.object({
    name: z.string(),
    get folders() {
      return z.array(folder)
    },
  })

  it('takes less than a second for 30 types that all refer to each other', () => {
    const names = Array.from({ length: 30 }, (_, at) => `t${at}`)
    const types: z.ZodType[] = names.map(() =>
      z.lazy(() => z.object({ plain: z.string(), ...Object.fromEntries(names.map((name, at) => [name, types[at]])) })),
    )
    const started = performance.now()
    expect(findNotJson(z.union(types))).toBeUndefined()
    expect(performance.now() - started).toBeLessThan(1_000)
  })

  it.each([
    ['plain types', z.object({ a: z.string(), b: z.number(), c: z.boolean().optional(), d: z.null() })],
    ['a coerced date', z.object({ on: z.coerce.date() })],
    ['a coerced bigint', z.object({ id: z.coerce.bigint() })],
    ['a codec from a text', z.object({ on: textToDate })],
    ['a preprocessed date', z.object({ on: z.preprocess((value) => new Date(String(value)), z.date()) })],
    ['a set made from a list', z.object({ tags: z.array(z.string()).transform((items) => new Set(items)) })],
    ['a union with a text', z.object({ on: z.union([z.date(), z.string()]) })],
    ['a custom check', z.object({ on: z.custom<Date>(() => true) })],
    ['a reference to itself', folder],
    ['a text of zod/mini', mini.object({ id: mini.string() })],
  ])('finds nothing in a schema with %s', (_, type) => {
    expect(findNotJson(type)).toBeUndefined()
  })
})
