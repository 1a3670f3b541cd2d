// The ranker seam: a ranker turns a snapshot into an index; an index answers queries.

import type { Snapshot } from '../catalog/tool-set.ts'
import type { DescribedTool, Tool, ToolId } from '../core/tool.ts'

export interface Hit {
  readonly id: ToolId
  /** 0 to 1; 1 is the tool of exactly that name. */
  readonly relevance: number
}

/**
 * A search whose best hit is below this finds nothing that fits. It was measured on the labelled sets: nearly all such
 * searches are about something that the servers have no tool for. `npm run bench:search` prints the shares.
 */
export const LEAST_RELEVANCE = 0.05

export interface SearchOptions {
  readonly limit: number
  /** The tools that may be found; the whole catalog is indexed once, whoever asks. */
  readonly within?: ReadonlySet<ToolId>
  /** How often the caller has called each tool: of equally relevant tools the more used come first, and nothing else changes. */
  readonly usage?: ReadonlyMap<ToolId, number>
  readonly signal?: AbortSignal
}

/** What one word of a query, or two that follow each other, adds to a tool. */
export interface Reason {
  /** As the query has it. */
  readonly word: string
  /** What of the tool it met, as the tool has it; it may be another form or another word. */
  readonly term: string
  readonly how: 'word' | 'same' | 'near' | 'similar'
  /** Where the tool has it, the field that counts most first. */
  readonly fields: readonly FieldShare[]
  /** Its share in all that the words add, from 0 to 1. */
  readonly share: number
}

export interface FieldShare {
  readonly field: string
  /** Its share in what the tool has of the word, from 0 to 1. */
  readonly share: number
}

export interface Explanation {
  readonly relevance: number
  /** The query is its name, or names it. */
  readonly named: boolean
  /** Largest share first. */
  readonly reasons: readonly Reason[]
  /** How often it was called, older calls counting less; decides between equally relevant tools and does nothing else. */
  readonly calls?: number
}

export interface Index {
  /** Best first; equal ones by id, so that no order of the catalog shows through. */
  search(query: string, options: SearchOptions): Promise<readonly Hit[]>
  /** Why a tool ranks where it does; nothing for a tool that the query does not find. */
  explain?(query: string, id: ToolId): Explanation | undefined
}

/** `previous` is an index by the same ranker of an earlier snapshot: what has not changed since need not be read again. */
export type Ranker<T extends DescribedTool = Tool> = (
  snapshot: Snapshot<T>,
  signal: AbortSignal,
  previous?: Index,
) => Promise<Index>
