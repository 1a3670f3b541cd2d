// Makes labelled queries from the audit log: a search, and the tool that the caller called next.

import type { Snapshot } from '../../../catalog/snapshot.ts'
import { isRecord } from '../../../core/is-record.ts'
import type { Tool } from '../../../core/tool.ts'
import type { LabelledQuery } from '../../../search/evaluate.ts'
import { readLog } from '../stats/read-log.ts'

/** A later call is probably unrelated to the search. */
const FOLLOWS_WITHIN_MS = 10 * 60_000

interface Search {
  readonly query: string
  readonly at: number
}

/** Uses only tools that are still visible. If a query led to several tools, all of them are relevant. */
export async function auditQueries(file: string, visible: Snapshot): Promise<readonly LabelledQuery[]> {
  const searches = new Map<string, Search>()
  const wanted = new Map<string, Map<string, Tool>>()
  for await (const record of readLog(file)) {
    if (!isRecord(record) || typeof record.time !== 'string') continue
    const at = Date.parse(record.time)
    const caller = JSON.stringify(record.caller)
    if (record.event === 'search' && typeof record.query === 'string') {
      searches.set(caller, { query: record.query.trim(), at })
    } else if (record.event === 'call' && record.outcome === 'ok') {
      const search = searches.get(caller)
      const tool = visible.get(`${record.server}:${record.tool}`)
      // Only the first call after a search counts as its answer.
      searches.delete(caller)
      if (search === undefined || tool === undefined || at - search.at > FOLLOWS_WITHIN_MS) continue
      const tools = wanted.get(search.query) ?? new Map<string, Tool>()
      wanted.set(search.query, tools.set(tool.id, tool))
    }
  }
  return [...wanted].map(([query, tools], at) => ({
    id: `audit-${at + 1}`,
    query,
    relevant: [...tools.values()].map(({ sourceId, name }) => ({ server: sourceId, name })),
  }))
}
