// Makes labelled queries from a catalog: the first sentence of each tool is a query, and is removed from the index.

import type { Tool } from '../../../core/tool.ts'
import { splitSummary } from '../../../search/bm25f/fields.ts'
import type { LabelledQuery, ToolName } from '../../../search/evaluate.ts'
import { tokenize } from '../../../search/tokenize.ts'
import { STOP_WORDS } from '../../../search/words/stop-words.ts'

interface GeneratedQueries {
  readonly queries: readonly LabelledQuery[]
  /** The tools without the sentences that became queries. */
  readonly tools: readonly Tool[]
}

/** A shorter sentence is too unspecific for a query. */
const MIN_WORDS = 3
/** More queries would take minutes and hardly change the result. */
const MAX_QUERIES = 1_000

export function generateQueries(all: readonly Tool[], isWanted: (tool: Tool) => boolean): GeneratedQueries {
  const bySentence = new Map<string, { readonly query: string; readonly tools: ToolName[] }>()
  const tools = all.map((tool) => {
    const { summary, rest } = splitSummary(tool.description)
    const query = summary.replace(/\s+/g, ' ').trim()
    if (wordsIn(query) < MIN_WORDS) return tool
    if (isWanted(tool)) {
      // Tools with the same first sentence are equally right answers.
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

/** At most `max` items, spread evenly. */
function spread<Item>(all: readonly Item[], max: number): readonly Item[] {
  const kept = Math.min(all.length, max)
  return all.filter((_, at) => Math.floor((at * kept) / all.length) !== Math.floor(((at - 1) * kept) / all.length))
}
