// Reads the file of tokens that scripts/token-ranks.mjs writes. The script documents the format.

import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'

/** The tokens of an encoding, by rank. */
export interface TokenRanks {
  readonly lengths: Uint8Array
  /** The bytes of all tokens. */
  readonly bytes: Uint8Array
}

/** The number of tokens of one byte. Every other token is the join of two tokens of lower ranks. */
const SINGLES = 256

/** Decompresses the file in another thread, then builds the bytes of all tokens. */
export async function unpackRanks(file: Uint8Array): Promise<TokenRanks> {
  const packed = await promisify(brotliDecompress)(file)
  // A side has the first or the second part of each join: one byte for each token, then two bytes for each join.
  const joins = (packed.length - SINGLES - 2 * SINGLES) / 6
  const sideSize = SINGLES + 3 * joins
  const firsts = unpackSide(packed.subarray(SINGLES, SINGLES + sideSize), joins)
  const seconds = unpackSide(packed.subarray(SINGLES + sideSize), joins)
  const lengths = new Uint8Array(SINGLES + joins).fill(1, 0, SINGLES)
  const offsets = new Uint32Array(SINGLES + joins + 1)
  for (let rank = 0; rank < SINGLES; rank++) offsets[rank + 1] = rank + 1
  for (let join = 0; join < joins; join++) {
    const length = (lengths[firsts[join] ?? 0] ?? 0) + (lengths[seconds[join] ?? 0] ?? 0)
    lengths[SINGLES + join] = length
    offsets[SINGLES + join + 1] = (offsets[SINGLES + join] ?? 0) + length
  }
  const bytes = new Uint8Array(offsets[SINGLES + joins] ?? 0)
  bytes.set(packed.subarray(0, SINGLES))
  for (let join = 0, end = SINGLES; join < joins; join++) {
    for (const part of [firsts[join] ?? 0, seconds[join] ?? 0]) {
      // Tokens have a few bytes: a loop is faster than `copyWithin`.
      for (let at = offsets[part] ?? 0; at < (offsets[part + 1] ?? 0); at++) bytes[end++] = bytes[at] ?? 0
    }
  }
  return { lengths, bytes }
}

/** Returns the rank of this part of each join. */
function unpackSide(side: Uint8Array, joins: number): Uint32Array {
  const size = SINGLES + joins
  const order = ranksByUse(side.subarray(0, size))
  const [low, high] = [side.subarray(size, size + joins), side.subarray(size + joins)]
  return Uint32Array.from({ length: joins }, (_, join) => order[(low[join] ?? 0) + (high[join] ?? 0) * 0x1_00] ?? 0)
}

/** The ranks of all tokens. `uses` has one byte for each token: tokens with a higher byte are first. */
function ranksByUse(uses: Uint8Array): Uint32Array {
  const starts = new Uint32Array(257)
  for (const use of uses) starts[255 - use + 1] = (starts[255 - use + 1] ?? 0) + 1
  for (let at = 1; at < starts.length; at++) starts[at] = (starts[at] ?? 0) + (starts[at - 1] ?? 0)
  const order = new Uint32Array(uses.length)
  for (const [rank, use] of uses.entries()) {
    const at = starts[255 - use] ?? 0
    order[at] = rank
    starts[255 - use] = at + 1
  }
  return order
}
