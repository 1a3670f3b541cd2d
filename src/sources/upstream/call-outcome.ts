// How a call on a connection ended, told apart by what may be done next.

import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { isRecord } from '../../core/schema.ts'
import type { Redactor } from './redactor.ts'
import { STREAM_LOST } from './wire-faults.ts'

/** The protocol's number for a request whose client cannot do what it takes. */
const CAPABILITY_MISSING = -32_021

export type CallOutcome =
  /** The unchecked answer of the server. `declined`: what it asked during the call and was declined by us. */
  | { readonly kind: 'answered'; readonly result: unknown; readonly declined?: readonly string[] }
  /** The server, or the protocol, refused or failed the call. */
  | { readonly kind: 'refused'; readonly reason: string; readonly rpcCode?: number }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'late'; readonly afterMs: number }
  /** No answer will come. Where nothing was `taken` by the server, the call may be sent again. */
  | { readonly kind: 'lost'; readonly reason: string; readonly taken: boolean; readonly isSessionOver: boolean }
  /** The server has questions, and the client has them now. */
  | { readonly kind: 'asked' }
  /** The server needs something that this call's client cannot give. */
  | { readonly kind: 'unanswered'; readonly capability: string }

/** Takes secrets out of an outcome that is about a failure. An answer is passed on as it is unless it is an error. */
export function redactOutcome(outcome: CallOutcome, redactor: Redactor): CallOutcome {
  switch (outcome.kind) {
    case 'answered':
      return isFailure(outcome.result) ? { ...outcome, result: redactor.value(outcome.result) } : outcome
    case 'refused':
    case 'lost':
      return { ...outcome, reason: redactor.text(outcome.reason) }
    case 'unanswered':
      return { ...outcome, capability: redactor.text(outcome.capability) }
    default:
      return outcome
  }
}

/** An error of a tool, or of a server whose answer is not a valid result. */
function isFailure(result: unknown): boolean {
  if (!isRecord(result)) return true
  return result.isError === true || (result.resultType ?? 'complete') !== 'complete'
}

/** What a thrown error of the client means for the call, where neither the caller nor the clock ended it. */
export function outcomeOf(error: unknown, hadSession: boolean): CallOutcome {
  if (error instanceof ProtocolError) {
    if (error.data === STREAM_LOST) return lost('the connection broke before the answer came', true, false)
    if (error.code === CAPABILITY_MISSING) return { kind: 'unanswered', capability: capabilityIn(error.data) }
    return { kind: 'refused', reason: error.message, rpcCode: error.code }
  }
  if (error instanceof SdkHttpError) {
    const { status } = error
    // So a server refuses a session it does not know (any more), before it looks at the request: 404 as the protocol
    // has it, or 400 with words to that effect. Any other 400 may come after the work was done.
    const isForgotten = hadSession && (status === 404 || (status === 400 && /\bsession\b/i.test(error.message)))
    if (isForgotten) return lost(`the server ended the session (HTTP ${status})`, false, true)
    return { kind: 'refused', reason: `the server answered with HTTP ${status}` }
  }
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.NotConnected) return lost('the connection was closed', false, true)
    if (error.code === SdkErrorCode.ConnectionClosed) return lost('the connection was closed', true, true)
    return { kind: 'refused', reason: error.message }
  }
  const isUnsent = wasNeverSent(error)
  return lost(describeNetworkError(error), !isUnsent, isUnsent)
}

function capabilityIn(data: unknown): string {
  const wanted = isRecord(data) && isRecord(data.requiredCapabilities) ? Object.keys(data.requiredCapabilities) : []
  return wanted[0] ?? 'input'
}

function lost(reason: string, taken: boolean, isSessionOver: boolean): CallOutcome {
  return { kind: 'lost', reason, taken, isSessionOver }
}

/** `fetch failed` says nothing; its cause does. */
export function describeNetworkError(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined
  const message = error instanceof Error ? error.message : String(error)
  if (cause === undefined) return message
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  return `${message} (${cause.message || code || cause.name})`
}

const NEVER_SENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const cause = error.cause instanceof Error ? error.cause : error
  const code = 'code' in cause ? cause.code : undefined
  // The SDK's own words for a request made after the end; it gives them no code.
  return NEVER_SENT.has(code) || error.message === 'Not connected'
}
