// The possible outcomes of a call on a connection. The kind of an outcome decides what the caller does next.

import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { isRecord } from '../../core/is-record.ts'
import { errorCode } from '../../core/text.ts'
import { AuthorizationFailed, type LoginRequired, loginRequiredIn } from './auth/login-errors.ts'
import { STREAM_LOST } from './lenient-transport.ts'
import type { Redactor } from './redactor.ts'

/** The JSON-RPC error code for a request that needs a capability which its client does not have. */
const CAPABILITY_MISSING = -32_021

export type CallOutcome =
  /** The unchecked answer of the server. `declined`: why we declined requests of the server during the call. */
  | { readonly kind: 'answered'; readonly result: unknown; readonly declined?: readonly string[] }
  /**
   * The server or its authorization server answered with an error, or a check in this process ended the call. If
   * `isInvalidResult` is true, the server answered with a result that cannot be used, and may have run the call.
   */
  | {
      readonly kind: 'refused'
      readonly reason: string
      readonly rpcCode?: number
      readonly isInvalidResult?: boolean
    }
  | { readonly kind: 'cancelled' }
  /** The call took longer than its time limit. */
  | { readonly kind: 'late'; readonly afterMs: number }
  /**
   * No answer will arrive. If `taken` is false, the server has not run the call, so it may be sent again. If
   * `isSessionOver` is true, the next call needs a new session.
   */
  | { readonly kind: 'lost'; readonly reason: string; readonly taken: boolean; readonly isSessionOver: boolean }
  /** The server needs input. Its questions were passed to the client, which repeats the call with the answers. */
  | { readonly kind: 'asked' }
  /** The call did not run, because the user must log in. */
  | { readonly kind: 'login'; readonly needed: LoginRequired }
  /** The server needs a capability that the client of this call does not have. */
  | { readonly kind: 'capability-missing'; readonly capability: string }

/** Redacts secrets in failures. A successful answer is passed on unchanged. */
export function redactOutcome(outcome: CallOutcome, redactor: Redactor): CallOutcome {
  switch (outcome.kind) {
    case 'answered':
      return isFailure(outcome.result) ? { ...outcome, result: redactor.value(outcome.result) } : outcome
    case 'refused':
    case 'lost':
      return { ...outcome, reason: redactor.text(outcome.reason) }
    case 'capability-missing':
      return { ...outcome, capability: redactor.text(outcome.capability) }
    default:
      return outcome
  }
}

/** True for a tool error, and for an answer that is not a complete result. */
function isFailure(result: unknown): boolean {
  if (!isRecord(result)) return true
  return result.isError === true || (result.resultType ?? 'complete') !== 'complete'
}

/** The outcome of an error that the SDK's client threw, if neither the caller nor the timeout ended the call. */
export function outcomeOf(error: unknown, hadSession: boolean): CallOutcome {
  if (error instanceof ProtocolError) {
    if (error.data === STREAM_LOST) {
      const reason = 'the connection broke before the answer came'
      return { kind: 'lost', reason, taken: true, isSessionOver: false }
    }
    if (error.code === CAPABILITY_MISSING) return { kind: 'capability-missing', capability: capabilityIn(error.data) }
    return { kind: 'refused', reason: error.message, rpcCode: error.code }
  }
  const needed = loginRequiredIn(error)
  if (needed !== undefined) return { kind: 'login', needed }
  if (error instanceof AuthorizationFailed) return { kind: 'refused', reason: error.message }
  if (error instanceof SdkHttpError) {
    const { status } = error
    // A server refuses an unknown session before it reads the request: with 404 by protocol, or with 400 and a body
    // about the session, which has no common form. Any other 400 can be sent after the work was done.
    const isForgotten = hadSession && (status === 404 || (status === 400 && /\bsession\b/i.test(bodyOf(error))))
    if (!isForgotten) return { kind: 'refused', reason: `the server answered with HTTP ${status}${redirectIn(error)}` }
    const reason = `the server ended the session (HTTP ${status})`
    return { kind: 'lost', reason, taken: false, isSessionOver: true }
  }
  if (error instanceof SdkError) {
    const isUnsent = error.code === SdkErrorCode.NotConnected
    if (isUnsent || error.code === SdkErrorCode.ConnectionClosed)
      return { kind: 'lost', reason: 'the connection was closed', taken: !isUnsent, isSessionOver: true }
    const isInvalidResult = error.code === SdkErrorCode.InvalidResult
    return { kind: 'refused', reason: error.message, ...(isInvalidResult ? { isInvalidResult } : {}) }
  }
  if (isNotMessage(error))
    return { kind: 'refused', reason: 'its answer is not a message of the protocol', isInvalidResult: true }
  const isUnsent = wasNeverSent(error)
  return { kind: 'lost', reason: describeNetworkError(error), taken: !isUnsent, isSessionOver: isUnsent }
}

/** The body of the answer. Empty if the SDK did not read it. */
function bodyOf({ data }: SdkHttpError): string {
  return isRecord(data) && typeof data.text === 'string' ? data.text : ''
}

function capabilityIn(data: unknown): string {
  const wanted = isRecord(data) && isRecord(data.requiredCapabilities) ? Object.keys(data.requiredCapabilities) : []
  return wanted[0] ?? 'input'
}

/**
 * Says why a request failed. For frequent causes in plain words, else with the cause behind the message, because
 * `fetch failed` alone does not give a reason.
 */
export function describeNetworkError(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined
  const message = error instanceof Error ? error.message : String(error)
  const plain = plainReason(cause ?? error)
  if (plain !== undefined) return plain
  if (cause === undefined) return message
  return `${message} (${cause.message || errorCode(cause) || cause.name})`
}

/** The reason in plain words, with the code of Node in parentheses. Undefined for other errors. */
function plainReason(error: unknown): string | undefined {
  const code = errorCode(error)
  if (code === 'ECONNREFUSED') {
    const address = addressIn(error)
    return address === undefined ? undefined : `no program listens at ${address} (${code})`
  }
  const host = error instanceof Error && 'hostname' in error ? error.hostname : undefined
  if (typeof host !== 'string') return undefined
  if (code === 'ENOTFOUND') return `there is no host '${host}' (${code})`
  return code === 'EAI_AGAIN' ? `the address of the host '${host}' cannot be looked up (${code})` : undefined
}

/** If Node tried several addresses, as for `localhost`, its error contains one error for each. */
function addressIn(error: unknown): string | undefined {
  const one: unknown = error instanceof AggregateError ? error.errors[0] : error
  if (!(one instanceof Error) || !('address' in one) || !('port' in one)) return undefined
  const address = String(one.address)
  return `${address.includes(':') ? `[${address}]` : address}:${one.port}`
}

/** Network errors of a request that did not reach the server. */
const NEVER_SENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return NEVER_SENT.has(errorCode(error.cause instanceof Error ? error.cause : error)) || isNotConnected(error)
}

// The next three errors of the SDK are recognized by their name or message. A test provokes each, to notice a change.

/** True for the error of the SDK for JSON over HTTP that is not a message of the protocol. */
function isNotMessage(error: unknown): boolean {
  return error instanceof Error && error.name === 'ZodError'
}

/** True for the error of a request without a connection. This error has no code, unlike `SdkErrorCode.NotConnected`. */
export function isNotConnected({ message }: Error): boolean {
  return message === 'Not connected'
}

/**
 * The text of the SDK about a redirect that it did not follow, in parentheses. Empty without such a redirect. The SDK
 * follows a redirect only within the origin of the server.
 */
export function redirectIn({ message }: Error): string {
  const [redirect] = /Redirect .*? not followed/.exec(message) ?? []
  return redirect === undefined ? '' : ` (${redirect})`
}
