// Saves an index as sections of a file. Numbers are stored as in memory, so that loading does not read the tools again.

import type { Sections } from '../../storage/section-file.ts'
import type { Index } from '../ranker.ts'
import { printThesaurus } from '../words/thesaurus.ts'
import { builtParts } from './bm25f.ts'

/** The input of `openSavedIndex`. Undefined for an index that `bm25f` did not build. */
export function saveIndex(index: Index): Sections | undefined {
  const parts = builtParts(index)
  if (parts === undefined) return undefined
  const { vocabulary, postings, sizes } = parts
  const { words, pairs } = vocabulary.terms
  const sortedPairs = [...pairs].sort(([a], [b]) => a - b)
  const sortedWords = [...words].sort(([a], [b]) => (a < b ? -1 : 1))
  const wordStarts = new Uint32Array(sortedWords.length + 1)
  sortedWords.forEach(([word], at) => {
    wordStarts[at + 1] = (wordStarts[at] ?? 0) + word.length
  })
  return {
    words: Buffer.from(sortedWords.map(([word]) => word).join('')),
    wordStarts: bytesOf(wordStarts),
    wordIds: bytesOf(Uint32Array.from(sortedWords, ([, id]) => id)),
    pairKeys: bytesOf(Float64Array.from(sortedPairs, ([key]) => key)),
    pairIds: bytesOf(Uint32Array.from(sortedPairs, ([, id]) => id)),
    starts: bytesOf(postings.starts),
    tools: bytesOf(postings.tools),
    impacts: bytesOf(postings.impacts),
    sources: bytesOf(postings.sources),
    sizes: bytesOf(Uint32Array.from(sizes)),
    thesaurus: Buffer.from(printThesaurus()),
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
