import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampleOf } from './argument-sample.ts'
import { shapeOf } from './argument-shape.ts'
import { hostileInputs } from './hostile-input.fixture.ts'

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
