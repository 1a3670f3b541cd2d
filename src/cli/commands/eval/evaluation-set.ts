// The input of an evaluation: tools, and queries with the tools that they should find.

import type { SourceListing } from '../../../catalog/snapshot.ts'
import type { Decide, Tool, ToolEntry } from '../../../core/tool.ts'
import type { LabelledQuery } from '../../../search/evaluate.ts'

export interface EvaluationSet {
  /** The origin of the queries. */
  readonly origin: 'files' | 'audit' | 'generated'
  readonly listings: readonly SourceListing[]
  /** Decides which tools can be found. Default: all. */
  readonly decide?: Decide
  readonly queries: readonly LabelledQuery[]
}

/** Groups the tools of a catalog by source. */
export function listingsOf(tools: readonly Tool[]): readonly SourceListing[] {
  const entries = new Map<string, ToolEntry[]>()
  for (const tool of tools) {
    const group = entries.get(tool.sourceId)
    if (group === undefined) entries.set(tool.sourceId, [tool])
    else group.push(tool)
  }
  return [...entries].map(([sourceId, group]) => ({ sourceId, entries: group }))
}
