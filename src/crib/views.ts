// Makes the view of one request: the catalog as this caller sees it, and the only path from there to a call.

import { randomUUID } from 'node:crypto'
import type { Snapshot } from '../catalog/snapshot.ts'
import { type Caller, type CallFields, callerKey } from '../core/call.ts'
import { soundResult } from '../core/encode-result.ts'
import { fail } from '../core/errors.ts'
import type { CommandResult, FailureResult } from '../core/result.ts'
import { abortSignalOf, type StopSignal } from '../core/stop-signal.ts'
import { describeCommand } from '../disclosure/listed.ts'
import { lookUp, type NoToolsReason, nameIn, refusalOf, requestedTool } from '../disclosure/lookup.ts'
import type { Lookup, SourceView, ToolRef, View } from '../disclosure/view.ts'
import { runBatch } from '../dispatch/batch.ts'
import type { Invocation } from '../dispatch/bounded-run.ts'
import { runPipe } from '../dispatch/pipe/pipe.ts'
import { compileRights } from '../rules/rights.ts'
import { type Scope, scopeOf } from '../rules/visibility.ts'
import { chooseRanker } from '../search/rankers/builtins.ts'
import type { SourceInfo, ToolSource } from '../sources/source.ts'
import { openCall, type Share } from './open-call.ts'
import type { Request } from './request.ts'
import { createFinder, createSelections, type Finder, type Selections } from './selections.ts'
import type { ViewsOptions, WantedCall } from './views-options.ts'

const WHOLE_REQUEST: Share = { isWholeRequest: true }

export type MakeView = (all: Snapshot, scope: Scope, request: Request) => View

export function createViews(options: ViewsOptions): MakeView {
  const selections = createSelections(options.search.ranker ?? chooseRanker(undefined))
  const makeView: MakeView = (all, scope, request) => new RequestView(environment, all, scope, request)
  const environment: ViewEnvironment = { ...options, selections, makeView }
  return makeView
}

interface ViewEnvironment extends ViewsOptions {
  readonly selections: Selections
  readonly makeView: MakeView
}

/**
 * This is a class, because a view is created for each call. To create an object with this many functions would take
 * longer than most calls take.
 */
class RequestView implements View {
  readonly #environment: ViewEnvironment
  readonly #scope: Scope
  readonly #request: Request
  /** One id for the whole request: the entries of a batch and the steps of a pipe belong together. */
  #traceId: string | undefined
  #finder: Finder | undefined
  /** True if this view was made after a login: a login is offered once per call. */
  #isAfterLogin = false
  readonly #all: Snapshot
  #ownSources: readonly ToolSource[] | undefined
  readonly caller: Caller
  readonly visible: Snapshot
  readonly known: Snapshot

  constructor(environment: ViewEnvironment, all: Snapshot, scope: Scope, request: Request) {
    this.#environment = environment
    const { rights } = request.caller
    this.#scope = scopeOf(request.caller, scope)
    this.#request = request
    this.#traceId = request.traceId
    this.caller = request.caller
    this.#all = all
    this.known = environment.allowedTools(all, rights)
    this.visible = environment.selections.visibleIn(this.known, this.#scope).visible
  }

  get context(): string | undefined {
    return this.#scope.context
  }

  get sources(): readonly SourceView[] {
    const { selections, catalog } = this.#environment
    return this.#sources().map(({ id, info }): SourceView => {
      const reason = catalog.stale.get(id)
      const state: SourceInfo = reason === undefined ? { state: 'connected' } : { state: 'failed', reason }
      const { isUnknown = false, ...rest } = info?.(this.caller) ?? state
      return { ...rest, id, ...(isUnknown ? {} : { toolCount: selections.countOf(this.visible, id) }) }
    })
  }

  get whyNoSources(): string | undefined {
    // The reason is about the whole configuration, so callers with limited rights do not get it.
    return this.caller.rights === undefined ? this.#environment.catalog.whyNoSources() : undefined
  }

  get state(): View['state'] {
    return this.#environment.states.of(this.caller)
  }

  lookup(ref: ToolRef): Lookup {
    const { hintsFor, prefix, strategy, metaTools } = this.#environment.served
    return lookUp(ref, {
      all: this.known,
      visible: this.visible,
      scope: this.#scope,
      sources: () => this.#sources().map((source) => source.id),
      own: () => [...metaTools.keys(), ...(strategy.ownNames?.(this) ?? [])],
      prefix,
      nameOf: (tool) => hintsFor(this.caller).nameOf(tool),
    })
  }

  refusal(ref: ToolRef): FailureResult | undefined {
    return this.#refusalOf(ref, this.lookup(ref))
  }

  search(...[query, bounds]: Parameters<View['search']>): ReturnType<View['search']> {
    this.#environment.search.onSearch?.({ caller: this.caller, query })
    return this.#getFinder().search(query, bounds)
  }

  searchDisabled(...[query, bounds]: Parameters<View['searchDisabled']>): ReturnType<View['searchDisabled']> {
    return this.#getFinder().searchDisabled(query, bounds)
  }

  disabledWhere(...[test]: Parameters<View['disabledWhere']>): ReturnType<View['disabledWhere']> {
    return this.#getFinder().disabledWhere(test)
  }

  explain(...[query, id]: Parameters<View['explain']>): ReturnType<View['explain']> {
    return this.#getFinder().explain(query, id)
  }

  invoke(ref: ToolRef, input: unknown, target?: Lookup): Promise<CommandResult> {
    return this.#invoke(ref, input, this.#request.signal, WHOLE_REQUEST, target)
  }

  decline(ref: ToolRef, input: unknown, refused: FailureResult): Promise<CommandResult> {
    return this.#record({ ref, target: this.lookup(ref), input }, async () => refused)
  }

  listChanged(): void {
    this.#request.listChanged?.()
    this.#environment.onListChanged(this.caller)
  }

  deliver(result: CommandResult): CommandResult | Promise<CommandResult> {
    const { served, calls } = this.#environment
    const { results } = calls
    if (results === undefined) return result
    const limited = (readTool: string | undefined) =>
      readTool === undefined ? result : results.limit(result, callerKey(this.caller), readTool)
    const readTool = served.strategy.readsOn?.(this)
    return typeof readTool === 'object' ? readTool.then(limited) : limited(readTool)
  }

  async readOn(handle: string, offset: number): Promise<CommandResult> {
    const { served, calls } = this.#environment
    const readTool = await served.strategy.readsOn?.(this)
    return calls.results?.read(handle, offset, callerKey(this.caller), readTool) ?? fail('HANDLE_NOT_FOUND', { handle })
  }

  callMetaTool(name: string, args: unknown): Promise<CommandResult> | undefined {
    const { served, callMetaTool } = this.#environment
    const tool = served.metaTools.get(name)
    return tool === undefined ? undefined : callMetaTool(tool, args, this.#request)
  }

  // The result of a batch or pipe is sent like that of a command. Its type is cast, because it has more fields, and the
  // result of a batch has no data.
  async batch(batch: unknown): Promise<CommandResult> {
    const name = `${this.#environment.served.prefix}-batch`
    return soundResult(name, (await runBatch(batch, this.#invocation(), name)) as CommandResult)
  }

  async pipe(pipe: unknown): Promise<CommandResult> {
    const name = `${this.#environment.served.prefix}-pipe`
    const invocation = { ...this.#invocation(), refusal: (ref: ToolRef) => this.refusal(ref) }
    return soundResult(name, (await runPipe(pipe, invocation, name)) as CommandResult)
  }

  /** With limited rights, a source exists if one of its tools does, or if the rights show it without tools. */
  #sources(): readonly ToolSource[] {
    const { catalog, selections } = this.#environment
    const { rights } = this.caller
    if (rights === undefined) return catalog.sources
    const hasTools = (tools: Snapshot, source: string) => selections.countOf(tools, source) > 0
    this.#ownSources ??= catalog.sources.filter(
      ({ id }) => hasTools(this.known, id) || compileRights(rights).showsServer(id, hasTools(this.#all, id)),
    )
    return this.#ownSources
  }

  /** Created on demand: most calls do not search. */
  #getFinder(): Finder {
    const { selections, search } = this.#environment
    this.#finder ??= createFinder(this.known, this.#scope, selections, {
      signal: abortSignalOf(this.#request.signal),
      learned: () => search.learned?.(),
      onFound: search.onFound,
    })
    return this.#finder
  }

  #refusalOf(ref: ToolRef, target: Lookup): FailureResult | undefined {
    const { hintsFor, prefix } = this.#environment.served
    const whyNoTools = (server: string) => this.#whyNoTools(server)
    return refusalOf(ref, target, { hints: hintsFor(this.caller), prefix, caller: this.caller, whyNoTools })
  }

  #whyNoTools(server: string): NoToolsReason | undefined {
    const { selections } = this.#environment
    if (selections.countOf(this.known, server) > 0) return undefined
    const source = this.#sources().find(({ id }) => id === server)
    const { state, reason, remedy, loginCommand } = source?.info?.(this.caller) ?? { state: 'connected' }
    if (state === 'failed') return { reason: reason ?? 'it could not be started', remedy, loginCommand }
    return state === 'starting' ? { reason: 'it is still starting' } : undefined
  }

  #invocation(): Invocation {
    const { progress } = this.#request
    return {
      invoke: (ref, input, signal, progress) => this.#invoke(ref, input, signal, { isWholeRequest: false, progress }),
      ...(progress === undefined ? {} : { progress }),
      isBuiltin: (name) => this.#environment.served.metaTools.has(name) || this.known.find(name)?.builtin === true,
      signal: this.#request.signal,
    }
  }

  #invoke(ref: ToolRef, input: unknown, signal: StopSignal, share: Share, given?: Lookup): Promise<CommandResult> {
    // Looked up once, so that the record and the call are about the same tool.
    const target = given ?? this.lookup(ref)
    return this.#record({ ref, target, input }, () => this.#run({ ref, target, input }, signal, share))
  }

  #record({ ref, target, input }: WantedCall, attempt: () => Promise<CommandResult>): Promise<CommandResult> {
    const { recorder } = this.#environment.calls
    if (recorder === undefined) return attempt()
    const { sourceId, name } = target.found ? target.tool : requestedTool(ref, target)
    return recorder({ caller: this.caller, server: sourceId, tool: name, input }, attempt)
  }

  #run(wanted: WantedCall, signal: StopSignal, share: Share): Promise<CommandResult> {
    const { target, input } = wanted
    if (!target.found || target.visibility.degree !== 'visible') return this.#refuse(wanted, signal, share)
    const { dispatcher, served } = this.#environment
    this.#request.onTool?.(served.hintsFor(this.caller).nameOf(target.tool))
    return dispatcher.run(target.tool, input, this.#callFor(signal, share))
  }

  async #refuse({ ref, target, input }: WantedCall, signal: StopSignal, share: Share): Promise<CommandResult> {
    const refused = this.#refusalOf(ref, target)
    const view = refused?.error.code === 'AUTH_REQUIRED' ? await this.#afterLogin(target, signal) : undefined
    if (view !== undefined) return view.#run({ ref, target: view.lookup(ref), input }, signal, share)
    // `refused` is always set here: `#run` passes only calls of tools that were not found or are not visible.
    return refused ?? fail('CANCELLED', { name: nameIn(ref) })
  }

  /**
   * Offers the client the login that a server needs before it lists its tools. Returns a view with these tools, or
   * undefined if there was no login.
   */
  async #afterLogin(target: Lookup, signal: StopSignal): Promise<RequestView | undefined> {
    const server = target.found || target.why !== 'unknown' ? undefined : target.server
    if (server === undefined || this.#isAfterLogin) return undefined
    const { catalog } = this.#environment
    const source = this.#sources().find(({ id }) => id === server)
    const { onServerRequest } = this.#request
    const context = { caller: this.caller, ...(onServerRequest === undefined ? {} : { onServerRequest }) }
    if ((await source?.logIn?.(context, signal)) !== true) return undefined
    await source?.settle?.(false, this.caller)
    const view = new RequestView(this.#environment, await catalog.snapshot(signal), this.#scope, this.#request)
    view.#isAfterLogin = true
    view.#traceId = this.#idOfTrace()
    return view
  }

  #callFor(signal: StopSignal, { isWholeRequest, progress }: Share): CallFields {
    const { sessions, about } = this.#environment
    const { context } = this
    return openCall(this.#request, {
      signal,
      isWholeRequest,
      progress,
      traceId: this.#idOfTrace(),
      context,
      contexts: sessions.control(this.caller, context, (from, to) => this.#onSwitch(from, to)),
      introspect: async () => ({ ...about, commands: this.visible.tools.map(describeCommand) }),
    })
  }

  #idOfTrace(): string {
    this.#traceId ??= randomUUID()
    return this.#traceId
  }

  async #onSwitch(from: string | undefined, to: string | undefined): Promise<void> {
    if (this.#request.listChanged === undefined) return
    const { served, makeView } = this.#environment
    const listIn = (context: string | undefined) =>
      served.strategy.list(makeView(this.known, context === undefined ? {} : { context }, this.#request))
    const [before, after] = await Promise.all([listIn(from), listIn(to)])
    if (JSON.stringify(before) !== JSON.stringify(after)) this.listChanged()
  }
}
