// A modern client's answers on their way to a server of its own era, and that server's questions on their way back.

import { type InputRequests, inputRequired, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Caller, InputRelay } from '../core/call.ts'
import type { CommandError } from '../core/result.ts'
import { ANONYMOUS } from './auth.ts'
import { openState, sealState } from './sealed-state.ts'

type Asking = ReturnType<typeof inputRequired>

export interface ClientRelay extends InputRelay {
  /** What the server asks, where it does. */
  readonly asked: Asking | undefined
  /** The call has not come to a result: the server asks, or nobody wanted what the client brings. */
  readonly isOpen: boolean
  /** Throws what the protocol has for a state that nobody wanted, or that its server refused. */
  check(error: CommandError | undefined): void
}

/** Where several share a server: who this is. Nobody is kept from what is anybody's. */
export function ownerOf({ principal, transport }: Caller): string | undefined {
  return transport === 'http' && principal !== ANONYMOUS ? principal : undefined
}

/** `owner`: where several share a server, who this is. */
export function createInputRelay(
  given: string | undefined,
  answers: Readonly<Record<string, unknown>> | undefined,
  owner?: string,
): ClientRelay {
  const state = given === undefined || owner === undefined ? given : openState(given, owner)
  if (given !== undefined && state === undefined) throw invalidState()
  let isTaken = false
  let asked: Asking | undefined
  return {
    state,
    take() {
      isTaken = true
      return {
        ...(answers === undefined ? {} : { inputResponses: answers }),
        ...(state === undefined ? {} : { requestState: state }),
      }
    },
    ask({ inputRequests, requestState }) {
      // What is in them is the responsibility of the server that asks; the SDK looks at each once more.
      const questions = inputRequests as InputRequests | undefined
      asked = inputRequired({
        ...(questions === undefined ? {} : { inputRequests: questions }),
        ...(typeof requestState === 'string'
          ? { requestState: owner === undefined ? requestState : sealState(requestState, owner) }
          : {}),
      })
    },
    get asked() {
      return asked
    },
    get isOpen() {
      return asked !== undefined || (state !== undefined && !isTaken)
    },
    check(error) {
      if (state === undefined) return
      if (!isTaken) throw invalidState()
      const rpcCode = error?.details?.rpcCode
      if (typeof rpcCode === 'number') throw new ProtocolError(rpcCode, error?.message ?? '')
    },
  }
}

/** One answer for all of them: whether a token exists is nobody's business but its owner's. */
export function invalidState(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', {
    reason: 'invalid_request_state',
  })
}
