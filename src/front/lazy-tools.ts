// lazyTools: puts the tools of a server built on the official SDK under a strategy. Its own handlers still run.

import type { McpServer, Server, ServerContext } from '@modelcontextprotocol/server'
import type { Caller, Middleware } from '../core/call.ts'
import { raise } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { createSchemaValidator } from '../core/json-schema.ts'
import { success } from '../core/result.ts'
import type { ToolEntry } from '../core/tool.ts'
import { type Crib, createCrib } from '../crib/crib.ts'
import { createIsHidden, withoutHidden } from '../crib/hidden-tools.ts'
import { listedAsIs } from '../crib/listed-as-is.ts'
import type { StrategySelection } from '../disclosure/strategies/strategy-selection.ts'
import type { ToolSource } from '../sources/source.ts'
import { toEntry } from '../sources/upstream/entry.ts'
import { toResult } from '../sources/upstream/to-result.ts'
import { checkTools, type UpstreamTool } from '../sources/upstream/tool-list.ts'
import type { Store } from '../storage/store.ts'
import { clientChannel, createOutbox } from './client-channel.ts'
import { createInputRelay } from './input-relay.ts'
import { toServerContext } from './sdk-v1-context.ts'
import { capabilitiesOf } from './server-requests.ts'
import { toWire } from './wire.ts'

interface LazyToolsFields {
  /** Tools that are hidden from every client: names, globs or `/regex/`, as in rules. */
  readonly hide?: readonly string[]
  readonly middleware?: readonly Middleware[]
  /** Stores the tools that callers have enabled. Give the same store to all servers that one factory makes. */
  readonly store?: Store
  /** The name of the server, for strategies that name tools after it. */
  readonly name?: string
  readonly version?: string
}

/** The options of `lazyTools`. The default of `strategy` is `auto`; `strategyOptions` are the options of the strategy. */
export type LazyToolsOptions = LazyToolsFields & StrategySelection<'strategy', 'auto'>

/** The second argument is the context of the server's own SDK version, which its handlers expect. */
type Handler = (request: unknown, given: unknown) => Promise<unknown>

/** A low-level server of SDK v1 (`@modelcontextprotocol/sdk`). Its types differ from those of SDK v2. */
interface SdkV1Server {
  setRequestHandler(...args: never[]): unknown
  sendToolListChanged(): Promise<void>
  getClientVersion(): { readonly name: string } | undefined
}

/** A server of the official SDK, v1 or v2: a low-level server, or an `McpServer` around it. */
type SdkServer = McpServer | Server | SdkV1Server | { readonly server: SdkV1Server }

/**
 * Private fields of the SDK's servers: the handlers, wrapped in the SDK's checks, and the description of the server.
 */
interface SdkPrivateFields {
  readonly _requestHandlers?: unknown
  readonly _serverInfo?: unknown
  _instructions?: unknown
}

const LIST = 'tools/list'
const CALL = 'tools/call'
const CONTEXT = 'toolcrib/serverContext'

/**
 * Puts the tools of a server on the official SDK under a strategy. It replaces tools/list and tools/call of a server
 * that is not connected yet, and returns the same server.
 *
 * @example
 * ```ts
 * const server = new SdkServer({ name: 'todos', version: '1.0.0' }) // McpServer of @modelcontextprotocol/server
 * lazyTools(server, { strategy: 'categories', strategyOptions: { listing: 'hidden' } })
 * ```
 */
export function lazyTools<S extends SdkServer>(server: S, options: LazyToolsOptions = {}): S {
  const inner = innerOf(server)
  const handlers = handlersOf(inner)
  const fields = inner as unknown as SdkPrivateFields // each field is checked before it is used
  const { _serverInfo, _instructions } = fields
  const source = createServerSource((method) => own.get(method))
  const crib = createCrib({
    about: {
      name: options.name ?? textIn(_serverInfo, 'name') ?? 'server',
      version: options.version ?? textIn(_serverInfo, 'version') ?? '0.0.0',
      instructions: typeof _instructions === 'string' ? _instructions : undefined,
    },
    sources: [withoutHidden(source, createIsHidden(options.hide ?? []))],
    strategy: options.strategy ?? 'auto',
    strategyOptions: options.strategyOptions,
    builtins: false,
    keepNames: true,
    middleware: options.middleware,
    state: { store: options.store },
    events: { onChoice: (line) => process.stderr.write(`toolcrib: ${line}\n`) },
  })
  // The instructions of the server, followed by those of the strategy.
  fields._instructions = crib.about.instructions
  const ours = createHandlers(inner, listedAsIs(crib, source.tools), source)
  /** The server's own handlers, also those that it sets later. */
  const own = new Map<string, Handler>()
  const replace = (method: string) => {
    const given = handlers.get(method)
    const replacement = ours[method]
    if (replacement === undefined || given === replacement) return
    if (given !== undefined) own.set(method, given)
    handlers.set(method, replacement)
  }
  const set = inner.setRequestHandler.bind(inner) as (method: string, ...rest: readonly unknown[]) => void // one type for all of its overloads
  inner.setRequestHandler = (method: string, ...rest: readonly unknown[]) => {
    set(method, ...rest)
    // SDK v1 identifies the method by a schema, so both methods are checked.
    replace(LIST)
    replace(CALL)
  }
  replace(LIST)
  replace(CALL)
  followChanges(inner, source)
  return server
}

function innerOf(given: SdkServer): Server {
  // The members that are used are the same in both SDKs; `handlersOf` refuses other objects.
  const server = given as McpServer | Server
  if (!('server' in server)) {
    server.registerCapabilities({ tools: { listChanged: true, ...server.getCapabilities().tools } })
    return server
  }
  // An McpServer sets its handlers with its first tool, and it refuses to replace handlers of others.
  server.registerTool('toolcrib-placeholder', {}, () => ({ content: [] })).remove()
  return server.server
}

function handlersOf(server: Server): Map<string, Handler> {
  const { _requestHandlers: handlers } = server as unknown as SdkPrivateFields // checked before it is used
  // The SDK itself fills this map.
  if (handlers instanceof Map) return handlers as Map<string, Handler>
  return raise('INVALID_OPTIONS', {
    what: 'server',
    reason: 'it is not a server of the official SDK, or its SDK version is not supported',
    todo: 'Give an McpServer or a Server of @modelcontextprotocol/server 2 or @modelcontextprotocol/sdk 1; wrapServer() takes any other MCP server.',
  })
}

function textIn(value: unknown, field: string): string | undefined {
  const text = isRecord(value) ? value[field] : undefined
  return typeof text === 'string' && text !== '' ? text : undefined
}

interface ServerSource extends ToolSource {
  readonly tools: () => Promise<readonly UpstreamTool[]>
  /** Calls the server's own tools/list handler, if the list may have changed since the last time. */
  refresh(given: unknown): Promise<void>
  expire(): void
}

function createServerSource(handlerOf: (method: string) => Handler | undefined): ServerSource {
  const validator = createSchemaValidator()
  const listeners = new Set<() => void>()
  let tools: readonly UpstreamTool[] = []
  let entries: readonly ToolEntry[] = []
  let refreshing: Promise<void> | undefined

  const fetchTools = async (given: unknown) => {
    const listed = await handlerOf(LIST)?.(requestOf(LIST, {}, given), given)
    const found = isRecord(listed) && Array.isArray(listed.tools) ? listed.tools : []
    // Serialized as they would be sent, which removes values that JSON cannot express.
    const next = checkTools(JSON.parse(JSON.stringify(found))).tools
    if (JSON.stringify(next) === JSON.stringify(tools)) return
    tools = next
    entries = next.map((tool) => toEntry(tool, 'server', validator))
    for (const listener of [...listeners]) listener()
  }
  return {
    id: 'server',
    relaysInput: true,
    tools: async () => tools,
    async refresh(given) {
      refreshing ??= fetchTools(given).catch((error) => {
        refreshing = undefined
        throw error
      })
      await refreshing
    },
    expire() {
      refreshing = undefined
    },
    list: async () => entries,
    async call(name, input, context) {
      const given = context[CONTEXT]
      const result = await handlerOf(CALL)?.(requestOf(CALL, { name, arguments: input }, given), given)
      context.relay?.take()
      if (!isRecord(result) || result.resultType !== 'input_required') return toResult('server', name, result)
      context.relay?.ask(result)
      return success(null)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async [Symbol.asyncDispose]() {
      listeners.clear()
    },
  }
}

function createHandlers(server: Server, crib: Crib, source: ServerSource): Readonly<Record<string, Handler>> {
  return {
    async [LIST](_request, given) {
      const context = toServerContext(given)
      source.expire()
      await source.refresh(given)
      const tools = await crib.list({ caller: callerOf(server, context), signal: context.mcpReq.signal })
      return { tools }
    },
    async [CALL](request, given) {
      const context = toServerContext(given)
      await source.refresh(given)
      const params = isRecord(request) && isRecord(request.params) ? request.params : {}
      const name = String(params.name)
      const outbox = createOutbox(context, (error) => server.onerror?.(error))
      const relay = createInputRelay(context.mcpReq.requestState<string>(), context.mcpReq.inputResponses)
      const result = await crib.call(name, params.arguments, {
        ...clientChannel(context, outbox),
        caller: callerOf(server, context),
        relay,
        extra: { [CONTEXT]: given },
      })
      await outbox.flush()
      return relay.asked ?? toWire(name, result)
    },
  }
}

/** The server notifies its clients itself. The source is refreshed at the next request. */
function followChanges(server: Server, source: ServerSource): void {
  const send = server.sendToolListChanged.bind(server)
  server.sendToolListChanged = () => {
    source.expire()
    return send()
  }
}

function requestOf(method: string, params: Readonly<Record<string, unknown>>, given: unknown): unknown {
  const { mcpReq } = toServerContext(given)
  const meta = mcpReq._meta === undefined ? {} : { _meta: mcpReq._meta }
  return { jsonrpc: '2.0', id: mcpReq.id, method, params: { ...params, ...meta } }
}

function callerOf(server: Server, context: ServerContext): Caller {
  const capabilities = capabilitiesOf(server, context)
  const isModern = context.mcpReq.envelope !== undefined
  const clientName = isModern ? undefined : server.getClientVersion()?.name
  return {
    principal: context.http?.authInfo?.clientId ?? 'client',
    era: isModern ? 'modern' : 'legacy',
    transport: context.http === undefined ? 'stdio' : 'http',
    ...(isModern ? {} : { sessionId: context.sessionId ?? 'connection' }),
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(clientName === undefined ? {} : { clientName }),
  }
}
