// Builds the evaluation set of the user's own tools: searches from the audit log, or else queries from descriptions.

import { join } from 'node:path'
import type { Snapshot, SourceListing } from '../../../catalog/snapshot.ts'
import { getOrMake, groupBy } from '../../../core/collections.ts'
import { isRecord } from '../../../core/is-record.ts'
import type { Decide, Tool } from '../../../core/tool.ts'
import { splitSummary } from '../../../search/bm25f/fields.ts'
import type { LabelledQuery, ToolName } from '../../../search/evaluate.ts'
import { tokenize } from '../../../search/tokenize.ts'
import { STOP_WORDS } from '../../../search/words/weak-words.ts'
import type { ReadySession } from '../../gateway/session.ts'
import type { Work } from '../../output/work.ts'
import { readLog } from '../../usage/read-log.ts'
import type { EvaluationSet } from './measure-ranker.ts'

/** With fewer queries, a single query changes the result by more than ten points. */
const MIN_AUDIT_QUERIES = 10

export async function ownSet(session: ReadySession, { environment }: Work): Promise<EvaluationSet> {
  const { visible, known } = await session.view()
  const isVisible = ({ id }: Tool) => visible.get(id) !== undefined
  // As in the gateway: all tools are in the index, and disabled tools cannot be found.
  const decide: Decide = (server, name) => ({ enabled: visible.get(`${server}:${name}`) !== undefined, tags: [] })
  const file = session.loaded.config.audit.file ?? join(environment.stateDir, 'audit.jsonl')
  const queries = await auditQueries(file, visible)
  if (queries.length >= MIN_AUDIT_QUERIES) {
    return { origin: 'audit', listings: listingsOf(known.tools), decide, queries }
  }
  const generated = generateQueries(known.tools, isVisible)
  return { origin: 'generated', listings: listingsOf(generated.tools), decide, queries: generated.queries }
}

function listingsOf(tools: readonly Tool[]): readonly SourceListing[] {
  return [...groupBy(tools, ({ sourceId }) => sourceId)].map(([sourceId, entries]) => ({ sourceId, entries }))
}

/** A call after a longer time is probably unrelated to the search. */
const FOLLOWS_WITHIN_MS = 10 * 60_000

/**
 * Makes labelled queries from the audit log: the text of a search, with the tool that the caller next called
 * successfully. Uses only tools that are still visible. If several tools were called after the same query, all of them
 * are relevant.
 */
export async function auditQueries(file: string, visible: Snapshot): Promise<readonly LabelledQuery[]> {
  const searches = new Map<string, { readonly query: string; readonly at: number }>()
  const calledTools = new Map<string, Map<string, Tool>>()
  for await (const record of readLog(file)) {
    if (!isRecord(record) || typeof record.time !== 'string') continue
    const at = Date.parse(record.time)
    const caller = JSON.stringify(record.caller)
    if (record.event === 'search' && typeof record.query === 'string') {
      searches.set(caller, { query: record.query.trim(), at })
    } else if (record.event === 'call' && record.outcome === 'ok') {
      const search = searches.get(caller)
      const tool = visible.get(`${record.server}:${record.tool}`)
      // Only the first successful call after a search counts as its answer.
      searches.delete(caller)
      if (search === undefined || tool === undefined || at - search.at > FOLLOWS_WITHIN_MS) continue
      getOrMake(calledTools, search.query, () => new Map<string, Tool>()).set(tool.id, tool)
    }
  }
  return [...calledTools].map(([query, tools], at) => ({
    id: `audit-${at + 1}`,
    query,
    relevant: [...tools.values()].map(({ sourceId, name }) => ({ server: sourceId, name })),
  }))
}

/** A sentence with fewer words, not counting stop words, is not specific enough for a query. */
const MIN_WORDS = 3
/** More queries would take minutes and hardly change the result. */
const MAX_QUERIES = 1_000

/** Makes labelled queries from the first sentences of descriptions. The returned tools are without these sentences. */
export function generateQueries(all: readonly Tool[], isWanted: (tool: Tool) => boolean) {
  const bySentence = new Map<string, { readonly query: string; readonly tools: ToolName[] }>()
  const tools = all.map((tool) => {
    const { summary, rest } = splitSummary(tool.description)
    const query = summary.replace(/\s+/g, ' ').trim()
    if (countWords(query) < MIN_WORDS) return tool
    if (isWanted(tool)) {
      // Tools with the same first sentence are equally right answers.
      const same = getOrMake(bySentence, query.toLowerCase(), () => ({ query, tools: [] }))
      same.tools.push({ server: tool.sourceId, name: tool.name })
    }
    return { ...tool, description: rest.trim() }
  })
  return { queries: pickEvenly([...bySentence.values()].flatMap(toQuery), MAX_QUERIES), tools }
}

function countWords(text: string): number {
  return tokenize(text).filter((word) => !STOP_WORDS.has(word)).length
}

function toQuery({ query, tools }: { readonly query: string; readonly tools: readonly ToolName[] }): LabelledQuery[] {
  const [first, ...alts] = tools
  if (first === undefined) return []
  return [
    { id: `${first.server}:${first.name}`, query, relevant: [{ ...first, ...(alts.length > 0 ? { alts } : {}) }] },
  ]
}

/** Picks at most `max` items, spread evenly over the list. */
function pickEvenly<Item>(all: readonly Item[], max: number): readonly Item[] {
  const kept = Math.min(all.length, max)
  return all.filter((_, at) => Math.floor((at * kept) / all.length) !== Math.floor(((at - 1) * kept) / all.length))
}
