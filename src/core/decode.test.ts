import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { decodeStringified } from './decode.ts'
import { isRecord } from './is-record.ts'
import { parseJson } from './json.ts'
import { toInputSchema } from './schema.ts'
import type { JsonSchema } from './tool.ts'

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

  it('decodes a text for a nullable field and for a field with a schema id', () => {
    const point = z.object({ x: z.int() })
    const type = z.object({ nullable: point.nullable(), named: point.meta({ id: 'schema-test-point' }) })
    expect(decodeStringified({ nullable: '{"x":1}', named: '{"x":2}' }, toInputSchema(type))).toEqual({
      nullable: { x: 1 },
      named: { x: 2 },
    })
  })

  it('decodes a text for a field behind references to `definitions`, and behind a reference to a reference', () => {
    const point = { type: 'object', properties: { tags: { type: 'array' } } }
    const schema = {
      type: 'object',
      properties: { old: { $ref: '#/definitions/point' }, far: { $ref: '#/$defs/alias' } },
      definitions: { point },
      $defs: { alias: { $ref: '#/definitions/point' } },
    }
    expect(decodeStringified({ old: '{"tags":"[1]"}', far: '{"tags":[]}' }, schema)).toEqual({
      old: { tags: [1] },
      far: { tags: [] },
    })
  })

  it('decodes the items of an array, and those of a tuple by their position', () => {
    const point = { type: 'object', properties: { tags: { type: 'array' } } }
    const list = { type: 'array', items: { $ref: '#/$defs/point' }, $defs: { point } }
    expect(decodeStringified(['{"tags":"[1]"}', { tags: '[]' }, 7, 'text'], list)).toEqual([
      { tags: [1] },
      { tags: [] },
      7,
      'text',
    ])
    const [tuple, oldTuple] = [{ prefixItems: [{}, point], items: { type: 'array' } }, { items: [{}, point] }]
    expect(decodeStringified(['{}', '{}', '[]'], tuple)).toEqual(['{}', {}, []])
    expect(decodeStringified(['{}', '{}', '[]'], oldTuple)).toEqual(['{}', {}, '[]'])
    const texts = ['[1]', '{}']
    expect(decodeStringified(texts, { type: 'array', items: { type: 'string' } })).toBe(texts)
  })

  it('keeps values that are nested deeper than 100 levels, even under a recursive schema', () => {
    const deep: unknown = JSON.parse('['.repeat(10_000) + ']'.repeat(10_000))
    expect(decodeStringified(deep, { type: 'array', items: { $ref: '#' } })).toBe(deep)
  })

  it('reads a union of unions with millions of branches in less than 1 s', () => {
    const branches = (level: number) => Array.from({ length: 20 }, () => ({ $ref: `#/$defs/u${level}` }))
    const unions = Array.from({ length: 7 }, (_, level) => [`u${level}`, { anyOf: branches(level + 1) }])
    const $defs = { ...Object.fromEntries(unions), u7: { type: 'object' } }
    const started = performance.now()
    expect(decodeStringified({ v: '{}' }, { properties: { v: { anyOf: branches(0) } }, $defs })).toEqual({ v: {} })
    expect(performance.now() - started).toBeLessThan(1_000)
  })

  it('keeps a string that the schema allows, even if it looks like JSON', () => {
    const kept = { note: '{"a":1}', either: '["a"]', anything: '{}', other: '[]' }
    expect(decodeStringified(kept, schema)).toBe(kept)
    expect(decodeStringified('{}', { type: ['string', 'object'] })).toBe('{}')
    expect(decodeStringified('{}', {})).toBe('{}')
  })

  it('keeps text of the wrong kind, so that the validator can report it', () => {
    for (const text of ['', 'null', '5', '[1]', '{', '{bad}', 'order 7', '"{}"']) {
      expect(decodeStringified(text, { type: 'object' })).toBe(text)
    }
    expect(decodeStringified('{"a":1}', { type: 'array' })).toBe('{"a":1}')
  })

  it('leaves every value that the schema allows unchanged', () => {
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
        const spellsAnObject = typeof bad === 'string' && isRecord(parseJson(bad))
        if (!spellsAnObject && !isRecord(bad)) expect(decoded).toBe(bad)
        if (isRecord(decoded) && Object.keys(decoded).length === 0) {
          expect(typeof bad === 'string' ? parseJson(bad) : bad).toEqual({})
        }
      }),
    )
  })

  it('keeps every key, does not change its input, and returns the same value when applied twice', () => {
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

  it('sets no prototype, even if the schema has a `__proto__` property', () => {
    const hostile = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"object"}}}') as JsonSchema
    const decoded = decodeStringified(JSON.parse('{"__proto__":"{\\"admin\\":true}"}'), hostile) as { admin?: boolean }
    expect(Object.keys(decoded)).toEqual(['__proto__'])
    expect(decoded.admin).toBeUndefined()
  })

  it.each([
    ['without an end', '{'],
    ['that only look like objects', '{}}'],
  ])('keeps 250,000 texts %s in a list with a union of 50 item types, in less than two seconds', (_, text) => {
    const names = Array.from({ length: 50 }, (_one, at) => `d${at}`)
    const $defs = Object.fromEntries(names.map((name) => [name, { type: 'object' }]))
    const items = { anyOf: names.map((name) => ({ $ref: `#/$defs/${name}` })) }
    const list = Array<string>(250_000).fill(text)
    const started = performance.now()
    expect(
      decodeStringified({ v: list }, { type: 'object', properties: { v: { type: 'array', items } }, $defs }),
    ).toEqual({ v: list })
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  it('does not throw for text with a million nested brackets', () => {
    expect(decodeStringified('['.repeat(1_000_000), { type: 'array' })).toBe('['.repeat(1_000_000))
    expect(decodeStringified('['.repeat(1_000_000) + ']'.repeat(1_000_000), { type: 'array' })).toBeDefined()
  })
})
