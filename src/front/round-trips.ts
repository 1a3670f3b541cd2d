// Calls of modern clients that need input: answered with `inputRequired`, and resumed with `inputResponses`.

import { isDeepStrictEqual } from 'node:util'
import { type InputRequests, type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server'
import type { Caller, ServerRequest } from '../core/call.ts'
import type { CommandResult } from '../core/result.ts'
import { hasSameRights, rightsKey } from '../core/rights.ts'
import { invalidState } from './input-relay.ts'
import {
  type ClientChannel,
  type LongCall,
  type OpenRequest,
  type ParkedCall,
  type ParkedCalls,
  startLongCall,
} from './long-call.ts'
import type { RelayedCalls } from './relayed-calls.ts'

interface TripRequest {
  readonly name: string
  readonly args: unknown
  /** The `requestState` of the call to resume, as sent by the client. */
  readonly state: string | undefined
  readonly answers: Readonly<Record<string, unknown>> | undefined
}

/** `relayed` continues the calls that other gateways hold. Absent if no other gateway shares the store. */
export function createRoundTrips(
  parked: ParkedCalls,
  { principal, rights }: Pick<Caller, 'principal' | 'rights'>,
  relayed?: RelayedCalls,
) {
  const isOwn = (call: ParkedCall) => call.principal === principal && hasSameRights(call.rights, rights)
  const resume = (state: string, { name, args }: TripRequest): LongCall => {
    const call = parked.take(state, (call) => isOwn(call) && call.name === name && isDeepStrictEqual(call.args, args))
    if (call !== undefined) return call
    throw invalidState()
  }
  return {
    /** Starts a call with `run`, or resumes the call that waits for these answers. `run` is called once per call. */
    async answer(
      request: TripRequest,
      openRequest: OpenRequest,
      run: (channel: ClientChannel) => Promise<CommandResult>,
    ): Promise<CommandResult | InputRequiredResult> {
      const { name, args, state, answers } = request
      if (state !== undefined && relayed?.isElsewhere(state) === true) {
        const { capabilities } = openRequest
        const wanted = { requestState: state, name, args, answers, capabilities, principal, rights: rightsKey(rights) }
        const turn = await relayed.resume(wanted, openRequest)
        return turn.kind === 'answered' ? turn.result : askFor(turn.questions, turn.requestState)
      }
      const call = state === undefined ? startLongCall(run) : resume(state, request)
      const turn = await call.next(openRequest, answers)
      if (turn.kind === 'answered') return turn.result
      return askFor(turn.questions, parked.park({ principal, rights, name, args, call }))
    },
  }
}

function askFor(questions: Readonly<Record<string, ServerRequest>>, requestState: string): InputRequiredResult {
  // The methods are the three that clients know. The server that asks is responsible for the parameters.
  return inputRequired({ inputRequests: questions as unknown as InputRequests, requestState })
}

export function isAsking(given: CommandResult | InputRequiredResult): given is InputRequiredResult {
  return 'resultType' in given
}
