// All rankers by the name that `discovery.search.ranker` and `eval --ranker` accept. To add one, add a file and a line here.

import { allWords } from '../bm25f/all-words.ts'
import { bm25f } from '../bm25f/bm25f.ts'
import { defineRanker, type RankerPlugin } from '../ranker.ts'
import { bm25 } from './bm25.ts'

/** The first ranker is the default. */
export const rankers: ReadonlyMap<string, RankerPlugin> = new Map(
  [
    defineRanker({ name: 'bm25f', rank: bm25f }),
    defineRanker({ name: 'bm25', rank: bm25 }),
    defineRanker({ name: 'words', rank: allWords }),
  ].map((ranker) => [ranker.name, ranker]),
)
