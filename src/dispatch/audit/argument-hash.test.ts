import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashArguments } from './argument-hash.ts'
import { sampleOf } from './argument-sample.ts'
import { hostileInputs } from './hostile-input.fixture.ts'

const key = createSecretKey(randomBytes(32))
const hash = (input: unknown, by = key) => hashArguments(sampleOf(input), by)

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
        const expected = createHmac('sha256', key).update(canonicalJson(value)).digest('hex').slice(0, 32)
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
    expect(hash({ pin: 1234 }, createSecretKey(randomBytes(32))).hash).not.toBe(hash({ pin: 1234 }).hash)
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
