// The interface of rankers: a ranker builds an index from a snapshot, and an index answers queries.

import type { Snapshot } from '../catalog/tool-set.ts'
import { checkPlugin, isPlugin } from '../core/plugin.ts'
import type { DescribedTool, Tool, ToolId } from '../core/tool.ts'
import type { SectionFile, Sections } from '../storage/section-file.ts'

/** A tool that a search has found. */
export interface Hit {
  /** The id of the tool. */
  readonly id: ToolId
  /** From 0 to 1. 1 means that the query is exactly the name of the tool. */
  readonly relevance: number
}

/**
 * If the best hit has a lower relevance, no tool fits. The value is measured with labelled queries: nearly all searches
 * below it ask for something that no tool of the servers does. `npm run bench:search` prints the shares.
 */
export const LEAST_RELEVANCE = 0.05

/** The options of one search. */
export interface SearchOptions {
  /** At most this many hits. */
  readonly limit: number
  /** Only these tools may be found. Absent: all tools. One index of the whole catalog serves all callers. */
  readonly within?: ReadonlySet<ToolId>
  /** How often each tool was called, by any caller; older calls count less. It only orders equally relevant tools. */
  readonly usage?: ReadonlyMap<ToolId, number>
  /** Aborts when the caller cancels. A search with an aborted signal rejects. */
  readonly signal?: AbortSignal
}

/** The contribution of one word of a query, or of two consecutive words, to the score of a tool. */
export interface Reason {
  /** The word as in the query. */
  readonly word: string
  /** The matching word of the tool. It may be another form or another word. */
  readonly term: string
  /**
   * `word`: the word itself, or a form of it. `same`: a word with the same meaning. `near`: a word of the same subject.
   * `similar`: a corrected typo or a longer word with the same beginning.
   */
  readonly how: 'word' | 'same' | 'near' | 'similar'
  /** The fields that contain the term, largest share first. */
  readonly fields: readonly FieldShare[]
  /** The share in the sum over all words, from 0 to 1. */
  readonly share: number
}

export interface FieldShare {
  /** The name of the field, such as `name` or `description`. */
  readonly field: string
  /** The share of this field, from 0 to 1. */
  readonly share: number
}

export interface Explanation {
  /** As in the hit, from 0 to 1. */
  readonly relevance: number
  /** Whether the query is the name of the tool, contains it, or is the name with a typo. */
  readonly named: boolean
  /** Largest share first. */
  readonly reasons: readonly Reason[]
  /** How often the tool was called, with a lower weight for older calls. It only orders equally relevant tools. */
  readonly calls?: number
}

/** The index of a ranker over one snapshot of the catalog. */
export interface Index {
  /** Best first. Equal hits are sorted by id, so that the order of the catalog has no influence. */
  search(query: string, options: SearchOptions): Promise<readonly Hit[]>
  /** Explains the rank of a tool. Undefined for a tool that the query does not find. */
  explain?(query: string, id: ToolId): Explanation | undefined
}

/** `previous` is an index of the same ranker for an earlier snapshot. Its unchanged parts may be reused. */
export type Ranker<T extends DescribedTool = Tool> = (
  snapshot: Snapshot<T>,
  signal: AbortSignal,
  previous?: Index,
) => Promise<Index>

/** Writes the index of a ranker to a file and reads it back, so that commands do not build it again. */
export interface IndexStorage {
  /** Undefined for an index that this ranker did not build. */
  save(index: Index): Sections | undefined
  /** Opens a saved index, for the same tools in the same order. */
  open(saved: Pick<SectionFile, 'section'>, snapshot: Snapshot<DescribedTool>): Index
}

/** A ranker with the name that `discovery.search.ranker` and `eval --ranker` accept. */
export interface RankerPlugin<Name extends string = string> {
  /** `discovery.search.ranker` chooses the ranker by this name. */
  readonly name: Name
  /** Builds the index of a snapshot. */
  readonly rank: Ranker
}

/**
 * Checks a ranker and returns it.
 *
 * @example
 * ```ts
 * const byName = defineRanker({
 *   name: 'by-name',
 *   rank: async ({ tools }) => ({
 *     search: async (query, { limit, within }) =>
 *       tools
 *         .filter(({ id, name }) => name.includes(query) && within?.has(id) !== false)
 *         .map(({ id, name }) => ({ id, relevance: name === query ? 1 : 0.5 }))
 *         .slice(0, limit),
 *   }),
 * })
 * ```
 */
export function defineRanker<const Name extends string>(plugin: RankerPlugin<Name>): RankerPlugin<Name> {
  return checkPlugin(plugin, {
    what: 'ranker',
    method: 'rank',
    todo: "Give { name: 'my-ranker', rank: async (snapshot, signal) => ({ search }) }.",
  })
}

export function isRankerPlugin(value: unknown): value is RankerPlugin {
  return isPlugin(value, 'rank')
}

/** Whether a query is exactly the name, the listed name or the id of a tool, ignoring case. */
export function isNameOf({ name, listedName, id }: DescribedTool, query: string): boolean {
  const wanted = query.trim().toLowerCase()
  return [name, listedName, id].some((one) => one.toLowerCase() === wanted)
}
