// Requests of a server to a client (elicitation, sampling, roots): passed to the client of the call, or declined.

import type { ClientCapabilities } from '@modelcontextprotocol/client'
import type { ServerRequest } from '../../core/call.ts'
import { isRecord } from '../../core/is-record.ts'
import { abortSignalOf } from '../../core/stop-signal.ts'
import type { PendingCall } from './pending-calls.ts'
import type { ClientCall } from './session-call.ts'

export type ServerRequestAnswer = Readonly<Record<string, unknown>>

const METHODS: ReadonlySet<string> = new Set<ServerRequest['method']>([
  'elicitation/create',
  'sampling/createMessage',
  'roots/list',
])

/** The capabilities that we declare to servers. Each call checks whether its client has them. */
const CAPABILITIES: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {} }

/** Roots are declared only if there is a single client, because a server may ask for them outside a call. */
export function capabilitiesFor(hasOneClient: boolean): ClientCapabilities {
  return hasOneClient ? { ...CAPABILITIES, roots: { listChanged: true } } : CAPABILITIES
}

/** The capabilities of a call's client that we forward to the server. */
export function forwardedCapabilities({
  onServerRequest,
  relay,
  caller,
}: ClientCall): Readonly<Record<string, unknown>> {
  if (onServerRequest === undefined && relay === undefined) return {}
  // If the capabilities of the client are unknown, all that we support are forwarded.
  const { capabilities = CAPABILITIES } = caller
  return Object.fromEntries(Object.entries(capabilities).filter(([name]) => name === 'roots' || name in CAPABILITIES))
}

/** Returns the request, or undefined if its method is not one that we forward to clients. */
export function readServerRequest(method: unknown, params: unknown): ServerRequest | undefined {
  if (typeof method !== 'string' || !METHODS.has(method)) return undefined
  // The set contains exactly these methods.
  return { method: method as ServerRequest['method'], params: isRecord(params) ? params : {} }
}

/** The client's answer, or an answer that declines. Undefined if the protocol has no such answer for this request. */
export async function answerFor(
  request: ServerRequest,
  pendingCall: PendingCall | undefined,
  signal: AbortSignal,
): Promise<ServerRequestAnswer | undefined> {
  if (pendingCall?.ask === undefined) return declinedAnswer(request)
  const allowed = pendingCall.questions().check(request)
  if (allowed === undefined) return declinedAnswer(request)
  const resume = pendingCall.pause()
  try {
    return await pendingCall.ask(allowed, AbortSignal.any([signal, abortSignalOf(pendingCall.signal)]))
  } catch {
    return declinedAnswer(request)
  } finally {
    resume()
  }
}

export function declinedAnswer({ method }: ServerRequest): ServerRequestAnswer | undefined {
  if (method === 'elicitation/create') return { action: 'decline' }
  return method === 'roots/list' ? { roots: [] } : undefined
}
