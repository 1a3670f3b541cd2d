// The ranker BM25F: all fields of a tool, synonyms, typo correction, and requests that ask for several things.

import { setImmediate } from 'node:timers/promises'
import type { Snapshot } from '../../catalog/tool-set.ts'
import type { DescribedTool, Tool } from '../../core/tool.ts'
import type { Index, Ranker } from '../ranker.ts'
import { choose, EXACT_SCORE } from './choose.ts'
import { explain } from './explain.ts'
import { isSameText } from './fields.ts'
import { Names } from './names.ts'
import { createSegmentReader, type IndexSegment, mergeSegments, type Postings } from './postings.ts'
import { readQuery } from './query.ts'
import { Scorer } from './score.ts'
import { Terms } from './terms.ts'
import { TUNING } from './tuning.ts'
import { type ReadonlyVocabulary, Vocabulary } from './vocabulary.ts'

/** The parts of an index, without the tools themselves. */
interface IndexParts {
  readonly vocabulary: ReadonlyVocabulary
  readonly postings: Postings
  /** The number of tools in each segment. */
  readonly sizes: readonly number[]
}

/** The data of an index that the next index can reuse. */
interface Built extends IndexParts {
  readonly vocabulary: Vocabulary
  /** The number of terms that occur in its tools. */
  readonly termsInUse: number
  /** By the keys of `runsOf`. */
  readonly segments: ReadonlyMap<string, IndexSegment>
}

const builds = new WeakMap<Index, Built>()

/** After this many tools, other work gets a turn before the next source is read. One source is read in one go. */
const TOOLS_PER_TURN = 400
/**
 * A vocabulary that is larger than this many times the terms in use is dropped, because it has too many words of
 * removed tools.
 */
const MAX_VOCABULARY_GROWTH = 2

export const bm25f: Ranker = async (snapshot, signal, previous) => {
  const before = previous === undefined ? undefined : builds.get(previous)
  const isSmall = before !== undefined && before.vocabulary.size <= MAX_VOCABULARY_GROWTH * before.termsInUse
  const kept = isSmall ? before : undefined
  const vocabulary = kept?.vocabulary ?? new Vocabulary()
  const readTools = createSegmentReader(vocabulary)
  const segments = new Map<string, IndexSegment>()
  let read = 0
  for (const [key, tools] of runsOf(snapshot.tools)) {
    const known = kept?.segments.get(key)
    if (known !== undefined && isUnchanged(known, tools)) {
      segments.set(key, { ...known, tools })
      continue
    }
    if (read >= TOOLS_PER_TURN) {
      read = 0
      await setImmediate()
      signal.throwIfAborted()
    }
    read += tools.length
    segments.set(key, readTools(tools))
  }
  const { postings, termsInUse } = mergeSegments([...segments.values()], vocabulary.size)
  const parts = { vocabulary, postings, sizes: [...segments.values()].map((segment) => segment.tools.length) }
  const index = createIndex(parts, snapshot)
  builds.set(index, { ...parts, termsInUse, segments })
  return index
}

/** The parts of an index for saving. Undefined for an index that `bm25f` did not build. */
export function builtParts(index: Index): Built | undefined {
  return builds.get(index)
}

/** Creates an index from its parts, which were built now or loaded from a file. */
export function createIndex({ vocabulary, postings, sizes }: IndexParts, snapshot: Snapshot<DescribedTool>): Index {
  const { tools } = snapshot
  const terms = new Terms(vocabulary, postings)
  const names = new Names(snapshot, terms)
  const scorer = new Scorer(postings, sizes)

  const scoresOf = (query: string): Float64Array => {
    const scores = scorer.score(readQuery(query, terms))
    for (const [position, relevance] of names.findNamed(query)) {
      // If a query names several tools in the same way, the one with the higher score comes first. The score adds at
      // most 0.004, which is less than the difference between two kinds of match.
      const score = Math.min(scores[position] ?? 0, 1)
      scores[position] = relevance === 1 ? EXACT_SCORE + score : (relevance + score / 250) ** TUNING.needNorm
    }
    return scores
  }
  return {
    async search(query, options) {
      options.signal?.throwIfAborted()
      return choose(scoresOf(query), TUNING.needNorm, tools, options)
    },
    explain: (query, id) => explain(query, id, { tools, postings, terms, names, scoresOf }),
  }
}

/** Groups consecutive tools of one source. Usually these are all tools of the source. */
function runsOf(tools: readonly Tool[]): Map<string, Tool[]> {
  const runs = new Map<string, Tool[]>()
  let current: Tool[] = []
  let sourceId: string | undefined
  for (const tool of tools) {
    if (tool.sourceId !== sourceId) {
      sourceId = tool.sourceId
      current = []
      runs.set(runs.has(sourceId) ? `${sourceId}\u0000${runs.size}` : sourceId, current)
    }
    current.push(tool)
  }
  return runs
}

function isUnchanged(segment: IndexSegment, tools: readonly Tool[]): boolean {
  return (
    segment.tools.length === tools.length &&
    segment.tools.every((tool, position) => {
      const now = tools[position]
      return tool === now || (now !== undefined && isSameText(tool, now))
    })
  )
}
