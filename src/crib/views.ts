// Makes the view of one request: the catalog as this caller may see it, and the only way from there to a call.

import { randomUUID } from 'node:crypto'
import { filterSnapshot, type Snapshot } from '../catalog/snapshot.ts'
import type { Introspection } from '../core/call.ts'
import { fail } from '../core/errors.ts'
import type { CommandResult } from '../core/result.ts'
import { findSimilarTools } from '../core/similarity.ts'
import type { ListedTool } from '../core/tool.ts'
import type { Lookup, View } from '../disclosure/view.ts'
import { runBatch } from '../dispatch/batch.ts'
import type { CallFrame, Dispatcher } from '../dispatch/dispatch.ts'
import type { Invocation } from '../dispatch/invoke.ts'
import { runPipe } from '../dispatch/pipe.ts'
import { isVisible, type Scope, visibilityOf } from '../rules/visibility.ts'
import type { Index, Ranker } from '../search/ranker.ts'
import type { Request } from './request.ts'
import type { SessionContexts } from './session-context.ts'

export interface ViewsOptions {
  readonly prefix: string
  readonly dispatcher: Dispatcher
  readonly sessions: SessionContexts
  readonly ranker: Ranker
  /** What the strategy would list, to see whether a switch of context changes it. */
  list(view: View): Promise<readonly ListedTool[]>
  /** The strategy's own tools. */
  isMetaTool(name: string): boolean
  callMetaTool(name: string, args: unknown, request: Request): Promise<CommandResult> | undefined
  /** What the server says about itself; the commands are the view's to add. */
  readonly about: Omit<Introspection, 'commands'>
}

export type MakeView = (all: Snapshot, scope: Scope, request: Request) => View

export function createViews(options: ViewsOptions): MakeView {
  const { prefix, dispatcher, sessions } = options
  // Both are kept as long as their snapshot is: callers who see the same tools share one filtered set and one index.
  const visibleSets = new WeakMap<Snapshot, Map<string | undefined, Snapshot>>()
  const indexes = new WeakMap<Snapshot, Promise<Index>>()

  const visibleIn = (all: Snapshot, scope: Scope): Snapshot => {
    const sets = visibleSets.get(all) ?? new Map<string | undefined, Snapshot>()
    visibleSets.set(all, sets)
    const visible = sets.get(scope.context) ?? filterSnapshot(all, (tool) => isVisible(tool, scope))
    sets.set(scope.context, visible)
    return visible
  }
  const indexOf = (all: Snapshot): Promise<Index> => {
    const known = indexes.get(all)
    if (known !== undefined) return known
    // Built for everyone, so no caller's going away ends it; what failed is tried again by the next.
    const index = options.ranker(all, new AbortController().signal)
    indexes.set(all, index)
    index.catch(() => indexes.delete(all))
    return index
  }

  const makeView: MakeView = (all, scope, request) => {
    const visible = visibleIn(all, scope)

    const lookup = (name: string): Lookup => {
      const tool = all.find(name)
      if (tool !== undefined) return { found: true, tool, visibility: visibilityOf(tool, scope) }
      return { found: false, similar: findSimilarTools(name, visible.names) }
    }

    const onSwitch = async (from: string | undefined, to: string | undefined) => {
      if (request.listChanged === undefined) return
      const listIn = (context: string | undefined) =>
        options.list(makeView(all, context === undefined ? {} : { context }, request))
      const [before, after] = await Promise.all([listIn(from), listIn(to)])
      if (JSON.stringify(before) !== JSON.stringify(after)) request.listChanged()
    }

    // One for the whole request: the entries of a batch and the steps of a pipe belong together.
    let traceId = request.traceId
    const frameFor = (signal: AbortSignal): CallFrame => {
      traceId ??= randomUUID()
      const { listChanged: _listChanged, context: _named, ...rest } = request
      const contexts = sessions.control(request.caller, scope.context, onSwitch)
      return {
        ...rest,
        traceId,
        signal,
        ...(scope.context === undefined ? {} : { context: scope.context }),
        introspect: async () => ({ ...options.about, commands: visible.tools.map(describe) }),
        ...(contexts === undefined ? {} : { contexts }),
      }
    }

    const invoke = async (name: string, input: unknown, signal: AbortSignal): Promise<CommandResult> => {
      const target = lookup(name)
      return target.found && target.visibility.degree === 'visible'
        ? dispatcher.run(target.tool, input, frameFor(signal))
        : refusal(name, target, prefix, request)
    }
    const invocation: Invocation = {
      invoke,
      isBuiltin: (name) => options.isMetaTool(name) || all.find(name)?.builtin === true,
      signal: request.signal,
    }

    return {
      caller: request.caller,
      context: scope.context,
      visible,
      known: all,
      lookup,
      async search(query, limit) {
        const index = await indexOf(all)
        const within = new Set(visible.tools.map((tool) => tool.id))
        return index.search(query, { limit, within, signal: request.signal })
      },
      invoke: (name, input) => invoke(name, input, request.signal),
      callMetaTool: (name, args) => options.callMetaTool(name, args, request),
      batch: (batch) => runBatch(batch, invocation, `${prefix}-batch`),
      pipe: (pipe) => runPipe(pipe, invocation, `${prefix}-pipe`),
    }
  }
  return makeView
}

/** Why a name cannot be called, in the words of its degree of visibility. */
function refusal(name: string, target: Lookup, prefix: string, { caller }: Request): CommandResult {
  const discover = `${prefix}-discover`
  if (!target.found) {
    const { similar } = target
    const details = similar.length === 0 ? {} : { details: { similar } }
    return fail('COMMAND_NOT_FOUND', { name, similar, discover }, details)
  }
  const { tool, visibility } = target
  if (visibility.degree !== 'out-of-context') return fail('COMMAND_NOT_EXPOSED', { name: tool.listedName, discover })
  const { active, contexts } = visibility
  // Without a session there is nothing to enter a context in.
  const enter = caller.sessionId === undefined ? undefined : `${prefix}-context-enter`
  return fail('CONTEXT_MISMATCH', { name: tool.listedName, active, contexts, enter }, { details: { contexts } })
}

function describe(tool: Snapshot['tools'][number]): Introspection['commands'][number] {
  const { listedName, description, category, tags = [], traits, inputSchema } = tool
  const stated = traits.mutation === undefined ? {} : { mutation: traits.mutation }
  return { name: listedName, description, category, tags, ...stated, inputSchema }
}
