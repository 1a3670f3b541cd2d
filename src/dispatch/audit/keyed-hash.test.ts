import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createKeyedHash } from './keyed-hash.ts'

describe('createKeyedHash', () => {
  it('gives the same digits as HMAC-SHA-256 of Node, for every key of up to 64 bytes and every text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.string({ unit: 'grapheme', maxLength: 300 }), (key, text) => {
        expect(createKeyedHash(key)(text)).toBe(createHmac('sha256', key).update(text).digest('hex'))
      }),
    )
  })

  it('refuses a key of more than 64 bytes', () => {
    expect(() => createKeyedHash(new Uint8Array(65))).toThrow('The key has 65 bytes; at most 64 are allowed.')
  })
})
