// The input of an evaluation: tools, and queries with the tools that they should find.

import type { SourceListing } from '../../../catalog/snapshot.ts'
import { groupBy } from '../../../core/group-by.ts'
import type { Decide, Tool } from '../../../core/tool.ts'
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
  return [...groupBy(tools, ({ sourceId }) => sourceId)].map(([sourceId, entries]) => ({ sourceId, entries }))
}
