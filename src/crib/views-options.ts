// The parts of a crib that the views of requests need.

import type { Catalog } from '../catalog/catalog.ts'
import type { Caller, Introspection } from '../core/call.ts'
import type { CommandResult } from '../core/result.ts'
import type { ToolId } from '../core/tool.ts'
import type { Hints, MetaTool, Strategy } from '../disclosure/strategy.ts'
import type { Lookup, ToolRef } from '../disclosure/view.ts'
import type { Dispatcher } from '../dispatch/dispatch.ts'
import type { Ranker } from '../search/ranker.ts'
import type { AllowedTools } from './allowed-tools.ts'
import type { CallerStates } from './caller-state.ts'
import type { Recorder, ResultKeeper, Search } from './recorder.ts'
import type { Request } from './request.ts'
import type { SessionContexts } from './session-context.ts'

/** The reference and the input of a call, and the result of the lookup. */
export interface WantedCall {
  readonly ref: ToolRef
  readonly target: Lookup
  readonly input: unknown
}

export interface ViewsOptions {
  /** The description of the server. The view adds the commands. */
  readonly about: Omit<Introspection, 'commands'>
  readonly strategy: Strategy
  /** The tools of the strategy itself, by name. */
  readonly metaTools: ReadonlyMap<string, MetaTool>
  readonly prefix: string
  readonly hints: Hints
  readonly catalog: Catalog
  readonly dispatcher: Dispatcher
  readonly sessions: SessionContexts
  readonly states: CallerStates
  readonly ranker: Ranker
  /** The tools that exist for a caller. */
  readonly allowedTools: AllowedTools
  readonly recorder?: Recorder | undefined
  readonly results?: ResultKeeper | undefined
  /** The number of calls of each tool; undefined if searches should not learn from it. */
  learned(): ReadonlyMap<ToolId, number> | undefined
  whyNoSources(): string | undefined
  onSearch(search: Search): void
  onFound?: ((found: number) => void) | undefined
  /** Called when a call changed the listing of its caller. */
  onListChanged(caller: Caller): void
  /** Calls a tool of the strategy as a part of the same request. */
  callMetaTool(tool: MetaTool, args: unknown, request: Request): Promise<CommandResult>
}
