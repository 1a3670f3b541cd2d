// One client's side of the protocol: a Server whose tools/list and tools/call go to the crib.

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
  /** Prompts and resources; without it there are none. */
  readonly features?: Features
  /** Told of every tools/call, also of those that only introspect. */
  onToolCall(event: ToolCallEvent): void
  onError(error: Error): void
  /** Where the server speaks for another one: what that calls itself, and what it wants models to know. */
  readonly identity?: Implementation
  readonly instructions?: string
}

/** What one door adds. */
export interface DoorOptions extends FrontOptions {
  /** Where calls of modern clients wait for answers: a modern request has a Server for itself, its call may outlive it. */
  readonly parked: ParkedCalls
  /** Tells a principal's subscribers of a change that one of its calls made, where they are not at the end of that call. */
  onToolsChanged?(principal: string): void
  /** Of a client with a connection of its own. */
  readonly wants?: Wants
}

const FEATURES_TTL_MS = 60_000

/** One Server per client, never shared: a shared one has sent answers to the wrong client before. */
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
  // A modern client hears of changes where it has asked to, not beside an answer.
  const news =
    caller.era === 'modern' && onToolsChanged !== undefined
      ? { listChanged: () => onToolsChanged(caller.principal) }
      : {}
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
      const result = activity.isDraining
        ? fail('SHUTTING_DOWN', {})
        : await crib.call(name, args, {
            ...back,
            ...news,
            caller: clientOf(capabilities),
            onTool: (tool) => {
              context.tool = tool
            },
            relay,
          })
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
    // Everything said during the call reaches the client before its result does.
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
    // The SDK accepts a tool result or an input-required result, and this is one of them.
    return (await answerCall(params, context)).result as CallToolResult
  })
  return server
}

/** The modern protocol has an error of its own for this; elsewhere the result says it. */
function missing({ message, details }: CommandError): Error {
  const wanted = isRecord(details?.requiredCapabilities) ? details.requiredCapabilities : {}
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: wanted }, message)
}

function eventOf(tool: string, caller: Caller, result: CommandResult, durationMs: number): ToolCallEvent {
  const { success, error } = result
  return { tool, caller, success, durationMs, ...(error === undefined ? {} : { errorCode: error.code }) }
}

/** The SDK's type wants `type: 'object'` spelled out, and more that sources have looked at: they list what has it. */
function toProtocolTool({ outputSchema, ...tool }: ListedTool, { era }: Caller): ProtocolTool {
  // Before 2026-07-28 a client refuses the whole list for one that promises anything but an object.
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
