import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { findNotJson } from './not-json.ts'

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
  ])('accepts a schema with %s', (_, type) => {
    expect(findNotJson(type)).toBeUndefined()
  })
})
