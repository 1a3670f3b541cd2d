// Labelled queries out of a catalog itself: the first sentence of a tool asks for it, and is then left out of the index.

import type { Tool } from '../../core/tool.ts'
import { splitSummary } from '../../search/bm25f/fields.ts'
import type { LabelledQuery, ToolName } from '../../search/evaluate.ts'
import { tokenize } from '../../search/tokenize.ts'
import { STOP_WORDS } from '../../search/words/stop-words.ts'

export interface GeneratedQueries {
  readonly queries: readonly LabelledQuery[]
  /** The tools without the sentences that ask for them. */
  readonly tools: readonly Tool[]
}

/** A sentence of fewer says too little to be a request. */
const LEAST_WORDS = 3
/** More would take minutes and change nothing. */
const MAX_QUERIES = 1_000

export function generateQueries(all: readonly Tool[], isWanted: (tool: Tool) => boolean): GeneratedQueries {
  const bySentence = new Map<string, { readonly query: string; readonly tools: ToolName[] }>()
  const tools = all.map((tool) => {
    const { summary, rest } = splitSummary(tool.description)
    const query = summary.replace(/\s+/g, ' ').trim()
    if (wordsIn(query) < LEAST_WORDS) return tool
    if (isWanted(tool)) {
      // Tools that say the same of themselves answer alike.
      const same = bySentence.get(query.toLowerCase()) ?? { query, tools: [] }
      bySentence.set(query.toLowerCase(), same)
      same.tools.push({ server: tool.sourceId, name: tool.name })
    }
    return { ...tool, description: rest.trim() }
  })
  return { queries: spread([...bySentence.values()].flatMap(toQuery), MAX_QUERIES), tools }
}

function wordsIn(text: string): number {
  return tokenize(text).filter((word) => !STOP_WORDS.has(word)).length
}

function toQuery({ query, tools }: { readonly query: string; readonly tools: readonly ToolName[] }): LabelledQuery[] {
  const [first, ...alts] = tools
  if (first === undefined) return []
  return [
    { id: `${first.server}:${first.name}`, query, relevant: [{ ...first, ...(alts.length > 0 ? { alts } : {}) }] },
  ]
}

/** At most so many, evenly from all of them. */
function spread<Item>(all: readonly Item[], max: number): readonly Item[] {
  const kept = Math.min(all.length, max)
  return all.filter((_, at) => Math.floor((at * kept) / all.length) !== Math.floor(((at - 1) * kept) / all.length))
}
