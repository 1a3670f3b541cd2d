// Opens an index from its parts, which were built now or loaded from a file.

import type { Snapshot } from '../../catalog/tool-set.ts'
import type { DescribedTool } from '../../core/tool.ts'
import type { Index } from '../ranker.ts'
import { tokenize } from '../tokenize.ts'
import { stem } from '../words/stem.ts'
import { choose, EXACT_SCORE } from './choose.ts'
import { explain } from './explain.ts'
import { Names } from './names.ts'
import type { Postings } from './postings.ts'
import { readQuery } from './query.ts'
import { Scorer } from './score.ts'
import { Terms } from './terms.ts'
import type { Tuning } from './tuning.ts'
import type { ReadonlyVocabulary } from './vocabulary.ts'

/** The parts of an index, without the tools themselves. */
export interface IndexParts {
  readonly vocabulary: ReadonlyVocabulary
  readonly postings: Postings
  /** The number of tools in each segment. */
  readonly sizes: readonly number[]
}

export function openIndex(parts: IndexParts, tuning: Tuning, snapshot: Snapshot<DescribedTool>): Index {
  const { vocabulary, postings, sizes } = parts
  const { tools } = snapshot
  const terms = new Terms(vocabulary, postings, tuning)
  const names = new Names(tools, snapshot)
  const scorer = new Scorer(postings, sizes, tuning)
  const isKnown = (text: string) => tokenize(text).every((word) => terms.idOf(stem(word)) !== undefined)

  const scoresOf = (query: string): Float64Array => {
    const scores = scorer.score(readQuery(query, terms, tuning))
    for (const [position, relevance] of names.findNamed(query, isKnown)) {
      // If a query names several tools in the same way, the one with the higher score comes first. The score adds at
      // most 0.004, which is less than the difference between two kinds of match.
      const score = Math.min(scores[position] ?? 0, 1)
      scores[position] = relevance === 1 ? EXACT_SCORE + score : (relevance + score / 250) ** tuning.needNorm
    }
    return scores
  }
  return {
    async search(query, options) {
      options.signal?.throwIfAborted()
      return choose(scoresOf(query), tuning.needNorm, tools, options)
    },
    explain: (query, id) => explain(query, id, { tools, postings, terms, tuning, scoresOf, names, isKnown }),
  }
}
