// The parts of a crib that the views of requests need.

import type { Catalog } from '../catalog/catalog.ts'
import type { Caller, Introspection } from '../core/call.ts'
import type { CommandResult } from '../core/result.ts'
import type { ListedTool, ToolId } from '../core/tool.ts'
import type { Hints } from '../disclosure/strategy.ts'
import type { View } from '../disclosure/view.ts'
import type { Dispatcher } from '../dispatch/dispatch.ts'
import type { Ranker } from '../search/ranker.ts'
import type { CallerStates } from './caller-state.ts'
import type { Recorder, ResultKeeper, Search } from './recorder.ts'
import type { Request } from './request.ts'
import type { SessionContexts } from './session-context.ts'

export interface ViewsOptions {
  readonly prefix: string
  readonly hints: Hints
  readonly catalog: Catalog
  readonly dispatcher: Dispatcher
  readonly sessions: SessionContexts
  readonly states: CallerStates
  readonly ranker: Ranker
  readonly recorder?: Recorder | undefined
  readonly results?: ResultKeeper | undefined
  /** The number of calls of each tool; undefined if searches should not learn from it. */
  learned(): ReadonlyMap<ToolId, number> | undefined
  onSearch(search: Search): void
  whyNoSources(): string | undefined
  /** The listing of the strategy, to check whether a switch of context changes it. */
  list(view: View): Promise<readonly ListedTool[]>
  /** The tool with which this caller reads more of a cut result. Without one, results are not cut. */
  readsOn(view: View): string | undefined | Promise<string | undefined>
  /** Called when a call changed the listing of its caller. */
  onListChanged(caller: Caller): void
  /** Whether the name is one of the strategy's own tools. */
  isMetaTool(name: string): boolean
  /** The names that the strategy lists and that are not tools of a source. */
  ownNames(view: View): readonly string[]
  callMetaTool(name: string, args: unknown, request: Request): Promise<CommandResult> | undefined
  /** The description of the server. The view adds the commands. */
  readonly about: Omit<Introspection, 'commands'>
}
