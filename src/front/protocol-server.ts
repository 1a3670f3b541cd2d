// One client's side of the protocol: a Server whose tools/list and tools/call go to the crib.

import { MissingRequiredClientCapabilityError, Server } from '@modelcontextprotocol/server'
import type { Caller } from '../core/call.ts'
import { fail } from '../core/errors.ts'
import { attempt } from '../core/listeners.ts'
import type { CommandError, CommandResult } from '../core/result.ts'
import { isRecord } from '../core/schema.ts'
import type { ListedTool } from '../core/tool.ts'
import type { Crib } from '../crib/crib.ts'
import type { Features } from '../crib/features.ts'
import type { Activity } from './activity.ts'
import { answerFeatures, FEATURE_LISTS, featureCapabilities } from './features.ts'
import type { ParkedCalls } from './parked-calls.ts'
import { createRoundTrips, isAsking } from './round-trips.ts'
import { askOverSession, type Capabilities, canBeAsked, capabilitiesOf } from './server-requests.ts'
import type { WaysBack } from './talk.ts'
import { createOutbox, waysBack } from './ways-back.ts'
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
  /** Prompts and resources; without it there are none. */
  readonly features?: Features
  /** Told of every tools/call, also of those that only introspect. */
  onToolCall(event: ToolCallEvent): void
  onError(error: Error): void
}

/** What one door adds. */
export interface DoorOptions extends FrontOptions {
  /** Where calls of modern clients wait for answers: a modern request has a Server for itself, its call may outlive it. */
  readonly parked: ParkedCalls
  /** Tells a principal's subscribers of a change that one of its calls made, where they are not at the end of that call. */
  onToolsChanged?(principal: string): void
}

const FEATURES_TTL_MS = 60_000

/** One Server per client, never shared: a shared one has sent answers to the wrong client before. */
export function createProtocolServer(front: DoorOptions, caller: Caller): Server {
  const { crib, activity, features, onToolCall, onError, parked } = front
  const { name, version, title, description, instructions } = crib
  const server = new Server(
    {
      name,
      version,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
    },
    {
      ...(instructions === undefined ? {} : { instructions }),
      capabilities: { tools: { listChanged: true }, logging: {}, ...featureCapabilities(features) },
      cacheHints: {
        ...Object.fromEntries(
          FEATURE_LISTS.map((list) => [list, { ttlMs: FEATURES_TTL_MS, cacheScope: 'private' as const }]),
        ),
        'tools/list': { ttlMs: crib.listTtlMs, cacheScope: 'private' },
      },
    },
  )
  const { onToolsChanged } = front
  // A modern client hears of changes where it has asked to, not beside an answer.
  const news =
    caller.era === 'modern' && onToolsChanged !== undefined
      ? { listChanged: () => onToolsChanged(caller.principal) }
      : {}
  const roundTrips = createRoundTrips(parked, caller.principal)
  server.onerror = onError
  answerFeatures(server, features, activity)
  const clientOf = (capabilities: Capabilities | undefined): Caller => {
    const clientName = caller.era === 'legacy' ? server.getClientVersion()?.name : undefined
    return {
      ...caller,
      ...(capabilities === undefined ? {} : { capabilities }),
      ...(clientName === undefined ? {} : { clientName }),
    }
  }
  server.setRequestHandler('tools/list', async (_request, context) => {
    const client = clientOf(capabilitiesOf(server, context))
    const tools = await crib.list({ caller: client, signal: context.mcpReq.signal })
    return { tools: tools.map(toProtocolTool) }
  })
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args } }, context) => {
    const outbox = createOutbox(context, onError)
    const ways = { ...waysBack(context, outbox), ...news }
    const capabilities = capabilitiesOf(server, context)
    const isAskable = canBeAsked(capabilities)
    const state = caller.era === 'modern' ? context.mcpReq.requestState<string>() : undefined

    const run = async (back: WaysBack): Promise<CommandResult> => {
      const startedAt = performance.now()
      const result = activity.isDraining
        ? fail('SHUTTING_DOWN', {})
        : await crib.call(name, args, { ...back, caller: clientOf(capabilities) })
      attempt(() => onToolCall(eventOf(name, caller, result, performance.now() - startedAt)))
      return result
    }
    const converse = () => {
      if (state !== undefined || (isAskable && caller.era === 'modern')) {
        const trip = { name, args, state, answers: context.mcpReq.inputResponses }
        return roundTrips.answer(trip, { ...ways, capabilities }, run)
      }
      const ask = askOverSession(context, capabilities, () => outbox.sent())
      return run(isAskable ? { ...ways, onServerRequest: ask } : ways)
    }
    const answer = async () => {
      const given = await converse()
      // Everything said during the call reaches the client before its result does.
      await outbox.flush()
      return given
    }
    const given = await activity.track(answer())
    if (isAsking(given)) return given
    if (given.error?.code === 'CLIENT_CAPABILITY_MISSING' && caller.era === 'modern') throw missing(given.error)
    return toWire(name, given)
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

/** The SDK's type wants `type: 'object'` spelled out; sources only list schemas that have it. */
function toProtocolTool(tool: ListedTool) {
  return { ...tool, inputSchema: { ...tool.inputSchema, type: 'object' as const } }
}
