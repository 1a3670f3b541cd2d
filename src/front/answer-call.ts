// Answers one tools/call with the crib: sends progress, logs and questions to the client, then returns the result.

import { MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server'
import type { Caller } from '../core/call.ts'
import { fail } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { attempt } from '../core/listeners.ts'
import type { CommandError, CommandResult } from '../core/result.ts'
import type { Request } from '../crib/request.ts'
import { clientChannel, Outbox } from './client-channel.ts'
import type { DoorOptions, ToolCallEvent } from './front-options.ts'
import { createInputRelay, ownerOf } from './input-relay.ts'
import type { ClientChannel } from './long-call.ts'
import { createRoundTrips, isAsking } from './round-trips.ts'
import type { AnswerCall, CallContext } from './run-call.ts'
import { askOverSession, type Capabilities, canBeAsked } from './server-requests.ts'
import { encodeWire } from './wire.ts'

/** The client of a call. */
interface CallClient {
  capabilitiesIn(context: CallContext): Capabilities | undefined
  /** Returns the caller, with the name and the capabilities of its client. */
  callerWith(capabilities: Capabilities | undefined): Caller
}

export function createAnswerCall(front: DoorOptions, caller: Caller, client: CallClient): AnswerCall {
  const { crib, activity, onToolCall, onError, parked, fleet, interest, onToolsChanged } = front
  // Over HTTP, a modern client gets notifications of changes on its subscription, not in the response of a call.
  const notifySubscribers =
    caller.era === 'modern' && onToolsChanged !== undefined ? () => onToolsChanged(caller.principal) : undefined
  const roundTrips = createRoundTrips(parked, caller, fleet?.relayed)
  return async ({ name, arguments: args }, context) => {
    const outbox = new Outbox(context, onError)
    const channel = clientChannel(context, outbox, interest)
    const capabilities = client.capabilitiesIn(context)
    const isAskable = canBeAsked(capabilities)
    const isModern = caller.era === 'modern'
    const state = isModern ? context.mcpReq.requestState<string>() : undefined
    const answers = context.mcpReq.inputResponses
    const isResumed = state !== undefined && parked.isOurs(state)
    const relay =
      isModern && !isResumed ? createInputRelay(state, answers, ownerOf(caller), fleet?.stateKey) : undefined

    const run = async (to: ClientChannel): Promise<CommandResult> => {
      const startedAt = performance.now()
      const onTool = (tool: string) => {
        context.tool = tool
      }
      // No spread here: it takes longer with this many fields.
      const request: Request = {
        caller: client.callerWith(capabilities),
        signal: to.signal,
        log: to.log,
        logLevel: to.logLevel,
        trace: to.trace,
        releaseConnection: to.releaseConnection,
        progress: to.progress,
        onServerRequest: to.onServerRequest,
        listChanged: notifySubscribers ?? to.listChanged,
        onTool,
        relay,
      }
      const result = activity.isDraining
        ? fail('SHUTTING_DOWN', { hasBegun: false })
        : await crib.call(name, args, request)
      // While the relay is open, the call has no result yet. The last request of the call reports it.
      if (relay?.isOpen !== true)
        attempt(() => onToolCall(eventOf(name, caller, result, performance.now() - startedAt)))
      return result
    }
    const runOrResume = () => {
      if (isResumed || (isAskable && isModern)) {
        const trip = { name, args, state: isResumed ? state : undefined, answers }
        return roundTrips.answer(trip, { ...channel, capabilities }, run)
      }
      if (!isAskable) return run(channel)
      return run({ ...channel, onServerRequest: askOverSession(context, capabilities, () => outbox.sent()) })
    }
    const outcome = await runOrResume()
    // All messages of the call are sent before its result.
    const flushing = outbox.flush()
    if (flushing !== undefined) await flushing
    if (isAsking(outcome)) return { result: outcome }
    if (relay?.asked !== undefined) return { result: relay.asked }
    relay?.check(outcome.error)
    if (outcome.error?.code === 'CLIENT_CAPABILITY_MISSING' && isModern) throw missingCapability(outcome.error)
    return encodeWire(name, outcome)
  }
}

/** The modern protocol has its own error for a missing capability. A legacy client gets a failed result. */
function missingCapability({ message, details }: CommandError): Error {
  const wanted = isRecord(details?.requiredCapabilities) ? details.requiredCapabilities : {}
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: wanted }, message)
}

function eventOf(tool: string, caller: Caller, result: CommandResult, durationMs: number): ToolCallEvent {
  const { success, error } = result
  return { tool, caller, success, durationMs, ...(error === undefined ? {} : { errorCode: error.code }) }
}
