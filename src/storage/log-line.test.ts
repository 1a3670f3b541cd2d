import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from './any-text.fixture.ts'
import { toLine } from './log-line.ts'

describe('toLine', () => {
  it('writes a record as JSON on exactly one line, for any content', () => {
    fc.assert(
      fc.property(fc.dictionary(anyText(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 }), (record) => {
        const text = toLine(record)
        expect(text.indexOf('\n')).toBe(text.length - 1)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(record)))
      }),
    )
  })

  it('keeps the short fields of a record that is too long, and lists the removed fields in `cut`', () => {
    const text = 'é'.repeat(50_000)
    expect(JSON.parse(toLine({ time: 1, args: { text }, [text]: 1, ok: true }))).toEqual({
      time: 1,
      ok: true,
      cut: { bytes: expect.any(Number), fields: ['args', 'é'.repeat(100)] },
    })
  })

  it('writes no line that is longer than 64 KiB', () => {
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`field${n}`, '\0'.repeat(n % 900)]))
    const line = toLine(many)
    expect(line.length).toBeLessThanOrEqual(64 * 1_024)
    expect(JSON.parse(line).cut.fields).toHaveLength(20)
    const exact = { a: 'x'.repeat(64 * 1_024 - 9) }
    expect(toLine(exact).length).toBe(64 * 1_024)
    expect(JSON.parse(toLine(exact))).toEqual(exact)
    expect(JSON.parse(toLine({ a: `${exact.a}x` }))).toEqual({ cut: { bytes: 64 * 1_024, fields: ['a'] } })
  })

  it('throws a TypeError for a record that JSON cannot represent', () => {
    expect(() => toLine({ n: 1n })).toThrow(TypeError)
    expect(() => toLine({ toJSON: () => undefined })).toThrow(TypeError)
  })
})
