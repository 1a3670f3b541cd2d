// The view: all that a strategy can reach, already filtered by the one visibility predicate for one caller.

import type { Snapshot } from '../catalog/snapshot.ts'
import type { Caller } from '../core/call.ts'
import type { CommandResult } from '../core/result.ts'
import type { Tool } from '../core/tool.ts'
import type { Visibility } from '../rules/visibility.ts'
import type { Hit } from '../search/ranker.ts'

/** What a name stands for, as this caller may know it. */
export type Lookup =
  | { readonly found: true; readonly tool: Tool; readonly visibility: Visibility }
  | { readonly found: false; readonly similar: readonly string[] }

export interface View {
  readonly caller: Caller
  /** The active context, if any. */
  readonly context: string | undefined
  /** The tools a call would accept: all that may be listed, counted or suggested. */
  readonly visible: Snapshot
  /** Everything that exists for this caller, also what a call would refuse: for resolving names, never for listing. */
  readonly known: Snapshot
  lookup(name: string): Lookup
  /** Searches among the visible tools only. */
  search(query: string, limit: number): Promise<readonly Hit[]>
  /** Runs one tool: same rules, same middleware, same events as any other path. */
  invoke(name: string, input: unknown): Promise<CommandResult>
  /** A tool of the strategy itself, by name; undefined where there is none. */
  callMetaTool(name: string, args: unknown): Promise<CommandResult> | undefined
  batch(request: unknown): Promise<CommandResult>
  pipe(request: unknown): Promise<CommandResult>
}
