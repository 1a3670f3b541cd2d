// All rankers by the name that `toolcrib eval --ranker` accepts. To add one, add a file and a line here.

import { allWords } from '../bm25f/all-words.ts'
import { bm25f } from '../bm25f/bm25f.ts'
import type { Ranker } from '../ranker.ts'
import { bm25 } from './bm25.ts'

/** The first ranker is the default. */
export const rankers: ReadonlyMap<string, Ranker> = new Map([
  ['bm25f', bm25f],
  ['bm25', bm25],
  ['words', allWords],
])
