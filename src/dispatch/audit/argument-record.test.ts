import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashArguments, shapeOf, valuesOf } from './argument-record.ts'
import { sampleOf } from './argument-sample.ts'
import { hostileInputs } from './hostile-input.fixture.ts'
import { createKeyedHash } from './keyed-hash.ts'

const newKeyedHash = () => createKeyedHash(randomBytes(32))
const keyedHash = newKeyedHash()
const hash = (input: unknown, by = keyedHash) => hashArguments(sampleOf(input), by)

/** A slow and obvious implementation to compare with. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${sorted.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`).join(',')}}`
}

describe('hashArguments', () => {
  it('gives the keyed hash of the canonical JSON and the number of its bytes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const expected = keyedHash(canonicalJson(value)).slice(0, 32)
        expect(hash(value)).toEqual({ hash: expected, bytes: Buffer.byteLength(JSON.stringify(value)) })
      }),
    )
  })

  it('gives the same hash for every order of the keys', () => {
    expect(hash({ a: 1, b: { c: 2, d: 3 } })).toEqual(hash({ b: { d: 3, c: 2 }, a: 1 }))
    expect(hash({ a: 1 }).hash).not.toBe(hash({ a: 2 }).hash)
    expect(hash([1, 2]).hash).not.toBe(hash([2, 1]).hash)
  })

  it('gives another hash under another key', () => {
    expect(hash({ pin: 1234 }, newKeyedHash()).hash).not.toBe(hash({ pin: 1234 }).hash)
  })

  it('gives different hashes for large arguments that differ only in length', () => {
    expect(hash('x'.repeat(2_000_000)).hash).not.toBe(hash('x'.repeat(2_000_001)).hash)
    expect(hash('x'.repeat(2_000_000)).hash).toBe(hash('x'.repeat(2_000_000)).hash)
  })

  it.each(hostileInputs)('gives the same hash for the same hostile input and never throws: %s', (_, input) => {
    expect(hash(input).hash).toMatch(/^[0-9a-f]{32}$/)
    expect(hash(input)).toEqual(hash(input))
  })
})

const shape = (input: unknown, redact = (text: string) => text) => shapeOf(sampleOf(input).root, redact)

describe('shapeOf', () => {
  it('shows the keys and types of arguments', () => {
    expect(
      shape({ path: 'a.txt', line: 3, force: true, note: null, edits: [{ at: 1 }, { at: 2 }], mixed: ['a', 1, 'b'] }),
    ).toEqual({
      path: 'string',
      line: 'number',
      force: 'boolean',
      note: 'null',
      edits: [{ at: 'number' }],
      mixed: ['string', 'number'],
    })
    expect(shape(undefined)).toBe('undefined')
    expect(shape('text')).toBe('string')
    expect(shape([])).toEqual([])
  })

  it('never shows a value', () => {
    const value = fc.jsonValue({ maxDepth: 6 })
    const marked = (input: unknown): unknown => {
      if (typeof input === 'string') return `secret${input}`
      if (typeof input === 'number') return 7_777_777
      if (Array.isArray(input)) return input.map(marked)
      if (typeof input !== 'object' || input === null) return input
      return Object.fromEntries(Object.entries(input).map(([key, inner]) => [key, marked(inner)]))
    }
    fc.assert(
      fc.property(value, (input) => {
        expect(JSON.stringify(shape(marked(input))) ?? '').not.toMatch(/secret|7777777/)
      }),
    )
  })

  it('shows keys such as `__proto__` and `constructor` as plain keys', () => {
    const shown = shape(JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2}'))
    expect(JSON.stringify(shown)).toBe('{"__proto__":{"polluted":"number"},"constructor":"number"}')
    expect(Object.getPrototypeOf(shown)).toBe(Object.prototype)
  })

  it('counts the keys that it does not show, and cuts long keys', () => {
    const wide = shape(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, n])))
    expect(Object.keys(wide)).toHaveLength(33)
    expect(wide).toHaveProperty('…', '18 more')
    expect(Object.keys(shape({ ['k'.repeat(500)]: 1 }))[0]?.length).toBeLessThanOrEqual(64)
  })

  it('shows at most five levels', () => {
    expect(shape([[[[[[1]]]]]])).toEqual([[[[['list']]]]])
    expect(shape({ a: { a: { a: { a: { a: { a: 1 } } } } } })).toEqual({ a: { a: { a: { a: { a: 'object' } } } } })
  })

  it('removes known secrets from keys', () => {
    expect(shape({ 'sk-123': 1 }, (text) => text.replace('sk-123', '***'))).toEqual({ '***': 'number' })
  })

  it.each(hostileInputs)('gives a shape of less than 10,000 characters for hostile input: %s', (_, input) => {
    expect(JSON.stringify(shape(input)).length).toBeLessThan(10_000)
  })
})

const secret = 'sk-0123456789abcdef'
const redact = (text: string) => text.replaceAll(secret, '***')
const values = (input: unknown) => valuesOf(sampleOf(input).root, redact)

describe('valuesOf', () => {
  it('gives small arguments back unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (input) => {
        expect(JSON.stringify(values(input))).toBe(JSON.stringify(input))
      }),
    )
  })

  it('removes known secrets from values and keys', () => {
    expect(values({ auth: `Bearer ${secret}`, [secret]: [secret] })).toEqual({ auth: 'Bearer ***', '***': ['***'] })
  })

  it('shows no part of a secret for any position at which a long text is cut', () => {
    const around = fc.integer({ min: 3_950, max: 4_050 })
    const filler = fc.constantFrom('x', `${secret} `, 'xy ')
    fc.assert(
      fc.property(around, filler, fc.nat(30_000), (at, fill, rest) => {
        const before = fill.repeat(at).slice(0, at)
        const shown = JSON.stringify(values([`${before}${secret}${'z'.repeat(rest)}`]))
        // A filler that is itself the secret can end with a part of it, because the test cuts it.
        if (fill.startsWith('x')) expect(shown).not.toContain(secret.slice(0, 6))
        expect(shown).not.toContain(secret)
      }),
    )
  })

  it('shows no part of a secret that the sample has cut', () => {
    const input = ['x'.repeat(1_000_000 - 8), secret]
    expect(JSON.stringify(values(input))).not.toContain('sk-')
  })

  it.each(hostileInputs)('gives bounded values for hostile input and never throws: %s', (_, input) => {
    expect((JSON.stringify(values(input)) ?? '').length).toBeLessThan(40_000)
  })
})
