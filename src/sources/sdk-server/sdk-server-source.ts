// A source with the tools of a server built on the official SDK. The server's own handlers list and run them.

import { isRecord } from '../../core/is-record.ts'
import { createSchemaValidator } from '../../core/json-schema.ts'
import { createListeners } from '../../core/listeners.ts'
import { success } from '../../core/result.ts'
import type { ToolEntry } from '../../core/tool.ts'
import type { ToolSource } from '../source.ts'
import { toEntry } from '../upstream/entry.ts'
import { toResult } from '../upstream/to-result.ts'
import { checkTools, type UpstreamTool } from '../upstream/tool-list.ts'
import { type SdkHandler, toServerContext } from './open-sdk-server.ts'

export const LIST = 'tools/list'
export const CALL = 'tools/call'
/** The field of a call's context with the SDK's context of the request, which the server's own handlers expect. */
export const SDK_CONTEXT = 'toolcrib/serverContext'

export interface SdkServerSource extends ToolSource {
  readonly tools: () => Promise<readonly UpstreamTool[]>
  /** Calls the server's own tools/list handler, unless a call since the last `expire` is in flight or has succeeded. */
  refresh(sdkContext: unknown): Promise<void>
  /** Makes the next `refresh` call the handler. */
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
    // The tools are serialized as if they were sent, which removes values that JSON cannot express.
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
