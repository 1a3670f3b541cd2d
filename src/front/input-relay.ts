// Relays `inputRequired` results of a modern upstream server to a modern client, and the client's answers back.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import type { Caller, InputRelay } from '../core/call.ts'
import type { CommandError } from '../core/result.ts'
import { ANONYMOUS } from '../crib/own-principal.ts'

interface ClientRelay extends InputRelay {
  /** The `inputRequired` result of the server, if it asked for input. */
  readonly asked: InputRequiredResult | undefined
  /** True while the call has no result: the server asks for input, or the client's `requestState` was not used. */
  readonly isOpen: boolean
  /** Throws a protocol error if the `requestState` was not used, or if its server refused it. */
  check(error: CommandError | undefined): void
}

/** The principal that owns a `requestState`. Undefined over stdio and sockets, and for clients without a token. */
export function ownerOf({ principal, transport }: Caller): string | undefined {
  return transport === 'http' && principal !== ANONYMOUS ? principal : undefined
}

/** A `requestState` is bound to `owner`: no other caller can use it. Gateways that share a store use the same `key`. */
export function createInputRelay(
  givenState: string | undefined,
  answers: Readonly<Record<string, unknown>> | undefined,
  owner?: string,
  key?: Uint8Array,
): ClientRelay {
  const state = givenState === undefined || owner === undefined ? givenState : openState(givenState, owner, key)
  if (givenState !== undefined && state === undefined) throw invalidState()
  let isTaken = false
  let asked: InputRequiredResult | undefined
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
      // The upstream server is responsible for the content. The SDK checks each request again.
      const questions = inputRequests as InputRequests | undefined
      asked = inputRequired({
        ...(questions === undefined ? {} : { inputRequests: questions }),
        ...(typeof requestState === 'string'
          ? { requestState: owner === undefined ? requestState : sealState(requestState, owner, key) }
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

/** The same error in all cases, so that a caller cannot find out whether a `requestState` of another caller exists. */
export function invalidState(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', {
    reason: 'invalid_request_state',
  })
}

/** The default key, which ends with the process. Gateways that share a store use a common key instead. */
const KEY = randomBytes(32)
const SEAL = /^sealed\.([0-9a-f]{64})\.([\s\S]*)$/

/** Binds the `requestState` of a server to one principal: for the server, all principals are one client. */
export function sealState(state: string, owner: string, key: Uint8Array = KEY): string {
  return `sealed.${sealOf(state, owner, key).toString('hex')}.${state}`
}

/** Undefined if the state was not sealed for this owner, or was changed. */
export function openState(sealed: string, owner: string, key: Uint8Array = KEY): string | undefined {
  const [, seal = '', state = ''] = SEAL.exec(sealed) ?? []
  const expected = sealOf(state, owner, key)
  const given = Buffer.from(seal, 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected) ? state : undefined
}

function sealOf(state: string, owner: string, key: Uint8Array): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([owner, state]))
    .digest()
}
