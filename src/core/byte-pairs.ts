// Counts the tokens of a text in the o200k encoding. scripts/token-ranks.mjs writes the file with its tokens.

import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'

const CONTRACTION = "(?:'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE]))?"
const UPPER = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]'
const LOWER = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]'
/** Matches the words into which the encoding splits a text. A token never spans two words. */
const WORDS = [
  `[^\\r\\n\\p{L}\\p{N}]?${UPPER}*${LOWER}+${CONTRACTION}`,
  `[^\\r\\n\\p{L}\\p{N}]?${UPPER}+${LOWER}*${CONTRACTION}`,
  '\\p{N}{1,3}',
  ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*',
  '\\s*[\\r\\n]+',
  '\\s+(?!\\S)',
  '\\s+',
].join('|')

/** The rank of bytes that are not a token. */
const NONE = 0x7f_ff_ff_ff
const MAX_CACHED_WORDS = 4_096

/** Returns a function that counts tokens. Its time grows with the square of the length of the longest word. */
export function createBytePairCounter(ranks: TokenRanks): (text: string) => number {
  const rankOf = createRankTable(ranks)
  const words = new RegExp(WORDS, 'gu')
  const encoder = new TextEncoder()
  const cache = new Map<string, number>()
  let bytes = new Uint8Array(1_024)

  const countWord = (word: string): number => {
    if (word.length * 3 > bytes.length) bytes = new Uint8Array(word.length * 3)
    const { written } = encoder.encodeInto(word, bytes)
    if (rankOf(bytes, 0, written) !== NONE) return 1
    const known = cache.get(word)
    if (known !== undefined) return known
    const count = countMerged(bytes, written, rankOf)
    if (cache.size >= MAX_CACHED_WORDS) cache.clear()
    cache.set(word, count)
    return count
  }

  return (text) => {
    let count = 0
    words.lastIndex = 0
    for (let found = words.exec(text); found !== null; found = words.exec(text)) count += countWord(found[0])
    return count
  }
}

type RankOf = (bytes: Uint8Array, from: number, to: number) => number

/**
 * Counts the parts of a word after byte pair merging: joins the two neighbours that form the token of the lowest rank,
 * until no neighbours form a token.
 */
function countMerged(bytes: Uint8Array, length: number, rankOf: RankOf): number {
  /** Where each part of the word starts, and the end as the last item. At first each byte is a part. */
  const starts = Array.from({ length: length + 1 }, (_, at) => at)
  /** The rank of the token that a part forms with the next part. */
  const rankAt = (at: number): number => {
    const [from, to] = [starts[at], starts[at + 2]]
    return from === undefined || to === undefined ? NONE : rankOf(bytes, from, to)
  }
  const ranks = starts.map((_, at) => rankAt(at))
  for (;;) {
    let [lowest, position] = [NONE, -1]
    for (let at = 0; at < ranks.length; at++) {
      const rank = ranks[at] ?? NONE
      if (rank < lowest) [lowest, position] = [rank, at]
    }
    if (position === -1) return starts.length - 1
    starts.splice(position + 1, 1)
    ranks.splice(position + 1, 1)
    ranks[position] = rankAt(position)
    if (position > 0) ranks[position - 1] = rankAt(position - 1)
  }
}

/** A hash table over the bytes of all tokens. 200,000 JavaScript strings would take twenty times the memory. */
function createRankTable({ lengths, bytes: tokens }: TokenRanks): RankOf {
  const size = lengths.length
  const offsets = new Uint32Array(size)
  const mask = 2 ** Math.ceil(Math.log2(size * 2)) - 1
  /** Rank + 1 by hash; 0 is an empty slot. */
  const slots = new Uint32Array(mask + 1)
  let end = 0
  for (let rank = 0; rank < size; rank++) {
    offsets[rank] = end
    const from = end
    end += lengths[rank] ?? 0
    let slot = hashOf(tokens, from, end) & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = rank + 1
  }
  return (bytes, from, to) => {
    const length = to - from
    for (let slot = hashOf(bytes, from, to) & mask; ; slot = (slot + 1) & mask) {
      const rank = (slots[slot] ?? 0) - 1
      if (rank < 0) return NONE
      if (lengths[rank] !== length) continue
      const start = offsets[rank] ?? 0
      let at = 0
      while (at < length && tokens[start + at] === bytes[from + at]) at++
      if (at === length) return rank
    }
  }
}

/** The FNV-1a hash. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x81_1c_9d_c5
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01_00_01_93)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** The tokens of an encoding, by rank. */
interface TokenRanks {
  readonly lengths: Uint8Array
  /** The bytes of all tokens. */
  readonly bytes: Uint8Array
}

/** The number of tokens that are one byte long. Every other token is the join of two tokens of lower ranks. */
const SINGLES = 256

/** Decompresses the file in another thread, then builds the bytes of all tokens. */
export async function unpackRanks(file: Uint8Array): Promise<TokenRanks> {
  const packed = await promisify(brotliDecompress)(file)
  // After the tokens of one byte, the file has two sides: for the first and for the second part of each join. A side
  // has one byte for each token, then two bytes for each join.
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

/** For each join, the rank of the part that this side of the file describes. */
function unpackSide(side: Uint8Array, joins: number): Uint32Array {
  const size = SINGLES + joins
  const order = ranksByUse(side.subarray(0, size))
  const [low, high] = [side.subarray(size, size + joins), side.subarray(size + joins)]
  return Uint32Array.from({ length: joins }, (_, join) => order[(low[join] ?? 0) + (high[join] ?? 0) * 0x1_00] ?? 0)
}

/** Sorts the ranks of all tokens by their byte in `uses`, the highest byte first. */
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
