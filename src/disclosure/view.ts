// The view: all that a strategy can reach, already filtered by the one visibility predicate for one caller.

import type { Snapshot } from '../catalog/snapshot.ts'
import type { Caller } from '../core/call.ts'
import type { CommandResult, FailureResult } from '../core/result.ts'
import type { DescribedTool, Disabled, Tool, ToolId } from '../core/tool.ts'
import type { Visibility } from '../rules/visibility.ts'
import type { Explanation, Hit } from '../search/ranker.ts'
import type { SourceInfo } from '../sources/source.ts'

/** A tool by name: its id, its listed name or its bare name, with its server where that is known. */
export type ToolRef = string | { readonly server?: string | undefined; readonly tool: string }

/** What a reference stands for, as this caller may know it. */
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

/** A source as this caller may see it. */
export interface SourceView extends Omit<SourceInfo, 'isUnknown'> {
  readonly id: string
  /** The number of its visible tools; left out if its tools are not known. */
  readonly toolCount?: number
}

export interface SearchScope {
  readonly limit: number
  /** Of this source only. */
  readonly source?: string | undefined
}

/** Small things kept for this caller: its session where the protocol has sessions, else its principal. */
export interface CallerState {
  get(name: string): Promise<unknown>
  set(name: string, value: unknown): Promise<void>
}

export interface View {
  readonly caller: Caller
  readonly state: CallerState
  /** The active context, if any. */
  readonly context: string | undefined
  /** The tools a call would accept: all that may be listed, counted or suggested. */
  readonly visible: Snapshot
  /** Everything that exists for this caller, also what a call would refuse: for resolving names, never for listing. */
  readonly known: Snapshot
  /** In the order in which they were configured. */
  readonly sources: readonly SourceView[]
  /** The reason for an empty list of sources, if it is intended. */
  readonly whyNoSources?: string | undefined
  lookup(ref: ToolRef): Lookup
  /** Why a reference cannot be called, in the words of every other path; undefined where it can. */
  refusal(ref: ToolRef): FailureResult | undefined
  /** Searches among the visible tools only. */
  search(query: string, scope: SearchScope): Promise<readonly Hit[]>
  /** Why a search finds a visible tool where it does; undefined where it does not, or the ranker cannot say. */
  explain(query: string, id: ToolId): Promise<Explanation | undefined>
  /** What a search would have found were it not switched off by rules. */
  searchDisabled(query: string, scope: SearchScope): Promise<readonly Disabled[]>
  /** Those that rules have switched off, of which this holds. */
  disabledWhere(test: (tool: DescribedTool) => boolean): readonly Disabled[]
  /**
   * Runs one tool: same rules, same middleware, same events, same record as any other path. `target` is what `lookup`
   * has given for the reference, if it was asked already.
   */
  invoke(ref: ToolRef, input: unknown, target?: Lookup): Promise<CommandResult>
  /** A call that the strategy itself refuses: it leaves the same record as any other attempt. */
  decline(ref: ToolRef, input: unknown, refused: FailureResult): Promise<CommandResult>
  /** A result on its way to the client: one that is too long is cut, and says how to read on. */
  deliver(result: CommandResult): Promise<CommandResult>
  /** More of a result that was cut. */
  readOn(handle: string, offset: number): Promise<CommandResult>
  /** A tool of the strategy itself, by name; undefined where there is none. */
  callMetaTool(name: string, args: unknown): Promise<CommandResult> | undefined
  /** What this caller is shown has changed because of this call: it is told before the answer goes out. */
  listChanged(): void
  batch(request: unknown): Promise<CommandResult>
  pipe(request: unknown): Promise<CommandResult>
}
