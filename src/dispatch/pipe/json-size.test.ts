import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createJsonSize } from './json-size.ts'

const LIMIT = 1_000_000

describe('the size of a value as JSON', () => {
  it('gives the byte length of JSON.stringify for any value', () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withNullPrototype: true, maxDepth: 4 }), (value) => {
        const written = JSON.stringify([value])
        expect(createJsonSize(LIMIT)([value])).toBe(Buffer.byteLength(written))
      }),
    )
  })

  it('gives the same size when asked again, even for a nested value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const sizeOf = createJsonSize(LIMIT)
        const pair = [value, { again: value }]
        expect(sizeOf(pair)).toBe(Buffer.byteLength(JSON.stringify(pair)))
        expect(sizeOf(pair)).toBe(Buffer.byteLength(JSON.stringify(pair)))
        expect(sizeOf(value)).toBe(Buffer.byteLength(JSON.stringify(value)))
      }),
    )
  })

  it('counts the result of toJSON, and null when toJSON throws', () => {
    const sizeOf = createJsonSize(LIMIT)
    const when = new Date(0)
    expect(sizeOf({ when })).toBe(JSON.stringify({ when }).length)
    const broken = { toJSON: () => raise() }
    expect(sizeOf([broken])).toBe(6)
  })

  it('gives an exact size up to the limit and Infinity beyond it', () => {
    const sizeOf = createJsonSize(10)
    expect(sizeOf('12345678')).toBe(10)
    expect(sizeOf('123456789')).toBe(Number.POSITIVE_INFINITY)
    expect(sizeOf([1, 2, 3, 40])).toBe(10)
    expect(sizeOf([1, 2, 3, 400])).toBe(Number.POSITIVE_INFINITY)
    expect(sizeOf({ a: '1234567' })).toBe(Number.POSITIVE_INFINITY)
  })

  it('gives an exact size for a small value inside one that exceeds the limit', () => {
    const sizeOf = createJsonSize(20)
    const small = { a: 1 }
    expect(sizeOf(['x'.repeat(15), small])).toBe(Number.POSITIVE_INFINITY)
    expect(sizeOf(small)).toBe(7)
  })

  it('gives Infinity for a circular value', () => {
    const ring: unknown[] = [1]
    ring.push({ ring })
    expect(createJsonSize(LIMIT)(ring)).toBe(Number.POSITIVE_INFINITY)
  })

  it('quickly finds the size of lists that contain the same list twice, nested a hundred times', () => {
    const sizeOf = createJsonSize(LIMIT)
    let value: unknown = 'x'
    for (let level = 0; level < 100; level++) value = [value, value]
    expect(sizeOf(value)).toBe(Number.POSITIVE_INFINITY)
  })

  it('gives Infinity for a value nested too deeply, but an exact size for the value inside it', () => {
    const sizeOf = createJsonSize(LIMIT)
    const inside: unknown = JSON.parse(`${'['.repeat(9_000)}${']'.repeat(9_000)}`)
    let value = inside
    for (let level = 0; level < 200_000; level++) value = [value]
    expect(sizeOf(value)).toBe(Number.POSITIVE_INFINITY)
    expect(sizeOf(inside)).toBe(18_000)
    expect(sizeOf([[inside]])).toBe(18_004)
  })

  it('gives Infinity for an object with a toJSON that returns the object again', () => {
    const again = { toJSON: () => [again] }
    expect(createJsonSize(LIMIT)(again)).toBe(Number.POSITIVE_INFINITY)
  })
})

function raise(): never {
  throw new Error('not today')
}
