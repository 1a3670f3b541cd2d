// The rankers there are, by the name that `toolcrib eval --ranker` takes. A new one is a file and a line here.

import { allWords } from './all-words.ts'
import { bm25 } from './bm25.ts'
import { bm25f } from './bm25f/bm25f.ts'
import type { Ranker } from './ranker.ts'

/** The first is the one that the crib searches with. */
export const rankers: ReadonlyMap<string, Ranker> = new Map([
  ['bm25f', bm25f],
  ['bm25', bm25],
  ['words', allWords],
])
