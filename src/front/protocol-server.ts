// The protocol side of one client: a Server that answers tools/list and tools/call from the crib.

import {
  type CallToolResult,
  type Implementation,
  MissingRequiredClientCapabilityError,
  type Tool as ProtocolTool,
} from '@modelcontextprotocol/server'
import type { Caller } from '../core/call.ts'
import { fail } from '../core/errors.ts'
import { attempt } from '../core/listeners.ts'
import type { CommandError, CommandResult } from '../core/result.ts'
import { isRecord } from '../core/schema.ts'
import type { ListedTool } from '../core/tool.ts'
import type { Crib } from '../crib/crib.ts'
import type { Features } from '../crib/features.ts'
import type { Activity } from './activity.ts'
import { answerFeatures, capabilitiesFor, FEATURE_LISTS, offersOf } from './features.ts'
import { createInputRelay, ownerOf } from './input-relay.ts'
import type { ParkedCalls } from './parked-calls.ts'
import { PlainServer } from './plain-server.ts'
import { createRoundTrips, isAsking } from './round-trips.ts'
import { askOverSession, type Capabilities, canBeAsked, capabilitiesOf } from './server-requests.ts'
import type { WaysBack } from './talk.ts'
import type { Wants } from './wants.ts'
import { createOutbox, waysBack } from './ways-back.ts'
import { encodeWire } from './wire.ts'

/** One tool call of a client, for the `tool:call` event of a server. */
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
  /** Prompts and resources. Default: none. */
  readonly features?: Features
  /** Called for every tools/call, also for calls of the strategy's own tools. */
  onToolCall(event: ToolCallEvent): void
  onError(error: Error): void
  /** For a server that wraps another one: the identity and the instructions of the wrapped server. */
  readonly identity?: Implementation
  readonly instructions?: string
}

/** The options that a door adds. */
export interface DoorOptions extends FrontOptions {
  /**
   * Calls of modern clients that wait for answers. Shared, because each modern request has its own Server and a call
   * can outlive it.
   */
  readonly parked: ParkedCalls
  /**
   * Notifies the subscribers of a principal of a change that one of its calls made. Used if they cannot be notified
   * through that call.
   */
  onToolsChanged?(principal: string): void
  /** The subscriptions and log level of a client that has its own connection. */
  readonly wants?: Wants
}

const FEATURES_TTL_MS = 60_000

/** One Server per client, never shared: a shared Server can send answers to the wrong client. */
export function createProtocolServer(front: DoorOptions, caller: Caller): PlainServer {
  const { crib, activity, features, onToolCall, onError, parked, wants } = front
  const instructions = front.instructions ?? crib.instructions
  const about = {
    ...(instructions === undefined ? {} : { instructions }),
    capabilities: capabilitiesFor(features),
    cacheHints: {
      ...Object.fromEntries(
        FEATURE_LISTS.map((list) => [list, { ttlMs: FEATURES_TTL_MS, cacheScope: 'private' as const }]),
      ),
      'tools/list': { ttlMs: crib.listTtlMs, cacheScope: 'private' as const },
    },
  }
  const server = new PlainServer(front.identity ?? identityOf(crib), about, activity)
  const { onToolsChanged } = front
  // A modern client gets notifications of changes on its subscription, not in the response of a call.
  const notifySubscribers =
    caller.era === 'modern' && onToolsChanged !== undefined ? () => onToolsChanged(caller.principal) : undefined
  const roundTrips = createRoundTrips(parked, caller.principal)
  server.onerror = onError
  let client: Caller = caller
  /** The same object for each request of a client with a session, unless what is known of the client has changed. */
  const clientOf = (capabilities: Capabilities | undefined): Caller => {
    const clientName = caller.era === 'legacy' ? server.getClientVersion()?.name : undefined
    if (client.capabilities === capabilities && client.clientName === clientName) return client
    client = {
      ...caller,
      ...(capabilities === undefined ? {} : { capabilities }),
      ...(clientName === undefined ? {} : { clientName }),
    }
    return client
  }
  answerFeatures({ server, front, clientOf })
  if (!offersOf(features).has('tools')) return server
  server.setRequestHandler('tools/list', async (_request, context) => {
    const tools = await crib.list({ caller: clientOf(capabilitiesOf(server, context)), signal: context.mcpReq.signal })
    return { tools: tools.map((tool) => toProtocolTool(tool, caller)) }
  })
  const answerCall: NonNullable<PlainServer['answerCall']> = async ({ name, arguments: args }, context) => {
    const outbox = createOutbox(context, onError)
    const ways = waysBack(context, outbox, wants)
    const capabilities = capabilitiesOf(server, context)
    const isAskable = canBeAsked(capabilities)
    const isModern = caller.era === 'modern'
    const state = isModern ? context.mcpReq.requestState<string>() : undefined
    const answers = context.mcpReq.inputResponses
    const isResumed = state !== undefined && parked.isOurs(state)
    const relay = isModern && !isResumed ? createInputRelay(state, answers, ownerOf(caller)) : undefined

    const run = async (back: WaysBack): Promise<CommandResult> => {
      const startedAt = performance.now()
      const onTool = (tool: string) => {
        context.tool = tool
      }
      const listChanged = notifySubscribers ?? back.listChanged
      const result = activity.isDraining
        ? fail('SHUTTING_DOWN', {})
        : await crib.call(name, args, { ...back, listChanged, caller: clientOf(capabilities), onTool, relay })
      if (relay?.isOpen !== true)
        attempt(() => onToolCall(eventOf(name, caller, result, performance.now() - startedAt)))
      return result
    }
    const converse = () => {
      if (isResumed || (isAskable && isModern)) {
        const trip = { name, args, state: isResumed ? state : undefined, answers }
        return roundTrips.answer(trip, { ...ways, capabilities }, run)
      }
      const ask = askOverSession(context, capabilities, () => outbox.sent())
      return run(isAskable ? { ...ways, onServerRequest: ask } : ways)
    }
    const given = await converse()
    // All messages of the call are sent before its result.
    const flushing = outbox.flush()
    if (flushing !== undefined) await flushing
    if (isAsking(given)) return { result: given }
    if (relay?.asked !== undefined) return { result: relay.asked }
    relay?.check(given.error)
    if (given.error?.code === 'CLIENT_CAPABILITY_MISSING' && isModern) throw missing(given.error)
    return encodeWire(name, given)
  }
  server.answerCall = answerCall
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    // The SDK accepts a tool result or an input-required result. This is one of them.
    return (await answerCall(params, context)).result as CallToolResult
  })
  return server
}

/** The modern protocol has its own error for this. A legacy client gets it as a result. */
function missing({ message, details }: CommandError): Error {
  const wanted = isRecord(details?.requiredCapabilities) ? details.requiredCapabilities : {}
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: wanted }, message)
}

function eventOf(tool: string, caller: Caller, result: CommandResult, durationMs: number): ToolCallEvent {
  const { success, error } = result
  return { tool, caller, success, durationMs, ...(error === undefined ? {} : { errorCode: error.code }) }
}

/**
 * The SDK's type requires `type: 'object'` and further fields. The sources have checked that listed tools have them.
 */
function toProtocolTool({ outputSchema, ...tool }: ListedTool, { era }: Caller): ProtocolTool {
  // Clients before 2026-07-28 reject the whole list if one tool has an output schema that is not an object.
  const isListed = outputSchema !== undefined && (era === 'modern' || outputSchema.type === 'object')
  return {
    ...tool,
    inputSchema: { ...tool.inputSchema, type: 'object' },
    ...(isListed ? { outputSchema } : {}),
  } as ProtocolTool // see above
}

function identityOf({ name, version, title, description }: Crib): Implementation {
  return {
    name,
    version,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  }
}
