// The straight line: sources -> catalog -> visibility -> search -> strategy, and back through the dispatcher.

import { createCatalog } from '../catalog/catalog.ts'
import type { ContextDefinition, Middleware } from '../core/call.ts'
import { decodeStringified } from '../core/decode.ts'
import { fail, raise } from '../core/errors.ts'
import type { CommandResult } from '../core/result.ts'
import { isRecord } from '../core/schema.ts'
import { messageOf } from '../core/text.ts'
import type { JsonSchema, ListedTool } from '../core/tool.ts'
import { strategies } from '../disclosure/builtins.ts'
import type { View } from '../disclosure/view.ts'
import { type CommandEvent, createDispatcher } from '../dispatch/dispatch.ts'
import { bm25 } from '../search/bm25.ts'
import type { Ranker } from '../search/ranker.ts'
import type { ToolSource } from '../sources/source.ts'
import { createMemoryStore } from '../storage/memory.ts'
import type { Store } from '../storage/store.ts'
import { createListingWatch } from './listing-watch.ts'
import type { Request } from './request.ts'
import { createSessionContexts } from './session-context.ts'
import { createViews } from './views.ts'

export interface CribOptions {
  readonly name: string
  readonly version: string
  readonly sources: readonly ToolSource[]
  readonly strategy: string
  readonly strategyOptions?: unknown
  /** The prefix of the server's own tools. */
  readonly prefix?: string
  readonly contexts?: readonly ContextDefinition[]
  readonly middleware?: readonly Middleware[]
  readonly ranker?: Ranker
  readonly store?: Store
  readonly devMode?: boolean
  onCommand?(event: CommandEvent): void
  onThrown?(thrown: unknown, command: string): void
}

export interface Crib {
  readonly name: string
  readonly version: string
  list(request: Request): Promise<readonly ListedTool[]>
  /** Whatever a client may name: a tool of the strategy, a group, a tool. */
  call(name: string, args: unknown, request: Request): Promise<CommandResult>
  /** A command, or one of the server's own tools, by its name. */
  execute(name: string, input: unknown, request: Request): Promise<CommandResult>
  batch(batch: unknown, request: Request): Promise<CommandResult>
  pipe(pipe: unknown, request: Request): Promise<CommandResult>
  /** The schema of a tool that a client may call by this name. */
  inputSchemaOf(name: string, request: Request): Promise<JsonSchema | undefined>
  endSession(sessionId: string): Promise<void>
  /** What clients are shown has changed because the catalog has. */
  onListChanged(listener: () => void): () => void
  [Symbol.asyncDispose](): Promise<void>
}

/** The server itself, looking at what it shows. */
const NOBODY: Request = {
  caller: { principal: 'server', era: 'direct', transport: 'direct' },
  signal: new AbortController().signal,
}

export function createCrib(options: CribOptions): Crib {
  const { name, version, prefix = 'afd', contexts = [], ranker = bm25, store = createMemoryStore() } = options

  const plugin = strategies.get(options.strategy)
  if (plugin === undefined) raise('UNKNOWN_STRATEGY', { name: options.strategy, names: [...strategies.keys()] })
  const strategy = plugin.create(options.strategyOptions, { prefix, hasContexts: contexts.length > 0 })
  const metaTools = new Map(strategy.metaTools.map((tool) => [tool.listed.name, tool]))

  const catalog = createCatalog(options.sources, [...metaTools.keys()])
  const sessions = createSessionContexts(contexts, store, prefix)
  const dispatcher = createDispatcher({
    source: (id) => catalog.source(id),
    middleware: options.middleware ?? [],
    detailTool: `${prefix}-detail`,
    devMode: options.devMode ?? false,
    onCommand: (event) => options.onCommand?.(event),
    onThrown: (thrown, command) => options.onThrown?.(thrown, command),
  })
  const makeView = createViews({
    prefix,
    dispatcher,
    sessions,
    ranker,
    list: (view) => strategy.list(view),
    isMetaTool: (wanted) => metaTools.has(wanted),
    callMetaTool: (wanted, args, request) => callMetaTool(wanted, args, request),
    about: { server: { name, version }, strategy: options.strategy, guide: strategy.guide },
  })

  const within = async (request: Request, use: (view: View) => Promise<CommandResult>): Promise<CommandResult> => {
    const scope = await sessions.resolve(request.caller, request.context)
    return scope.ok ? use(makeView(await catalog.snapshot(request.signal), scope, request)) : scope.failure
  }
  /** What the caller sees with no context named in the call. */
  const open = async (request: Request): Promise<View> => {
    const scope = await sessions.resolve(request.caller, undefined)
    return makeView(await catalog.snapshot(request.signal), scope.ok ? scope : {}, request)
  }
  const callMetaTool = (wanted: string, args: unknown, request: Request): Promise<CommandResult> | undefined => {
    const tool = metaTools.get(wanted)
    if (tool === undefined) return undefined
    const given = typeof args === 'string' ? decodeStringified(args, tool.listed.inputSchema) : args
    const named = tool.takesContext === true && isRecord(given) ? given.context : undefined
    const scoped = typeof named === 'string' ? { ...request, context: named } : request
    return within(scoped, (view) => tool.call(given, view))
  }
  /** Never rejects, whatever becomes of the request. */
  const answer = async (
    wanted: string,
    request: Request,
    work: () => Promise<CommandResult>,
  ): Promise<CommandResult> => {
    try {
      return await work()
    } catch (error) {
      if (request.signal.aborted) return fail('CANCELLED', { name: wanted })
      return fail('COMMAND_EXECUTION_ERROR', { name: wanted, reason: messageOf(error) })
    }
  }

  const watch = createListingWatch(async () => JSON.stringify(await strategy.list(await open(NOBODY))))
  catalog.onChange(() => watch.check())

  return {
    name,
    version,
    list: async (request) => strategy.list(await open(request)),
    inputSchemaOf: async (wanted, request) => (await open(request)).visible.find(wanted)?.inputSchema,
    call: (wanted, args, request) =>
      answer(
        wanted,
        request,
        () =>
          callMetaTool(wanted, args, request) ??
          within(request, (view) => strategy.call?.(wanted, args, view) ?? view.invoke(wanted, args)),
      ),
    execute: (wanted, input, request) =>
      answer(
        wanted,
        request,
        () => callMetaTool(wanted, input, request) ?? within(request, (view) => view.invoke(wanted, input)),
      ),
    batch: (batch, request) => answer(`${prefix}-batch`, request, () => within(request, (view) => view.batch(batch))),
    pipe: (pipe, request) => answer(`${prefix}-pipe`, request, () => within(request, (view) => view.pipe(pipe))),
    endSession: (sessionId) => sessions.end(sessionId),
    onListChanged: (listener) => watch.onChange(listener),
    async [Symbol.asyncDispose]() {
      await catalog[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}
