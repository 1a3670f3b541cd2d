// The ranker BM25F: all fields of a tool, synonyms, typo correction, and requests that ask for several things.

import { setImmediate } from 'node:timers/promises'
import type { Tool } from '../../core/tool.ts'
import type { Index, Ranker } from '../ranker.ts'
import { isSameText } from './fields.ts'
import { type IndexParts, openIndex } from './open-index.ts'
import { mergeSegments } from './postings.ts'
import { type IndexSegment, SegmentReader } from './segment.ts'
import { TUNING } from './tuning.ts'
import { Vocabulary } from './vocabulary.ts'

/** The data of an index that the next index can reuse. */
interface Built extends IndexParts {
  readonly vocabulary: Vocabulary
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
  const kept = before?.vocabulary.isStale(MAX_VOCABULARY_GROWTH) === false ? before : undefined
  const vocabulary = kept?.vocabulary ?? new Vocabulary()
  const reader = new SegmentReader(vocabulary, TUNING)
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
    segments.set(key, reader.read(tools))
  }
  const { postings, termsInUse } = mergeSegments([...segments.values()], vocabulary.size)
  vocabulary.setInUse(termsInUse)
  const parts = { vocabulary, postings, sizes: [...segments.values()].map((segment) => segment.tools.length) }
  const index = openIndex(parts, TUNING, snapshot)
  builds.set(index, { ...parts, segments })
  return index
}

/** The parts of an index for saving. Undefined for an index that `bm25f` did not build. */
export function builtParts(index: Index): Pick<Built, 'vocabulary' | 'postings' | 'sizes'> | undefined {
  return builds.get(index)
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
