// An index as the sections of a file: numbers as they lie in memory, so that nobody need read the tools again.

import type { Sections } from '../../storage/section-file.ts'
import type { Index } from '../ranker.ts'
import { printThesaurus } from '../words/thesaurus.ts'
import { builtParts } from './bm25f.ts'

/** For `openSavedIndex`; undefined for an index that `bm25f` has not built. */
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
