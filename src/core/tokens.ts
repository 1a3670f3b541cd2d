// Counts tokens with the o200k encoding. The file of ranks is read at the first call of `loadTokenCounter`.

import { readFile } from 'node:fs/promises'
import { createBytePairCounter } from './byte-pairs.ts'
import { unpackRanks } from './token-ranks.ts'
import { partsOf, STRIDE } from './token-strides.ts'

/** Exact, except for runs of hundreds of characters without a break: their count is an estimate. */
export type CountTokens = (text: string) => number

/** The build writes the file to `dist`. */
const RANK_FILE = '../../dist/core/o200k.bin'

let loading: Promise<CountTokens> | undefined

export function loadTokenCounter(): Promise<CountTokens> {
  loading ??= readRanks()
    .then(unpackRanks)
    .then((ranks) => {
      const count = createBytePairCounter(ranks)
      return (text) => (text.length <= STRIDE ? count(text) : countInStrides(text, count))
    })
  return loading
}

async function readRanks(): Promise<Uint8Array> {
  const read = (file: string) => readFile(new URL(file, import.meta.url))
  // The benchmarks are built one folder deeper.
  return read(RANK_FILE).catch(() => read(`../${RANK_FILE}`))
}

function countInStrides(text: string, count: CountTokens): number {
  let tokens = 0
  for (const part of partsOf(text)) tokens += count(part)
  return tokens
}
