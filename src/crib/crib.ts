// A crib, the whole pipeline: sources -> catalog -> visibility -> search -> strategy, and back through the dispatcher.

import { createCatalog } from '../catalog/catalog.ts'
import { type Caller, callerKey } from '../core/call.ts'
import { decodeStringified } from '../core/decode.ts'
import { fail } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import type { CommandResult } from '../core/result.ts'
import { rightsKey } from '../core/rights.ts'
import type { StopSignal } from '../core/stop-signal.ts'
import { messageOf } from '../core/text.ts'
import type { Decide, JsonSchema, ListedTool } from '../core/tool.ts'
import { createStrategy } from '../disclosure/strategies/create-strategy.ts'
import { type Choice, choiceLine, type MetaTool } from '../disclosure/strategy.ts'
import type { View } from '../disclosure/view.ts'
import { createDispatcher } from '../dispatch/dispatch.ts'
import type { ToolSource } from '../sources/source.ts'
import { createMemoryStore } from '../storage/memory.ts'
import { createAllowedTools } from './allowed-tools.ts'
import { createCallerStates } from './caller-state.ts'
import type { CribAbout, CribOptions } from './crib-options.ts'
import { createListingWatch, followCallers } from './listing-watch.ts'
import type { Request } from './request.ts'
import { createSessionContexts } from './session-context.ts'
import { createSourceWait } from './source-wait.ts'
import { createViews } from './views.ts'

/** The strategy in force. */
interface CribStrategy {
  readonly name: string
  /** How long a client may treat its list as current without asking. */
  readonly listTtlMs: number
  /** The listing that the strategy chose, and the reason. Undefined for a strategy that has no choice. */
  explain(): Choice | undefined
  stats(): Readonly<Record<string, unknown>>
  /** True if the name is a tool of the strategy that finds or describes tools. */
  findsTools(name: string): boolean
}

export interface Crib {
  /** The instructions include the guide of the strategy, unless its listing needs no guide. */
  readonly about: CribAbout
  readonly strategy: CribStrategy
  list(request: Request): Promise<readonly ListedTool[]>
  call(name: string, args: unknown, request: Request): Promise<CommandResult>
  /** Runs a command, or one of the server's own tools, by its name. */
  execute(name: string, input: unknown, request: Request): Promise<CommandResult>
  batch(batch: unknown, request: Request): Promise<CommandResult>
  pipe(pipe: unknown, request: Request): Promise<CommandResult>
  /** The input schema of the visible tool with this name. Undefined for the strategy's own tools and unknown names. */
  inputSchemaOf(name: string, request: Request): Promise<JsonSchema | undefined>
  endSession(sessionId: string): Promise<void>
  /** Replaces the sources and the rules. Without `decide`, all rules are removed. Does not close removed sources. */
  replace(sources: readonly ToolSource[], decide?: Decide): void
  /** Resolves when every source has listed its tools or failed, or after `waitMs`. The signal ends the wait. */
  settled(signal: StopSignal, waitMs?: number): Promise<void>
  /** The view of the server itself for its own reports, or that of the caller. */
  inspect(signal: StopSignal, caller?: Caller): Promise<View>
  /** Calls the listener when a change of the catalog changes the listing of this caller. */
  onListChanged(caller: Caller, listener: () => void): () => void
  [Symbol.asyncDispose](): Promise<void>
}

/** A request of the server itself. */
const SERVER_REQUEST: Request = {
  caller: { principal: 'server', era: 'direct', transport: 'direct' },
  signal: new AbortController().signal,
}

const LIST_WAIT_MS = 5_000
const LIST_TTL_MS = 60_000

export function createCrib(options: CribOptions): Crib {
  const { about, contexts = [], search = {}, calls = {} } = options
  const { listWaitMs = LIST_WAIT_MS, ...catalogOptions } = options.catalog ?? {}
  const { store = createMemoryStore(), scope: stateScope } = options.state ?? {}
  const server = { name: about.name, version: about.version }

  const served = createStrategy(options.strategy, options.strategyOptions, {
    prefix: options.prefix,
    hasContexts: contexts.length > 0,
    builtins: options.builtins ?? true,
    server,
    keepsResults: calls.results !== undefined,
    ...(search.usage === undefined ? {} : { usage: search.usage }),
  })
  const { name: strategyName, strategy, metaTools, prefix, hints } = served

  const catalog = createCatalog(options.sources, { ...catalogOptions, reserved: [...metaTools.keys()] })
  const sessions = createSessionContexts(contexts, store, prefix)
  const states = createCallerStates(store, stateScope)
  const dispatcher = createDispatcher({
    source: (id) => catalog.source(id),
    middleware: calls.middleware ?? [],
    gate: () => calls.gate?.(),
    invalid: (tool) => ({ ...hints.invalid(tool), name: hints.nameOf(tool) }),
    devMode: calls.devMode ?? false,
    tracer: calls.tracer,
    onCommand: (event) => calls.onCommand?.(event),
    onThrown: (thrown, command) => calls.onThrown?.(thrown, command),
  })
  const allowedTools = createAllowedTools()
  const makeView = createViews({
    about: { server, strategy: strategyName, guide: strategy.guide },
    served,
    catalog,
    allowedTools,
    sessions,
    states,
    search,
    dispatcher,
    calls,
    onListChanged: (caller) => watch.renew(caller),
    callMetaTool: (tool, args, request) => callMetaTool(tool, args, request),
  })

  const settle = createSourceWait(catalog, allowedTools, listWaitMs)
  /** Calls `use` with the view of the request, or returns the error if its context does not exist. */
  const withView = (request: Request, use: (view: View) => Promise<CommandResult>): Promise<CommandResult> => {
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
    use: (view: View) => Promise<CommandResult>,
  ): Promise<CommandResult> => {
    const scope = await resolving
    return scope.ok ? use(makeView(await catalog.snapshot(request.signal), scope, request)) : scope.failure
  }
  /** An unknown name may belong to a source that is still starting, so the call waits for it. */
  const withViewForTool = async (wanted: string, request: Request, use: (view: View) => Promise<CommandResult>) => {
    const isOwn = strategy.ownNames?.(await openView(request)).includes(wanted) === true
    const settling = isOwn ? undefined : settle({ tools: [wanted], isCall: true }, request)
    if (settling !== undefined) await settling
    return withView(request, use)
  }
  /** The view of the caller in the context of its session. Ignores `request.context`. */
  const openView = async (request: Request): Promise<View> => {
    const scope = await sessions.resolve(request.caller, undefined)
    return makeView(await catalog.snapshot(request.signal), scope.ok ? scope : {}, request)
  }
  /** The view for a listing, after a short wait for sources if the strategy lists their tools. */
  const openForListing = async (request: Request): Promise<View> => {
    if (strategy.listsCatalog === true) await settle('all', request)
    return openView(request)
  }
  const callMetaTool = (tool: MetaTool, args: unknown, request: Request): Promise<CommandResult> => {
    const given = typeof args === 'string' ? decodeStringified(args, tool.listed.inputSchema) : args
    const named = tool.takesContext === true && isRecord(given) ? given.context : undefined
    const scoped = typeof named === 'string' ? { ...request, context: named } : request
    const { needs } = tool
    const settling = needs === undefined ? undefined : settle(() => needs(given), request)
    const call = (view: View) => tool.call(given, view)
    return settling === undefined ? withView(scoped, call) : settling.then(() => withView(scoped, call))
  }
  /** Undefined if the name is not a tool of the strategy. */
  const callOwnTool = (wanted: string, args: unknown, request: Request): Promise<CommandResult> | undefined => {
    const tool = metaTools.get(wanted)
    return tool === undefined ? undefined : callMetaTool(tool, args, request)
  }
  /** Turns an exception into a failure, so a call never rejects. */
  const answerAlways = async (
    wanted: string,
    request: Request,
    work: () => Promise<CommandResult> | CommandResult,
  ): Promise<CommandResult> => {
    try {
      return await work()
    } catch (error) {
      if (request.signal.aborted) return fail('CANCELLED', { name: wanted })
      return fail('COMMAND_EXECUTION_ERROR', { name: wanted, reason: messageOf(error) })
    }
  }

  const reportedChoices = new Set<string>()
  const reportChoice = (caller: Caller) => {
    const choice = strategy.explain?.(caller)
    if (choice === undefined || reportedChoices.has(choice.strategy)) return
    reportedChoices.add(choice.strategy)
    options.onChoice?.(choiceLine(strategyName, choice))
  }

  const isPersonal = strategy.isPersonal === true || contexts.length > 0
  const watch = createListingWatch({
    audienceOf: (caller) =>
      JSON.stringify([strategy.audienceOf?.(caller), isPersonal ? callerKey(caller) : rightsKey(caller.rights)]),
    // Does not wait for any source: tools that are listed later count as a change.
    listingOf: async (caller) => JSON.stringify(await strategy.list(await openView({ ...SERVER_REQUEST, caller }))),
  })
  catalog.onChange(() => watch.check())
  const unfollow = isPersonal ? followCallers(store, stateScope, watch) : () => {}

  return {
    about: {
      ...about,
      instructions: joinTexts(about.instructions, strategy.isSelfEvident === true ? '' : strategy.guide),
    },
    strategy: {
      name: strategyName,
      listTtlMs: strategy.isPersonal === true ? 0 : LIST_TTL_MS,
      explain: () => strategy.explain?.(),
      stats: () => strategy.stats?.() ?? {},
      findsTools: (wanted) => metaTools.get(wanted)?.findsTools === true,
    },
    async list(request) {
      const listed = await strategy.list(await openForListing(request))
      reportChoice(request.caller)
      return listed
    },
    async inputSchemaOf(wanted, request) {
      if (metaTools.has(wanted)) return undefined
      if (strategy.listsCatalog === true) await settle({ tools: [wanted] }, request)
      return (await openView(request)).visible.find(wanted)?.inputSchema
    },
    call: (wanted, args, request) =>
      answerAlways(
        wanted,
        request,
        () =>
          callOwnTool(wanted, args, request) ??
          withViewForTool(wanted, request, async (view) =>
            view.deliver(await (strategy.call?.(wanted, args, view) ?? view.invoke(wanted, args))),
          ),
      ),
    execute: (wanted, input, request) =>
      answerAlways(
        wanted,
        request,
        () =>
          callOwnTool(wanted, input, request) ?? withViewForTool(wanted, request, (view) => view.invoke(wanted, input)),
      ),
    batch: (batch, request) =>
      answerAlways(`${prefix}-batch`, request, () => withView(request, (view) => view.batch(batch))),
    pipe: (pipe, request) =>
      answerAlways(`${prefix}-pipe`, request, () => withView(request, (view) => view.pipe(pipe))),
    replace: (sources, decide) => catalog.replace(sources, decide),
    settled: (signal, waitMs) => catalog.settle(signal, { waitMs }).catch(() => {}),
    inspect: (signal, caller = SERVER_REQUEST.caller) => openForListing({ caller, signal }),
    async endSession(sessionId) {
      await Promise.all([sessions.end(sessionId), states.end(sessionId)])
    },
    onListChanged: (caller, listener) => watch.onChange(caller, listener),
    async [Symbol.asyncDispose]() {
      unfollow()
      await catalog[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}

function joinTexts(...texts: readonly (string | undefined)[]): string | undefined {
  const given = texts.filter((text) => text !== undefined && text !== '')
  return given.length === 0 ? undefined : given.join('\n\n')
}
