// Makes the view of one request: the catalog as this caller may see it, and the only way from there to a call.

import { randomUUID } from 'node:crypto'
import type { Catalog } from '../catalog/catalog.ts'
import type { Snapshot } from '../catalog/snapshot.ts'
import type { Caller, Introspection } from '../core/call.ts'
import { soundResult } from '../core/encode-result.ts'
import { fail } from '../core/errors.ts'
import type { CommandResult } from '../core/result.ts'
import type { ListedTool, ToolId } from '../core/tool.ts'
import { lookUp, refusalOf } from '../disclosure/lookup.ts'
import type { Hints } from '../disclosure/strategy.ts'
import type { SourceView, ToolRef, View } from '../disclosure/view.ts'
import { runBatch } from '../dispatch/batch.ts'
import type { CallFrame, Dispatcher } from '../dispatch/dispatch.ts'
import type { Invocation } from '../dispatch/invoke.ts'
import { runPipe } from '../dispatch/pipe.ts'
import type { Scope } from '../rules/visibility.ts'
import type { Ranker } from '../search/ranker.ts'
import type { CallerStates } from './caller-state.ts'
import { createFinder, type Finder } from './finder.ts'
import type { Recorder, ResultKeeper, Search } from './recorder.ts'
import type { Request } from './request.ts'
import { createSelections } from './selections.ts'
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
  /** How often each tool was called; undefined where searches should not learn from it. */
  learned(): ReadonlyMap<ToolId, number> | undefined
  onSearch(search: Search): void
  /** What the strategy would list, to see whether a switch of context changes it. */
  list(view: View): Promise<readonly ListedTool[]>
  /** The tool with which this caller reads on in a cut result; without one, nothing is cut: the rest would be lost. */
  readsOn(view: View): string | undefined | Promise<string | undefined>
  /** A call has changed what its caller is shown. */
  onListChanged(caller: Caller): void
  /** The strategy's own tools. */
  isMetaTool(name: string): boolean
  callMetaTool(name: string, args: unknown, request: Request): Promise<CommandResult> | undefined
  /** What the server says about itself; the commands are the view's to add. */
  readonly about: Omit<Introspection, 'commands'>
}

/** What a call is of the request that it is made for. */
interface Share {
  readonly isAll: boolean
}

const THE_WHOLE: Share = { isAll: true }
/** Whoever answers for several calls cannot come back with answers to one of them. */
const ONE_OF_SEVERAL: Share = { isAll: false }

export type MakeView = (all: Snapshot, scope: Scope, request: Request) => View

export function createViews(options: ViewsOptions): MakeView {
  const { prefix, hints, catalog, dispatcher, sessions, states, recorder, results } = options
  const selections = createSelections(options.ranker)

  const makeView: MakeView = (all, scope, request) => {
    const { caller } = request
    const { visible } = selections.visibleIn(all, scope)
    const sources = () => catalog.sources.map((source) => source.id)

    const lookup = (ref: ToolRef) => lookUp(ref, { all, visible, scope, sources })
    const silence = (server: string): string | undefined => {
      if (selections.countOf(all, server) > 0) return undefined
      const { state, reason } = catalog.source(server)?.info?.() ?? { state: 'connected' }
      if (state === 'failed') return reason ?? 'it could not be started'
      return state === 'starting' ? 'it is still starting' : undefined
    }
    const words = { hints, prefix, caller, silence }
    const refusal = (ref: ToolRef) => refusalOf(ref, lookup(ref), words)

    const listChanged = () => {
      request.listChanged?.()
      options.onListChanged(caller)
    }
    const onSwitch = async (from: string | undefined, to: string | undefined) => {
      if (request.listChanged === undefined) return
      const listIn = (context: string | undefined) =>
        options.list(makeView(all, context === undefined ? {} : { context }, request))
      const [before, after] = await Promise.all([listIn(from), listIn(to)])
      if (JSON.stringify(before) !== JSON.stringify(after)) listChanged()
    }

    // One for the whole request: the entries of a batch and the steps of a pipe belong together.
    let traceId = request.traceId
    const frameFor = (signal: AbortSignal, { isAll }: Share): CallFrame => {
      traceId ??= randomUUID()
      const { listChanged: _listChanged, context: _named, relay, ...rest } = request
      const contexts = sessions.control(caller, scope.context, onSwitch)
      return {
        ...rest,
        traceId,
        signal,
        ...(isAll && relay !== undefined ? { relay } : {}),
        ...(scope.context === undefined ? {} : { context: scope.context }),
        introspect: async () => ({ ...options.about, commands: visible.tools.map(describe) }),
        ...(contexts === undefined ? {} : { contexts }),
      }
    }

    const run = async (ref: ToolRef, input: unknown, signal: AbortSignal, share: Share): Promise<CommandResult> => {
      const target = lookup(ref)
      const refused = refusalOf(ref, target, words)
      if (refused !== undefined || !target.found) return refused ?? fail('CANCELLED', { name: nameOf(ref) })
      return dispatcher.run(target.tool, input, frameFor(signal, share))
    }
    const record = async (ref: ToolRef, input: unknown, attempt: () => Promise<CommandResult>) => {
      if (recorder === undefined) return attempt()
      const target = lookup(ref)
      const { sourceId, name } = target.found ? target.tool : { sourceId: serverOf(ref), name: nameOf(ref) }
      return recorder({ caller, server: sourceId, tool: name, input }, attempt)
    }
    const invoke = (ref: ToolRef, input: unknown, signal: AbortSignal, share: Share): Promise<CommandResult> =>
      record(ref, input, () => run(ref, input, signal, share))
    const invocation: Invocation = {
      invoke: (ref, input, signal) => invoke(ref, input, signal, ONE_OF_SEVERAL),
      isBuiltin: (name) => options.isMetaTool(name) || all.find(name)?.builtin === true,
      signal: request.signal,
    }

    // Made when it is asked: most calls look for nothing.
    let made: Finder | undefined
    const finder = (): Finder => {
      made ??= createFinder(all, scope, selections, { signal: request.signal, learned: () => options.learned() })
      return made
    }

    const view: View = {
      caller,
      context: scope.context,
      visible,
      known: all,
      get sources() {
        return catalog.sources.map(({ id, info }): SourceView => {
          return { state: 'connected', ...info?.(), id, toolCount: selections.countOf(visible, id) }
        })
      },
      lookup,
      refusal,
      search(query, bounds) {
        options.onSearch({ caller, query })
        return finder().search(query, bounds)
      },
      searchDisabled: (query, bounds) => finder().searchDisabled(query, bounds),
      disabledWhere: (test) => finder().disabledWhere(test),
      async explain(query, id) {
        if (visible.get(id) === undefined) return undefined
        const explained = (await selections.indexOf(all)).explain?.(query, id)
        const calls = options.learned()?.get(id)
        return explained === undefined || calls === undefined ? explained : { ...explained, calls }
      },
      invoke: (ref, input) => invoke(ref, input, request.signal, THE_WHOLE),
      decline: (ref, input, refused) => record(ref, input, async () => refused),
      get state() {
        return states.of(caller)
      },
      listChanged,
      async deliver(result) {
        const readTool = results === undefined ? undefined : await options.readsOn(view)
        return readTool === undefined ? result : (results?.limit(result, ownerOf(caller), readTool) ?? result)
      },
      readOn: async (handle, offset) =>
        results?.read(handle, offset, ownerOf(caller), await options.readsOn(view)) ??
        fail('HANDLE_NOT_FOUND', { handle }),
      callMetaTool: (name, args) => options.callMetaTool(name, args, request),
      batch: async (batch) => soundResult(`${prefix}-batch`, await runBatch(batch, invocation, `${prefix}-batch`)),
      pipe: async (pipe) =>
        soundResult(`${prefix}-pipe`, await runPipe(pipe, { ...invocation, refusal }, `${prefix}-pipe`)),
    }
    return view
  }
  return makeView
}

function nameOf(ref: ToolRef): string {
  return typeof ref === 'string' ? ref : ref.tool
}

function serverOf(ref: ToolRef): string {
  return (typeof ref === 'string' ? undefined : ref.server) ?? ''
}

/** Whose a cut result is: nobody else can read on in it. */
function ownerOf({ principal, transport, sessionId = '' }: Caller): string {
  return JSON.stringify([transport, principal, sessionId])
}

function describe(tool: Snapshot['tools'][number]): Introspection['commands'][number] {
  const { listedName, description, category, tags = [], traits, inputSchema } = tool
  const stated = traits.mutation === undefined ? {} : { mutation: traits.mutation }
  return { name: listedName, description, category, tags, ...stated, inputSchema }
}
