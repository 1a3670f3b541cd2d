// The ranker seam: a ranker turns a snapshot into an index; an index answers queries.

import type { Snapshot } from '../catalog/snapshot.ts'
import type { ToolId } from '../core/tool.ts'

export interface Hit {
  readonly id: ToolId
  /** 0 to 1; 1 is the tool of exactly that name. */
  readonly relevance: number
}

export interface SearchOptions {
  readonly limit: number
  /** The tools that may be found; the whole catalog is indexed once, whoever asks. */
  readonly within?: ReadonlySet<ToolId>
  readonly signal?: AbortSignal
}

export interface Index {
  /** Best first; equal ones in the order of the catalog. */
  search(query: string, options: SearchOptions): Promise<readonly Hit[]>
}

export type Ranker = (snapshot: Snapshot, signal: AbortSignal) => Promise<Index>
