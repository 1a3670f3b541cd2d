// What a ranker is measured with: tools, and queries that are known to want some of them.

import type { SourceListing } from '../../catalog/snapshot.ts'
import type { Decide, Tool, ToolEntry } from '../../core/tool.ts'
import type { LabelledQuery } from '../../search/evaluate.ts'

export interface EvaluationSet {
  /** Where the queries come from. */
  readonly origin: 'files' | 'audit' | 'generated'
  readonly listings: readonly SourceListing[]
  /** Which of the tools may be found; without it, all. */
  readonly decide?: Decide
  readonly queries: readonly LabelledQuery[]
}

/** Tools of a catalog as their sources would list them. */
export function listingsOf(tools: readonly Tool[]): readonly SourceListing[] {
  const entries = new Map<string, ToolEntry[]>()
  for (const tool of tools) {
    const group = entries.get(tool.sourceId)
    if (group === undefined) entries.set(tool.sourceId, [tool])
    else group.push(tool)
  }
  return [...entries].map(([sourceId, group]) => ({ sourceId, entries: group }))
}
