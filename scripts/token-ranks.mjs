// Writes the o200k tokens as one compact file, which src/core/byte-pairs.ts reads: their number in four bytes, the
// length of each in the order of their ranks, then their bytes. The package ships this file in place of gpt-tokenizer.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'

export function writeTokenRanks(file) {
  const published = createRequire(import.meta.url).resolve('gpt-tokenizer/data/o200k_base.tiktoken')
  const tokens = []
  for (const line of readFileSync(published, 'utf8').trim().split('\n')) {
    const [token, rank] = line.split(' ')
    tokens[Number(rank)] = Buffer.from(token, 'base64')
  }
  const lengths = Buffer.from(tokens.map(({ length }) => length))
  const head = Buffer.alloc(4)
  head.writeUInt32LE(tokens.length)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, Buffer.concat([head, lengths, ...tokens]))
}
