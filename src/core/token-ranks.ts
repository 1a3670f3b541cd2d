// Reads the file of tokens that scripts/token-ranks.mjs writes.

import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'

/** The tokens of an encoding, by rank. */
export interface TokenRanks {
  readonly lengths: Uint8Array
  /** The bytes of all tokens. */
  readonly bytes: Uint8Array
}

const SINGLES = 256
const PLANES = 6

/** Decompresses in another thread. Then each token is built from two tokens of lower ranks. */
export async function unpackRanks(file: Uint8Array): Promise<TokenRanks> {
  const packed = await promisify(brotliDecompress)(file)
  const pairs = (packed.length - SINGLES) / PLANES
  const partOf = (pair: number, side: 0 | 1): number => {
    const at = SINGLES + pair + side * 3 * pairs
    return (packed[at] ?? 0) + (packed[at + pairs] ?? 0) * 0x1_00 + (packed[at + 2 * pairs] ?? 0) * 0x1_00_00
  }
  const lengths = new Uint8Array(SINGLES + pairs).fill(1, 0, SINGLES)
  const offsets = new Uint32Array(SINGLES + pairs + 1)
  for (let rank = 0; rank < SINGLES; rank++) offsets[rank + 1] = rank + 1
  for (let pair = 0; pair < pairs; pair++) {
    const length = (lengths[partOf(pair, 0)] ?? 0) + (lengths[partOf(pair, 1)] ?? 0)
    lengths[SINGLES + pair] = length
    offsets[SINGLES + pair + 1] = (offsets[SINGLES + pair] ?? 0) + length
  }
  const bytes = new Uint8Array(offsets[SINGLES + pairs] ?? 0)
  bytes.set(packed.subarray(0, SINGLES))
  for (let pair = 0, end = SINGLES; pair < pairs; pair++) {
    for (const side of [0, 1] as const) {
      const rank = partOf(pair, side)
      // Tokens have a few bytes: a loop is faster than `copyWithin`.
      for (let at = offsets[rank] ?? 0; at < (offsets[rank + 1] ?? 0); at++) bytes[end++] = bytes[at] ?? 0
    }
  }
  return { lengths, bytes }
}
