// Writes the o200k tokens to one compact file for src/core/byte-pairs.ts. The package contains this file instead of
// gpt-tokenizer.

import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'

/**
 * A token of more than one byte is the join of two tokens of lower ranks. Some tokens are part of many others, so the file
 * stores first all left parts and then all right parts, each in this form:
 *
 * - one byte for each token: 0 if the token is never such a part, else 1 plus the base-2 logarithm (rounded down) of
 *   its number of uses,
 * - for each join, the place of its part among all tokens, which are sorted by this byte: the low bytes, then the high bytes.
 *
 * The 256 tokens of one byte come first. Compressed, this is a third smaller than the bytes of the tokens.
 */
export function writeTokenRanks(file) {
  const published = createRequire(import.meta.url).resolve('gpt-tokenizer/data/o200k_base.tiktoken')
  const newest = Math.max(...[published, fileURLToPath(import.meta.url)].map((path) => statSync(path).mtimeMs))
  // A file that is newer than its sources is kept, because compression takes seconds.
  if ((statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > newest) return
  const tokens = readTokens(published)
  const rankOf = new Map(tokens.map((token, rank) => [token, rank]))
  const isSingle = tokens.every(({ length }, rank) => (length === 1) === rank < 256)
  if (!isSingle) throw new Error('The first 256 tokens are not the tokens of one byte.')
  const pairs = tokens.slice(256).map((token, at) => partsOf(token, at + 256, rankOf))
  const sides = [0, 1].map((side) =>
    packSide(
      tokens.length,
      pairs.map((pair) => pair[side]),
    ),
  )
  const singles = Buffer.from(tokens.slice(0, 256).join(''), 'latin1')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, compress(Buffer.concat([singles, ...sides])))
}

/** The tokens by rank. Each character is one byte. */
function readTokens(file) {
  const tokens = []
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const [token, rank] = line.split(' ')
    tokens[Number(rank)] = Buffer.from(token, 'base64').toString('latin1')
  }
  return tokens
}

/** The ranks of the two tokens that remain when the tokens of lower ranks are merged. */
function partsOf(token, rank, rankOf) {
  const parts = [...token]
  while (parts.length > 2) {
    let [lowest, place] = [rank, -1]
    for (let at = 0; at + 1 < parts.length; at++) {
      const joined = rankOf.get(parts[at] + parts[at + 1]) ?? rank
      if (joined < lowest) [lowest, place] = [joined, at]
    }
    if (place === -1) throw new Error(`The token of rank ${rank} is not the join of two tokens.`)
    parts.splice(place, 2, parts[place] + parts[place + 1])
  }
  return parts.map((part) => rankOf.get(part))
}

function packSide(size, parts) {
  const counts = new Uint32Array(size)
  for (const part of parts) counts[part]++
  const uses = Buffer.from(Array.from(counts, (count) => (count === 0 ? 0 : 1 + Math.floor(Math.log2(count)))))
  const order = Array.from(uses.keys()).sort((a, b) => uses[b] - uses[a] || a - b)
  const places = new Uint32Array(size)
  for (const [place, rank] of order.entries()) places[rank] = place
  const wanted = parts.map((part) => places[part])
  if (wanted.some((place) => place > 0xff_ff)) throw new Error('Too many tokens are parts of others.')
  return Buffer.concat([
    uses,
    Buffer.from(wanted.map((place) => place & 0xff)),
    Buffer.from(wanted.map((place) => place >> 8)),
  ])
}

function compress(bytes) {
  const params = {
    // This window gives the smallest file: nothing repeats over long distances, and small blocks adapt better to the
    // different parts of the file.
    [constants.BROTLI_PARAM_LGWIN]: 16,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  return brotliCompressSync(bytes, { params })
}
