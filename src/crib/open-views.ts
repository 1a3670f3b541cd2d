// Creates the view of a request: finds its context, and waits for sources with unknown tools if the request needs them.

import type { Catalog } from '../catalog/catalog.ts'
import { decodeStringified } from '../core/decode.ts'
import { isRecord } from '../core/is-record.ts'
import type { CommandResult } from '../core/result.ts'
import type { MetaTool, Strategy } from '../disclosure/strategy.ts'
import type { View } from '../disclosure/view.ts'
import type { SessionContexts } from './caller-state.ts'
import type { Request } from './request.ts'
import type { SourceWait } from './source-wait.ts'
import type { MakeView } from './views.ts'

interface OpenViewsOptions {
  readonly catalog: Catalog
  readonly sessions: SessionContexts
  readonly strategy: Strategy
  readonly settle: SourceWait
  readonly makeView: MakeView
}

/** The work of a call in the view of its request. */
type UseView = (view: View) => Promise<CommandResult>

export interface OpenViews {
  /** Calls `use` with the view of the request, or returns the error if its context does not exist. */
  withView(request: Request, use: UseView): Promise<CommandResult>
  /** Like `withView`, but first waits for the source of an unknown tool, which may still be starting. */
  withViewForTool(wanted: string, request: Request, use: UseView): Promise<CommandResult>
  /** The view of the caller in the context of its session. Ignores `request.context`. */
  openView(request: Request): Promise<View>
  /** The view for a listing, after a short wait for sources if the strategy lists their tools. */
  openForListing(request: Request): Promise<View>
  /** Calls a meta-tool. Its arguments may name the context of the view. */
  callMetaTool(tool: MetaTool, args: unknown, request: Request): Promise<CommandResult>
}

export function createOpenViews({ catalog, sessions, strategy, settle, makeView }: OpenViewsOptions): OpenViews {
  const withView = (request: Request, use: UseView): Promise<CommandResult> => {
    const scope = sessions.resolve(request.caller, request.context)
    const { current } = catalog
    // The usual case without a promise: each promise on the path of a call costs time.
    if (current !== undefined && !('then' in scope) && scope.ok && !request.signal.aborted)
      return use(makeView(current, scope, request))
    return withViewLater(request, scope, use)
  }
  const withViewLater = async (
    request: Request,
    resolving: ReturnType<typeof sessions.resolve>,
    use: UseView,
  ): Promise<CommandResult> => {
    const scope = await resolving
    return scope.ok ? use(makeView(await catalog.snapshot(request.signal), scope, request)) : scope.failure
  }
  const openView = async (request: Request): Promise<View> => {
    const scope = await sessions.resolve(request.caller, undefined)
    return makeView(await catalog.snapshot(request.signal), scope.ok ? scope : {}, request)
  }
  return {
    withView,
    async withViewForTool(wanted, request, use) {
      const isOwn = strategy.ownNames?.(await openView(request)).includes(wanted) === true
      const settling = isOwn ? undefined : settle({ tools: [wanted], isCall: true }, request)
      if (settling !== undefined) await settling
      return withView(request, use)
    },
    openView,
    async openForListing(request) {
      if (strategy.listsCatalog === true) await settle('all', request)
      return openView(request)
    },
    callMetaTool(tool, args, request) {
      const given = typeof args === 'string' ? decodeStringified(args, tool.listed.inputSchema) : args
      const named = tool.takesContext === true && isRecord(given) ? given.context : undefined
      const scoped = typeof named === 'string' ? { ...request, context: named } : request
      const { needs } = tool
      const settling = needs === undefined ? undefined : settle(() => needs(given), request)
      const call = (view: View) => tool.call(given, view)
      return settling === undefined ? withView(scoped, call) : settling.then(() => withView(scoped, call))
    },
  }
}
