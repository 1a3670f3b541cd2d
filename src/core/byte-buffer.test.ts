import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createByteBuffer } from './byte-buffer.ts'

describe('a byte buffer', () => {
  it('holds the appended bytes, and refuses a chunk that would exceed its limit', () => {
    const chunk = fc.uint8Array({ maxLength: 9_000 })
    fc.assert(
      fc.property(fc.array(chunk), (chunks) => {
        const buffer = createByteBuffer(20_000)
        let expected = Buffer.alloc(0)
        for (const one of chunks) {
          const fits = expected.length + one.length <= 20_000
          expect(buffer.append(one)).toBe(fits)
          if (fits) expected = Buffer.concat([expected, one])
        }
        expect(Buffer.from(buffer.join()).equals(expected)).toBe(true)
        expect(Buffer.concat(buffer.segments).equals(expected)).toBe(true)
        expect(buffer.length).toBe(expected.length)
        buffer.clear()
        expect({ length: buffer.length, segments: buffer.segments }).toEqual({ length: 0, segments: [] })
        expect(buffer.append(Buffer.from('again'))).toBe(true)
        expect(Buffer.from(buffer.join()).toString()).toBe('again')
      }),
    )
  })
})
