// One client's side of the protocol: a Server whose tools/list and tools/call go to the crib.

import { MissingRequiredClientCapabilityError, Server, type ServerContext } from '@modelcontextprotocol/server'
import type { Caller, LogLevel } from '../core/call.ts'
import { fail } from '../core/errors.ts'
import type { CommandError, CommandResult } from '../core/result.ts'
import { isRecord } from '../core/schema.ts'
import type { ListedTool } from '../core/tool.ts'
import type { Crib } from '../crib/crib.ts'
import type { Request } from '../crib/request.ts'
import type { Activity } from './activity.ts'
import { answerEmptyFeatures, emptyCapabilities, emptyLists } from './empty-features.ts'
import { toWire } from './wire.ts'

export interface ToolCallEvent {
  readonly tool: string
  readonly caller: Caller
  readonly success: boolean
  readonly errorCode?: string
  readonly durationMs: number
}

export interface FrontOptions {
  readonly crib: Crib
  readonly activity: Activity
  /** Told of every tools/call, also of those that only introspect. */
  onToolCall(event: ToolCallEvent): void
  onError(error: Error): void
}

const LIST_TTL_MS = 60_000

/** One Server per client, never shared: a shared one has sent answers to the wrong client before. */
export function createProtocolServer({ crib, activity, onToolCall, onError }: FrontOptions, caller: Caller): Server {
  const server = new Server(
    { name: crib.name, version: crib.version },
    {
      capabilities: { tools: { listChanged: true }, logging: {}, ...emptyCapabilities },
      cacheHints: Object.fromEntries(
        ['tools/list', ...emptyLists].map((list) => [list, { ttlMs: LIST_TTL_MS, cacheScope: 'private' }]),
      ),
    },
  )
  server.onerror = onError
  answerEmptyFeatures(server)
  server.setRequestHandler('tools/list', async (_request, { mcpReq }) => {
    const tools = await crib.list({ caller, signal: mcpReq.signal })
    return { tools: tools.map(toProtocolTool) }
  })
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const startedAt = performance.now()
    const outbox = createOutbox(context, onError)
    const capabilities = server.getClientCapabilities()
    const client = capabilities === undefined ? caller : { ...caller, capabilities }
    const call = async () => {
      const result = activity.isDraining
        ? fail('SHUTTING_DOWN', {})
        : await crib.call(params.name, params.arguments, requestFor(client, context, outbox))
      // Everything said during the call reaches the client before its result does.
      await outbox.flush()
      return result
    }
    const result = await activity.track(call())
    onToolCall(eventOf(params.name, caller, result, performance.now() - startedAt))
    if (result.error?.code === 'CLIENT_CAPABILITY_MISSING' && caller.era === 'modern') throw missing(result.error)
    return toWire(params.name, result)
  })
  return server
}

/** The modern protocol has an error of its own for this; elsewhere the result says it. */
function missing({ message, details }: CommandError): Error {
  const wanted = isRecord(details?.requiredCapabilities) ? details.requiredCapabilities : {}
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: wanted }, message)
}

function requestFor(caller: Caller, { mcpReq, http }: ServerContext, outbox: Outbox): Request {
  const token = mcpReq._meta?.progressToken
  // In the legacy era the protocol says nothing of a client that hangs up; its request does.
  const gone = http?.req?.signal
  return {
    caller,
    signal: gone === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, gone]),
    log: (level: LogLevel, data: unknown) => outbox.send(() => mcpReq.log(level, data)),
    ...(http?.closeSSE === undefined ? {} : { releaseConnection: http.closeSSE }),
    listChanged: () => outbox.send(() => mcpReq.notify({ method: 'notifications/tools/list_changed' })),
    ...(token === undefined
      ? {}
      : {
          progress: (progress: number, total?: number, message?: string) =>
            outbox.send(() =>
              mcpReq.notify({
                method: 'notifications/progress',
                params: {
                  progressToken: token,
                  progress,
                  ...(total === undefined ? {} : { total }),
                  ...(message === undefined ? {} : { message }),
                },
              }),
            ),
        }),
  }
}

interface Outbox {
  send(message: () => Promise<void>): void
  flush(): Promise<void>
}

/** Messages of one call, in order; after `flush` the call is answered and nothing more is sent. */
function createOutbox({ mcpReq }: ServerContext, onError: (error: Error) => void): Outbox {
  let last = Promise.resolve()
  let closed = false
  return {
    send(message) {
      if (closed || mcpReq.signal.aborted) return
      last = last.then(message).catch(onError)
    },
    async flush() {
      // First: a handler may go on talking while what it has said is being sent.
      closed = true
      await last
    },
  }
}

function eventOf(tool: string, caller: Caller, result: CommandResult, durationMs: number): ToolCallEvent {
  const { success, error } = result
  return { tool, caller, success, durationMs, ...(error === undefined ? {} : { errorCode: error.code }) }
}

/** The SDK's type wants `type: 'object'` spelled out; sources only list schemas that have it. */
function toProtocolTool(tool: ListedTool) {
  return { ...tool, inputSchema: { ...tool.inputSchema, type: 'object' as const } }
}
