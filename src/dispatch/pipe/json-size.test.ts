import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createJsonSize } from './json-size.ts'

const LIMIT = 1_000_000

describe('the size of a value as JSON', () => {
  it('is the length of its text in bytes, whatever the value', () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withNullPrototype: true, maxDepth: 4 }), (value) => {
        const written = JSON.stringify([value])
        expect(createJsonSize(LIMIT)([value])).toBe(Buffer.byteLength(written))
      }),
    )
  })

  it('is the same when asked again, also for what is inside', () => {
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

  it('counts what an object is written as', () => {
    const sizeOf = createJsonSize(LIMIT)
    const when = new Date(0)
    expect(sizeOf({ when })).toBe(JSON.stringify({ when }).length)
    const broken = { toJSON: () => raise() }
    expect(sizeOf([broken])).toBe(6)
  })

  it('is known at the limit and endless past it', () => {
    const sizeOf = createJsonSize(10)
    expect(sizeOf('12345678')).toBe(10)
    expect(sizeOf('123456789')).toBe(Number.POSITIVE_INFINITY)
    expect(sizeOf([1, 2, 3, 40])).toBe(10)
    expect(sizeOf([1, 2, 3, 400])).toBe(Number.POSITIVE_INFINITY)
    expect(sizeOf({ a: '1234567' })).toBe(Number.POSITIVE_INFINITY)
  })

  it('is not held against a small part of something endless', () => {
    const sizeOf = createJsonSize(20)
    const small = { a: 1 }
    expect(sizeOf(['x'.repeat(15), small])).toBe(Number.POSITIVE_INFINITY)
    expect(sizeOf(small)).toBe(7)
  })

  it('is endless for what is inside itself', () => {
    const ring: unknown[] = [1]
    ring.push({ ring })
    expect(createJsonSize(LIMIT)(ring)).toBe(Number.POSITIVE_INFINITY)
  })

  it('is found at once for lists that hold each other twice, a hundred times over', () => {
    const sizeOf = createJsonSize(LIMIT)
    let value: unknown = 'x'
    for (let level = 0; level < 100; level++) value = [value, value]
    expect(sizeOf(value)).toBe(Number.POSITIVE_INFINITY)
  })

  it('is endless for what nests deeper than can be written, but not for what is inside', () => {
    const sizeOf = createJsonSize(LIMIT)
    const inside: unknown = JSON.parse(`${'['.repeat(9_000)}${']'.repeat(9_000)}`)
    let value = inside
    for (let level = 0; level < 200_000; level++) value = [value]
    expect(sizeOf(value)).toBe(Number.POSITIVE_INFINITY)
    expect(sizeOf(inside)).toBe(18_000)
    expect(sizeOf([[inside]])).toBe(18_004)
  })

  it('is endless for what gives itself anew whenever it is written', () => {
    const again = { toJSON: () => [again] }
    expect(createJsonSize(LIMIT)(again)).toBe(Number.POSITIVE_INFINITY)
  })
})

function raise(): never {
  throw new Error('not today')
}
