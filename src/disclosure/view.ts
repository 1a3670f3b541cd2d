// The view: everything that a strategy can use for one caller. The visibility predicate decides what the caller sees.

import type { Snapshot } from '../catalog/snapshot.ts'
import type { Caller } from '../core/call.ts'
import type { CommandResult, FailureResult } from '../core/result.ts'
import type { DescribedTool, Disabled, Tool, ToolId } from '../core/tool.ts'
import type { Visibility } from '../rules/visibility.ts'
import type { Explanation, Hit } from '../search/ranker.ts'
import type { SourceInfo } from '../sources/source.ts'

/** Refers to a tool by its id, its listed name or its bare name, with its server if known. */
export type ToolRef = string | { readonly server?: string | undefined; readonly tool: string }

/** The result of a lookup, limited to what this caller may know. */
export type Lookup =
  | { readonly found: true; readonly tool: Tool; readonly visibility: Visibility }
  | { readonly found: false; readonly why: 'unknown'; readonly similar: readonly string[]; readonly server?: string }
  | {
      readonly found: false
      readonly why: 'unknown-server'
      readonly server: string
      readonly similar: readonly string[]
    }
  /** Several servers have a tool of this name. */
  | { readonly found: false; readonly why: 'ambiguous'; readonly servers: readonly string[] }

/** A source as this caller sees it. */
export interface SourceView extends Omit<SourceInfo, 'isUnknown'> {
  /** The name of the server. */
  readonly id: string
  /** The number of its visible tools; absent if its tools are not known. */
  readonly toolCount?: number
}

interface SearchScope {
  /** At most this many hits. */
  readonly limit: number
  /** Only tools of this source. */
  readonly source?: string | undefined
}

/** Small values that are stored for this caller: by session if the protocol has sessions, else by principal. */
export interface CallerState {
  /** Undefined if there is no value. */
  get(name: string): Promise<unknown>
  /** Stores a value that JSON can represent. */
  set(name: string, value: unknown): Promise<void>
  /**
   * Replaces a value in one step. Present if several gateways may share the state. If `change` returns the given value
   * itself, nothing is written.
   */
  update?(name: string, change: (value: unknown) => unknown): Promise<void>
}

/** The tools that one caller may see, and the only way to call them. */
export interface View {
  /** The client that made the request. */
  readonly caller: Caller
  /** Values that are stored for this caller. */
  readonly state: CallerState
  /** The active context, if any. */
  readonly context: string | undefined
  /** The tools that this caller may call. Only these may be listed, counted or suggested. */
  readonly visible: Snapshot
  /**
   * All tools that exist for this caller. Calls of some of them are refused. Use them to resolve names. Do not list
   * them, except disabled tools on request.
   */
  readonly known: Snapshot
  /** The sources that exist for this caller, in the order of the configuration. */
  readonly sources: readonly SourceView[]
  /** Why the configuration gives no sources, for example because discovery is off. */
  readonly whyNoSources?: string | undefined
  /** Finds a tool. The result says whether the caller may call it. */
  lookup(ref: ToolRef): Lookup
  /** The error with which `invoke` would refuse this tool. Undefined if `invoke` would accept it. */
  refusal(ref: ToolRef): FailureResult | undefined
  /** Searches among the visible tools only. */
  search(query: string, scope: SearchScope): Promise<readonly Hit[]>
  /**
   * Explains the rank of a visible tool in a search. Undefined if the search does not find it, or if the ranker cannot
   * explain.
   */
  explain(query: string, id: ToolId): Promise<Explanation | undefined>
  /** The tools that a search would find if rules did not disable them. */
  searchDisabled(query: string, scope: SearchScope): Promise<readonly Disabled[]>
  /** The tools that rules disable and for which the test is true. */
  disabledWhere(test: (tool: DescribedTool) => boolean): readonly Disabled[]
  /**
   * Runs one tool with the same rules, middleware, events and audit record as a direct tools/call. `target` is the
   * result of `lookup` for the reference, if the strategy already has it.
   */
  invoke(ref: ToolRef, input: unknown, target?: Lookup): Promise<CommandResult>
  /** Records a call that the strategy itself refuses, like any other attempt. */
  decline(ref: ToolRef, input: unknown, refused: FailureResult): Promise<CommandResult>
  /** Prepares a result for the client: a result that is too long is cut, with a note on how to read more. */
  deliver(result: CommandResult): CommandResult | Promise<CommandResult>
  /** Returns more of a result that was cut. */
  readOn(handle: string, offset: number): Promise<CommandResult>
  /** Calls a tool of the strategy itself. Undefined if there is no such tool. */
  callMetaTool(name: string, args: unknown): Promise<CommandResult> | undefined
  /** Reports that this call changed the caller's listing. The client is notified before the answer is sent. */
  listChanged(): void
  /** Runs several calls, as `afd-batch` does. */
  batch(request: unknown): Promise<CommandResult>
  /** Runs calls in which each can use the results of earlier ones, as `afd-pipe` does. */
  pipe(request: unknown): Promise<CommandResult>
}

/** The part of a view that lists and searches tools. The cached catalog on disk has it, but cannot call tools. */
export interface SearchableCatalog
  extends Pick<View, 'sources' | 'whyNoSources' | 'search' | 'explain' | 'searchDisabled' | 'disabledWhere'> {
  readonly visible: Snapshot<DescribedTool>
  readonly known: Snapshot<DescribedTool>
}
