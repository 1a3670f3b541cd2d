// Writes the o200k tokens to one compact file for src/core/token-ranks.ts. The package contains this file instead of
// gpt-tokenizer.

import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'

/**
 * A token of more than one byte is the join of two tokens of lower ranks. The file has the 256 tokens of one byte, then
 * the ranks of both parts of each other token, as six planes: the low bytes of all first parts, their middle bytes, their
 * high bytes, and the same of the second parts. Compressed, this is a third smaller than the bytes of the tokens.
 */
export function writeTokenRanks(file) {
  const published = createRequire(import.meta.url).resolve('gpt-tokenizer/data/o200k_base.tiktoken')
  const newest = Math.max(...[published, fileURLToPath(import.meta.url)].map((path) => statSync(path).mtimeMs))
  // Compression takes seconds.
  if ((statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > newest) return
  const tokens = readTokens(published)
  const rankOf = new Map(tokens.map((token, rank) => [token, rank]))
  const isSingle = tokens.every(({ length }, rank) => (length === 1) === rank < 256)
  if (!isSingle) throw new Error('The first 256 tokens are not the tokens of one byte.')
  const pairs = tokens.slice(256).map((token, at) => partsOf(token, at + 256, rankOf))
  const planes = [0, 1].flatMap((side) =>
    [0, 8, 16].map((shift) => Buffer.from(pairs.map((pair) => (pair[side] >> shift) & 0xff))),
  )
  const singles = Buffer.from(tokens.slice(0, 256).join(''), 'latin1')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, compress(Buffer.concat([singles, ...planes])))
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

function compress(bytes) {
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  return brotliCompressSync(bytes, { params })
}
