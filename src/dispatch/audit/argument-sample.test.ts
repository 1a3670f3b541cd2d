import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Sample, sampleOf } from './argument-sample.ts'
import { hostileInputs } from './hostile-input.fixture.ts'

/** Turns a sample back into a JSON value. */
function plainOf(sample: Sample): unknown {
  if (sample === null || typeof sample !== 'object') return sample
  if (sample.kind === 'text') return sample.text
  if (sample.kind === 'other') return `<${sample.type}>`
  if (sample.kind === 'list') return sample.items.map(plainOf)
  return Object.fromEntries(sample.entries.map(([key, value]) => [key.text, plainOf(value)]))
}

describe('sampleOf', () => {
  it('copies a small JSON value completely', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
        const { root, isPartial } = sampleOf(value)
        expect(isPartial).toBe(false)
        expect(JSON.stringify(plainOf(root))).toBe(JSON.stringify(value))
      }),
    )
  })

  it('leaves out the same properties as JSON.stringify', () => {
    expect(plainOf(sampleOf({ a: undefined, b: [undefined, Number.NaN] }).root)).toEqual({ b: [null, null] })
  })

  it('puts the type in place of a value that JSON cannot express, and marks the sample as partial', () => {
    const { root, isPartial } = sampleOf({ n: 1n, f: () => {}, s: Symbol('x') })
    expect(plainOf(root)).toEqual({ n: '<bigint>', f: '<function>', s: '<symbol>' })
    expect(isPartial).toBe(true)
  })

  it('does not run getters', () => {
    let runs = 0
    const { root } = sampleOf({
      get secret() {
        return ++runs
      },
    })
    expect(plainOf(root)).toEqual({ secret: '<getter>' })
    expect(runs).toBe(0)
  })

  it.each(hostileInputs)('gives a bounded sample of hostile input and never throws: %s', (_, input) => {
    const { root } = sampleOf(input)
    expect(JSON.stringify(root).length).toBeLessThan(3_000_000)
  })

  it('gives the whole length of a cut text, and counts the items and keys that it left out', () => {
    expect(sampleOf('x'.repeat(1_000_001)).root).toMatchObject({ chars: 1_000_001 })
    expect(sampleOf(Array.from({ length: 10_007 }, () => 0)).root).toMatchObject({ more: 7 })
    expect(sampleOf(Object.fromEntries(Array.from({ length: 10_007 }, (_, n) => [n, 0]))).root).toMatchObject({
      more: 7,
    })
  })
})
