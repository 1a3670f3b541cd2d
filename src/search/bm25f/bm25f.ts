// BM25F over all that a tool says of itself, with an understanding of how requests are put.

import { setImmediate } from 'node:timers/promises'
import type { Tool } from '../../core/tool.ts'
import type { Index, Ranker } from '../ranker.ts'
import { tokenize } from '../tokenize.ts'
import { stem } from '../words/stem.ts'
import { choose, EXACT_SCORE } from './choose.ts'
import { explain } from './explain.ts'
import { isSameText } from './fields.ts'
import { Names } from './names.ts'
import { mergeSegments } from './postings.ts'
import { readQuery } from './query.ts'
import { Scorer } from './score.ts'
import { type Segment, SegmentReader } from './segment.ts'
import { Terms } from './terms.ts'
import { TUNING, type Tuning } from './tuning.ts'
import { Vocabulary } from './vocabulary.ts'

/** What an index keeps for the next one. */
interface Built {
  readonly tuning: Tuning
  readonly vocabulary: Vocabulary
  readonly segments: ReadonlyMap<string, Segment>
}

const builds = new WeakMap<Index, Built>()

/** Tools read between two turns of the event loop: a large catalog must not keep callers waiting. */
const TOOLS_PER_TURN = 400
/** A vocabulary this many times larger than the terms in use is left behind, with the words of tools that are gone. */
const MAX_VOCABULARY_GROWTH = 2

export const bm25f: Ranker = createBm25f()

export function createBm25f(tuning: Tuning = TUNING): Ranker {
  return async (snapshot, signal, previous) => {
    const before = previous === undefined ? undefined : builds.get(previous)
    const kept = before?.tuning === tuning && !before.vocabulary.isStale(MAX_VOCABULARY_GROWTH) ? before : undefined
    const vocabulary = kept?.vocabulary ?? new Vocabulary()
    const reader = new SegmentReader(vocabulary, tuning)
    const segments = new Map<string, Segment>()
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
      segments.set(key, reader.read(tools))
    }
    const index = createIndex([...segments.values()], vocabulary, tuning, snapshot)
    builds.set(index, { tuning, vocabulary, segments })
    return index
  }
}

function createIndex(
  segments: readonly Segment[],
  vocabulary: Vocabulary,
  tuning: Tuning,
  snapshot: Parameters<Ranker>[0],
): Index {
  const { tools } = snapshot
  const postings = mergeSegments(segments, vocabulary.size)
  vocabulary.setInUse(postings.termsInUse)
  const terms = new Terms(vocabulary, postings, tuning)
  const names = new Names(tools, snapshot)
  const scorer = new Scorer(
    postings,
    segments.map((segment) => segment.tools.length),
    tuning,
  )
  const isKnown = (text: string) => tokenize(text).every((word) => terms.idOf(stem(word)) !== undefined)

  const scoresOf = (query: string): Float64Array => {
    const scores = scorer.score(readQuery(query, terms, tuning))
    for (const [position, relevance] of names.named(query, isKnown)) {
      // Among the tools that a query names, the better match still comes first.
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

/** Tools of one source that follow each other: nearly always all of them. */
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

function isUnchanged(segment: Segment, tools: readonly Tool[]): boolean {
  return (
    segment.tools.length === tools.length &&
    segment.tools.every((tool, position) => {
      const now = tools[position]
      return tool === now || (now !== undefined && isSameText(tool, now))
    })
  )
}
