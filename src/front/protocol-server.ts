// Creates the SDK Server for one client or, in the modern era over HTTP, for one request.

import type { CallToolResult, Implementation, Tool as ProtocolTool } from '@modelcontextprotocol/server'
import type { Caller } from '../core/call.ts'
import { defined } from '../core/defined.ts'
import type { ListedTool } from '../core/tool.ts'
import type { Crib } from '../crib/crib.ts'
import { createAnswerCall } from './answer-call.ts'
import { answerFeatures, capabilitiesFor, FEATURE_LISTS, offersOf } from './features.ts'
import type { DoorOptions } from './front-options.ts'
import { PlainServer } from './plain-server.ts'
import { type Capabilities, capabilitiesOf } from './server-requests.ts'

const FEATURES_TTL_MS = 60_000

/** Each client gets its own Server: a shared one can send answers to the wrong client. */
export function createProtocolServer(front: DoorOptions, caller: Caller): PlainServer {
  const { crib, activity, features, onError } = front
  const { instructions = crib.about.instructions ?? '' } = front
  const serverOptions = {
    ...(instructions === '' ? {} : { instructions }),
    capabilities: capabilitiesFor(features),
    cacheHints: {
      ...Object.fromEntries(
        FEATURE_LISTS.map((list) => [list, { ttlMs: FEATURES_TTL_MS, cacheScope: 'private' as const }]),
      ),
      'tools/list': { ttlMs: crib.strategy.listTtlMs, cacheScope: 'private' as const },
    },
  }
  const server = new PlainServer(front.identity ?? serverInfoOf(crib), serverOptions, activity)
  server.onerror = onError
  let lastCaller: Caller = caller
  /** Returns the same object until the name or the capabilities of the client change. */
  const callerWith = (capabilities: Capabilities | undefined): Caller => {
    const clientName = caller.era === 'legacy' ? server.getClientVersion()?.name : undefined
    if (lastCaller.capabilities === capabilities && lastCaller.clientName === clientName) return lastCaller
    lastCaller = {
      ...caller,
      ...(capabilities === undefined ? {} : { capabilities }),
      ...(clientName === undefined ? {} : { clientName }),
    }
    return lastCaller
  }
  answerFeatures({ server, front, callerWith })
  if (!offersOf(features).has('tools')) return server
  server.setRequestHandler('tools/list', async (_request, context) => {
    const tools = await crib.list({
      caller: callerWith(capabilitiesOf(server, context)),
      signal: context.mcpReq.signal,
    })
    return { tools: tools.map((tool) => toProtocolTool(tool, caller)) }
  })
  const answerCall = createAnswerCall(front, caller, {
    capabilitiesIn: (context) => capabilitiesOf(server, context),
    callerWith,
  })
  server.answerCall = answerCall
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    // The SDK accepts a tool result or an input-required result. This is one of them.
    return (await answerCall(params, context)).result as CallToolResult
  })
  return server
}

/**
 * The SDK's type requires `type: 'object'` and further fields. The sources have checked that listed tools have them.
 */
function toProtocolTool({ outputSchema, ...tool }: ListedTool, { era }: Caller): ProtocolTool {
  // Clients before 2026-07-28 reject the whole list if one tool has an output schema that is not an object.
  const keepsOutputSchema = outputSchema !== undefined && (era === 'modern' || outputSchema.type === 'object')
  return {
    ...tool,
    inputSchema: { ...tool.inputSchema, type: 'object' },
    ...(keepsOutputSchema ? { outputSchema } : {}),
  } as ProtocolTool // see above
}

export function serverInfoOf({ about: { name, version, title, description } }: Crib): Implementation {
  return { name, version, ...defined({ title, description }) }
}
