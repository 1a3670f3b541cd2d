// A crib, the whole pipeline: sources -> catalog -> visibility -> search -> strategy, and back through the dispatcher.

import { createCatalog } from '../catalog/catalog.ts'
import { type Caller, callerKey } from '../core/call.ts'
import { fail } from '../core/errors.ts'
import type { CommandResult } from '../core/result.ts'
import { rightsKey } from '../core/rights.ts'
import type { StopSignal } from '../core/stop-signal.ts'
import { messageOf } from '../core/text.ts'
import type { Decide, JsonSchema, ListedTool } from '../core/tool.ts'
import { type CreatedStrategy, createStrategy } from '../disclosure/strategies/create-strategy.ts'
import { type Choice, choiceLine, type Strategy } from '../disclosure/strategy.ts'
import type { View } from '../disclosure/view.ts'
import { createDispatcher } from '../dispatch/dispatch.ts'
import type { ToolSource } from '../sources/source.ts'
import { createMemoryStore } from '../storage/memory.ts'
import { createCallerStates, createSessionContexts } from './caller-state.ts'
import type { CribAbout, CribOptions } from './crib-options.ts'
import { createListingWatch, followCallers } from './listing-watch.ts'
import { createOpenViews, type OpenViews } from './open-views.ts'
import type { Request } from './request.ts'
import { createAllowedTools } from './selections.ts'
import { createSourceWait } from './source-wait.ts'
import { createViews } from './views.ts'

/** The strategy in effect. */
interface CribStrategy {
  readonly name: string
  /** How long a client may treat its list as current without asking. */
  readonly listTtlMs: number
  /** The latest choice of the strategy. Undefined before its first listing, and for a strategy that has no choice. */
  explain(): Choice | undefined
  stats(): Readonly<Record<string, unknown>>
  /** True if this is the name of a meta-tool. */
  hasTool(name: string): boolean
  /** True if this is the name of a meta-tool that finds or describes tools. */
  findsTools(name: string): boolean
}

export interface Crib {
  /** The instructions include the guide of the strategy, unless its listing needs no guide. */
  readonly about: CribAbout
  readonly strategy: CribStrategy
  list(request: Request): Promise<readonly ListedTool[]>
  /** Calls a tool by the name that a client uses: a meta-tool, a group or a tool of a source. */
  call(name: string, args: unknown, request: Request): Promise<CommandResult>
  /** Runs a command or a meta-tool by its name. */
  execute(name: string, input: unknown, request: Request): Promise<CommandResult>
  batch(batch: unknown, request: Request): Promise<CommandResult>
  pipe(pipe: unknown, request: Request): Promise<CommandResult>
  /** The input schema of the visible tool with this name. Undefined for meta-tools and unknown names. */
  inputSchemaOf(name: string, request: Request): Promise<JsonSchema | undefined>
  endSession(sessionId: string): Promise<void>
  /** Replaces the sources and the rules. Without `decide`, all rules are removed. Does not close removed sources. */
  replace(sources: readonly ToolSource[], decide?: Decide): void
  /** Resolves when every source has listed its tools or failed, or after `waitMs`. The signal ends the wait. */
  settled(signal: StopSignal, waitMs?: number): Promise<void>
  /** The view of the given caller. Without a caller, the view that the server uses for its own reports. */
  inspect(signal: StopSignal, caller?: Caller): Promise<View>
  /** Calls the listener when the listing of this caller changes, except through its own calls. */
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
  const { store: givenStore, scope: stateScope } = options.state ?? {}
  const store = givenStore ?? createMemoryStore()
  const server = { name: about.name, version: about.version }

  const served = createStrategy(options.strategy, options.strategyOptions, {
    prefix: options.prefix,
    hasContexts: contexts.length > 0,
    builtins: options.builtins ?? true,
    server,
    keepsResults: calls.results !== undefined,
    ...(search.usage === undefined ? {} : { usage: search.usage }),
  })
  const { name: strategyName, strategy, metaTools, prefix, hintsFor } = served

  const catalog = createCatalog(options.sources, { ...catalogOptions, reserved: [...metaTools.keys()] })
  const sessions = createSessionContexts(contexts, store, prefix)
  const states = createCallerStates(store, stateScope)
  const dispatcher = createDispatcher({
    source: (id) => catalog.source(id),
    middleware: calls.middleware ?? [],
    gate: () => calls.gate?.(),
    invalid(tool, caller) {
      const hints = hintsFor(caller)
      return { ...hints.invalid(tool), name: hints.nameOf(tool) }
    },
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
  const views = createOpenViews({ catalog, sessions, strategy, settle, makeView })
  const { openView, openForListing, callMetaTool } = views
  const reportChoice = createChoiceReport(served, (line) => options.onChoice?.(line))
  const isPersonal = strategy.isPersonal === true || contexts.length > 0
  const watch = createListingWatch({
    audienceOf: (caller) => audienceOf(strategy, caller, isPersonal),
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
      hasTool: (wanted) => metaTools.has(wanted),
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
    ...createCalls(served, views),
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
      if (givenStore === undefined) await store[Symbol.asyncDispose]()
    },
  }
}

/** Creates the functions that call tools. `call` and `execute` prefer a meta-tool to a tool of a source. */
function createCalls(
  { strategy, metaTools, prefix }: CreatedStrategy,
  { withView, withViewForTool, callMetaTool }: OpenViews,
): Pick<Crib, 'call' | 'execute' | 'batch' | 'pipe'> {
  /** Undefined if the name is not that of a meta-tool. */
  const callIfMetaTool = (wanted: string, args: unknown, request: Request): Promise<CommandResult> | undefined => {
    const tool = metaTools.get(wanted)
    return tool === undefined ? undefined : callMetaTool(tool, args, request)
  }
  return {
    call: (wanted, args, request) =>
      answerAlways(
        wanted,
        request,
        () =>
          callIfMetaTool(wanted, args, request) ??
          withViewForTool(wanted, request, async (view) =>
            view.deliver(await (strategy.call?.(wanted, args, view) ?? view.invoke(wanted, args))),
          ),
      ),
    execute: (wanted, input, request) =>
      answerAlways(
        wanted,
        request,
        () =>
          callIfMetaTool(wanted, input, request) ??
          withViewForTool(wanted, request, (view) => view.invoke(wanted, input)),
      ),
    batch: (batch, request) =>
      answerAlways(`${prefix}-batch`, request, () => withView(request, (view) => view.batch(batch))),
    pipe: (pipe, request) =>
      answerAlways(`${prefix}-pipe`, request, () => withView(request, (view) => view.pipe(pipe))),
  }
}

/** Turns an exception into a failure, so a call never rejects. */
async function answerAlways(
  wanted: string,
  request: Request,
  work: () => Promise<CommandResult> | CommandResult,
): Promise<CommandResult> {
  try {
    return await work()
  } catch (error) {
    if (request.signal.aborted) return fail('CANCELLED', { name: wanted })
    return fail('COMMAND_EXECUTION_ERROR', { name: wanted, reason: messageOf(error) })
  }
}

/** Reports each listing that the strategy chooses, once. */
function createChoiceReport({ name, strategy }: CreatedStrategy, onChoice: (line: string) => void) {
  const reported = new Set<string>()
  return (caller: Caller) => {
    const choice = strategy.explain?.(caller)
    if (choice === undefined || reported.has(choice.strategy)) return
    reported.add(choice.strategy)
    onChoice(choiceLine(name, choice))
  }
}

/** Returns a key for a caller. Callers with the same key get the same listing. */
function audienceOf(strategy: Strategy, caller: Caller, isPersonal: boolean): string {
  return JSON.stringify([strategy.audienceOf?.(caller), isPersonal ? callerKey(caller) : rightsKey(caller.rights)])
}

export function joinTexts(...texts: readonly (string | undefined)[]): string | undefined {
  return texts.filter((text) => text !== undefined && text !== '').join('\n\n') || undefined
}
