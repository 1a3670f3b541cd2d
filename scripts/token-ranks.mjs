// Writes the o200k tokens to one compact file for src/core/byte-pairs.ts: the number of tokens in four bytes, the
// length of each token in the order of the ranks, then their bytes. The package contains this file instead of gpt-tokenizer.

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
