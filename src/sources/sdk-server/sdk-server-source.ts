// Creates a source from the tools of a server object of the official SDK, v1 or v2. The server's handlers run them.

import type { McpServer, Server, ServerContext } from '@modelcontextprotocol/server'
import { raise } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import { createSchemaValidator } from '../../core/json-schema.ts'
import { createListeners } from '../../core/listeners.ts'
import { success } from '../../core/result.ts'
import { showValue } from '../../core/text.ts'
import type { ToolEntry } from '../../core/tool.ts'
import type { ToolSource } from '../source.ts'
import { toEntry } from '../upstream/entry.ts'
import { toResult } from '../upstream/to-result.ts'
import { checkTools, type UpstreamTool } from '../upstream/tool-list.ts'

export const LIST = 'tools/list'
export const CALL = 'tools/call'
/** The field of a call's context that contains the SDK's context. The server's own handlers need it. */
export const SDK_CONTEXT = 'toolcrib/serverContext'

export interface SdkServerSource extends ToolSource {
  readonly tools: () => Promise<readonly UpstreamTool[]>
  /** Calls the server's own tools/list handler, unless a call since the last `expire` is in flight or has succeeded. */
  refresh(sdkContext: unknown): Promise<void>
  expire(): void
}

export function createSdkServerSource(handlerOf: (method: string) => SdkHandler | undefined): SdkServerSource {
  const validator = createSchemaValidator()
  const listeners = createListeners()
  let tools: readonly UpstreamTool[] = []
  let entries: readonly ToolEntry[] = []
  let refreshing: Promise<void> | undefined

  const fetchTools = async (sdkContext: unknown) => {
    const listed = await handlerOf(LIST)?.(requestOf(LIST, {}, sdkContext), sdkContext)
    const found = isRecord(listed) && Array.isArray(listed.tools) ? listed.tools : []
    // The tools are serialized and parsed again, which removes values that JSON cannot represent.
    const next = checkTools(JSON.parse(JSON.stringify(found))).tools
    if (JSON.stringify(next) === JSON.stringify(tools)) return
    tools = next
    entries = next.map((tool) => toEntry(tool, 'server', validator))
    listeners.tell()
  }
  return {
    id: 'server',
    relaysInput: true,
    tools: async () => tools,
    async refresh(sdkContext) {
      refreshing ??= fetchTools(sdkContext).catch((error) => {
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
      if (tools.every((tool) => tool.name !== name)) throw new Error(`There is no tool '${name}'.`)
      const sdkContext = context[SDK_CONTEXT]
      const result = await handlerOf(CALL)?.(requestOf(CALL, { name, arguments: input }, sdkContext), sdkContext)
      // The handler has read the client's answers from its own context, so they are marked as used.
      context.relay?.take()
      if (!isRecord(result) || result.resultType !== 'input_required') return toResult('server', name, result)
      context.relay?.ask(result)
      return success(null)
    },
    onChange: (listener) => listeners.add(listener),
    async [Symbol.asyncDispose]() {},
  }
}

function requestOf(method: string, params: Readonly<Record<string, unknown>>, sdkContext: unknown): unknown {
  const { mcpReq } = toServerContext(sdkContext)
  const meta = mcpReq._meta === undefined ? {} : { _meta: mcpReq._meta }
  return { jsonrpc: '2.0', id: mcpReq.id, method, params: { ...params, ...meta } }
}

/** Handles one request method. `sdkContext` is the context of the server's own SDK version. */
export type SdkHandler = (request: unknown, sdkContext: unknown) => Promise<unknown>

/** A low-level server of SDK v1 (`@modelcontextprotocol/sdk`). Its types differ from those of SDK v2. */
interface SdkV1Server {
  setRequestHandler(...args: never[]): unknown
  sendToolListChanged(): Promise<void>
  getClientVersion(): { readonly name: string } | undefined
}

/** A server of the official SDK, v1 or v2: a low-level server, or an `McpServer` around it. */
export type SdkServer = McpServer | Server | SdkV1Server | { readonly server: SdkV1Server }

/**
 * Private fields of the SDK's servers: the handlers, wrapped in the SDK's checks, and the description of the server.
 */
interface SdkPrivateFields {
  readonly _requestHandlers?: unknown
  readonly _serverInfo?: unknown
  _instructions?: unknown
}

/** Gives access to the handlers of a server. Raises INVALID_OPTIONS for a value that is not a server of the SDK. */
export function openSdkServer(server: SdkServer) {
  checkServer(server)
  /** The low-level server. */
  const inner = innerOf(server)
  const fields = inner as unknown as SdkPrivateFields // each field is checked before it is used
  // `checkServer` has checked that it is a map. The SDK itself fills it with handlers.
  const handlers = fields._requestHandlers as Map<string, SdkHandler>
  const own = new Map<string, SdkHandler>()
  return {
    inner,
    name: textIn(fields._serverInfo, 'name'),
    version: textIn(fields._serverInfo, 'version'),
    instructions: textIn(fields, '_instructions'),
    setInstructions(text: string | undefined) {
      fields._instructions = text
    },
    /** The server's own handler of a replaced method, even if it was set after `replace`. */
    own: (method: string) => own.get(method),
    /** Puts these handlers in front of the server's own ones. */
    replace(ours: Readonly<Record<string, SdkHandler>>) {
      const replaceAll = () => {
        for (const [method, replacement] of Object.entries(ours)) {
          const current = handlers.get(method)
          if (current === replacement) continue
          if (current !== undefined) own.set(method, current)
          handlers.set(method, replacement)
        }
      }
      const set = inner.setRequestHandler.bind(inner) as (...given: readonly unknown[]) => void // one type for all of its overloads
      inner.setRequestHandler = (...given: readonly unknown[]) => {
        set(...given)
        // SDK v1 identifies the method by a schema, so all methods are checked.
        replaceAll()
      }
      replaceAll()
    },
    /** Calls the listener when the server announces that its tools have changed. */
    onToolListChanged(listener: () => void) {
      const send = inner.sendToolListChanged.bind(inner)
      inner.sendToolListChanged = () => {
        listener()
        return send()
      }
    },
  }
}

/** The low-level server. It has the `tools` capability, and an McpServer around it has set its own handlers. */
function innerOf(given: SdkServer): Server {
  // The members that are used are the same in both SDKs. `checkServer` has checked them.
  const server = given as McpServer | Server
  if (!('server' in server)) {
    server.registerCapabilities({ tools: { listChanged: true, ...server.getCapabilities().tools } })
    return server
  }
  // An McpServer sets its handlers with its first tool, and throws if they are already set. So it must set them now,
  // before we replace them.
  server.registerTool('toolcrib-placeholder', {}, () => ({ content: [] })).remove()
  return server.server
}

function checkServer(given: unknown): void {
  // An McpServer has its low-level server in `server`.
  const hasInner = isRecord(given) && 'server' in given
  if (hasInner ? typeof given.registerTool === 'function' && isLowLevel(given.server) : isLowLevel(given)) return
  raise('INVALID_OPTIONS', {
    what: 'server',
    reason: `expected a server of the official SDK, in a supported version, found ${showValue(given)}`,
    todo: 'Give an McpServer or a Server of @modelcontextprotocol/server 2 or @modelcontextprotocol/sdk 1; wrapServer() takes any other MCP server.',
  })
}

function isLowLevel(server: unknown): boolean {
  if (!isRecord(server) || !(server._requestHandlers instanceof Map)) return false
  return USED_METHODS.every((method) => typeof server[method] === 'function')
}

const USED_METHODS = ['registerCapabilities', 'getCapabilities', 'setRequestHandler', 'sendToolListChanged']

function textIn(value: unknown, field: string): string | undefined {
  const text = isRecord(value) ? value[field] : undefined
  return typeof text === 'string' && text !== '' ? text : undefined
}

/** The second argument of a handler of SDK v1, which the SDK calls `extra`. Only the fields that are used here. */
interface Extra {
  readonly signal: AbortSignal
  readonly sendNotification: (notification: unknown) => Promise<void>
  readonly sessionId?: unknown
  readonly requestId?: unknown
  readonly _meta?: unknown
  readonly authInfo?: unknown
  readonly requestInfo?: unknown
}

/** Converts the second argument of a handler of SDK v1. A context of SDK v2 is returned unchanged. */
export function toServerContext(given: unknown): ServerContext {
  // A handler of SDK v2 gets a ServerContext, which always has `mcpReq`.
  return isExtra(given) ? fromExtra(given) : (given as ServerContext)
}

function isExtra(given: unknown): given is Extra & Record<string, unknown> {
  return isRecord(given) && given.mcpReq === undefined && typeof given.sendNotification === 'function'
}

function fromExtra(extra: Extra): ServerContext {
  const { signal, requestId, _meta, sessionId, authInfo, requestInfo } = extra
  const mcpReq = {
    id: requestId,
    signal,
    _meta,
    notify: (notification: unknown) => extra.sendNotification(notification),
    log: (level: string, data: unknown, logger?: string) =>
      extra.sendNotification({
        method: 'notifications/message',
        params: { level, data, ...(logger === undefined ? {} : { logger }) },
      }),
    // The protocols of SDK v1 have no `requestState`.
    requestState: () => undefined,
  }
  const context = {
    mcpReq,
    ...(typeof sessionId === 'string' ? { sessionId } : {}),
    ...(requestInfo === undefined ? {} : { http: isRecord(authInfo) ? { authInfo } : {} }),
  }
  // The context has every field that the front door reads from a legacy request.
  return context as unknown as ServerContext
}
