// The parts of a crib that the views of requests need.

import type { Catalog } from '../catalog/catalog.ts'
import type { Caller, Introspection } from '../core/call.ts'
import type { CommandResult } from '../core/result.ts'
import type { CreatedStrategy } from '../disclosure/strategies/create-strategy.ts'
import type { MetaTool } from '../disclosure/strategy.ts'
import type { Lookup, ToolRef } from '../disclosure/view.ts'
import type { Dispatcher } from '../dispatch/dispatch.ts'
import type { CallerStates, SessionContexts } from './caller-state.ts'
import type { CribCalls, CribSearch } from './crib-options.ts'
import type { Request } from './request.ts'
import type { AllowedTools } from './selections.ts'

/** The tool that a call names, its input, and the result of the lookup. */
export interface WantedCall {
  readonly ref: ToolRef
  readonly target: Lookup
  readonly input: unknown
}

export interface ViewsOptions {
  /** The description of the server. The view adds the commands. */
  readonly about: Omit<Introspection, 'commands'>
  readonly served: CreatedStrategy
  readonly catalog: Catalog
  /** The tools that exist for a caller. */
  readonly allowedTools: AllowedTools
  readonly sessions: SessionContexts
  readonly states: CallerStates
  readonly search: CribSearch
  readonly dispatcher: Dispatcher
  readonly calls: Pick<CribCalls, 'recorder' | 'results'>
  /** Called when a call changed the listing of its caller. */
  onListChanged(caller: Caller): void
  /** Calls a meta-tool as a part of the same request. */
  callMetaTool(tool: MetaTool, args: unknown, request: Request): Promise<CommandResult>
}
