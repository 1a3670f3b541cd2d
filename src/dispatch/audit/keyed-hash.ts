// HMAC-SHA-256 in two calls of `crypto.hash`. On Node 24, `createHmac` takes three to eight times as long.

import { hash } from 'node:crypto'

/** Returns 64 hexadecimal digits. Without the key, the text cannot be guessed from them. */
export type KeyedHash = (text: string) => string

const BLOCK_BYTES = 64

/** Throws for a key of more than 64 bytes, because HMAC would have to hash it first. */
export function createKeyedHash(key: Uint8Array): KeyedHash {
  if (key.length > BLOCK_BYTES)
    throw new RangeError(`The key has ${key.length} bytes; at most ${BLOCK_BYTES} are allowed.`)
  const inner = padded(key, 0x36)
  const outer = padded(key, 0x5c)
  return (text) => {
    const digest = hash('sha256', Buffer.concat([inner, Buffer.from(text)]), 'buffer')
    return hash('sha256', Buffer.concat([outer, digest]), 'hex')
  }
}

function padded(key: Uint8Array, pad: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES, pad)
  for (const [at, byte] of key.entries()) block[at] = byte ^ pad
  return block
}
