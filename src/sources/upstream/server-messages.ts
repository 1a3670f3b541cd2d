// Handles the notifications of a server, and its requests to a client (elicitation, sampling, roots).

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Client, type ClientCapabilities, ProtocolError } from '@modelcontextprotocol/client'
import type { ServerRequest } from '../../core/call.ts'
import { isRecord } from '../../core/is-record.ts'
import { abortSignalOf } from '../../core/stop-signal.ts'
import type { EarlyRoots, OwnRoots } from './early-roots.ts'
import type { PendingCalls } from './pending-calls.ts'
import type { Redactor } from './redactor.ts'
import type { ClientCall, PendingCall } from './session-call.ts'

type Fields = Readonly<Record<string, unknown>>

/** Notifications of a server that do not belong to a call. */
export type ServerNotification =
  | { readonly kind: 'listChanged'; readonly of: 'prompts' | 'resources' }
  | { readonly kind: 'updated'; readonly uri: string }
  | { readonly kind: 'log'; readonly level: string; readonly data: unknown; readonly logger?: string }

interface NotificationOptions {
  readonly pendingCalls: PendingCalls
  readonly redactor: Redactor
  onListChanged?(): void
  onNotification?(notification: ServerNotification): void
}

interface ServerRequestOptions {
  readonly pendingCalls: PendingCalls
  /** The roots of the only client. Undefined if there can be several clients. */
  readonly ownRoots: OwnRoots | undefined
  /** Answers `roots/list`, also between calls. Undefined for a modern server, and without `ownRoots`. */
  readonly earlyRoots: EarlyRoots | undefined
  /** Called at the first request that a client has to answer. */
  onAsk?(): void
}

const DECLINED_SAMPLING = -1
const METHOD_NOT_FOUND = -32_601

export function handleNotifications(client: Client, options: NotificationOptions): void {
  const { pendingCalls, redactor, onListChanged, onNotification } = options
  client.setNotificationHandler('notifications/progress', ({ params }) => {
    const { progress, total, message } = params
    pendingCalls
      .withToken(params.progressToken)
      ?.progress(progress, total, message === undefined ? undefined : redactor.text(message))
  })
  client.setNotificationHandler('notifications/message', ({ params }) => {
    const { level } = params
    const logger = params.logger === undefined ? undefined : redactor.text(params.logger)
    // A log reports on the server and is not the result of a tool, so all of it is redacted.
    const data = redactor.value(params.data)
    const pendingCall = pendingCalls.ofOnlyClient()
    if (pendingCall !== undefined) pendingCall.log(level, data, logger)
    // During calls of several clients the message is dropped, because it could tell one client what another one does.
    else if (pendingCalls.isQuiet)
      onNotification?.({ kind: 'log', level, data, ...(logger === undefined ? {} : { logger }) })
  })
  client.setNotificationHandler('notifications/tools/list_changed', () => onListChanged?.())
  const reportListChange = (of: 'prompts' | 'resources') => () => onNotification?.({ kind: 'listChanged', of })
  client.setNotificationHandler('notifications/prompts/list_changed', reportListChange('prompts'))
  client.setNotificationHandler('notifications/resources/list_changed', reportListChange('resources'))
  client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => {
    onNotification?.({ kind: 'updated', uri })
  })
}

export function handleServerRequests(client: Client, options: ServerRequestOptions): void {
  const { pendingCalls, ownRoots, earlyRoots, onAsk } = options
  // Uses the fallback handler, because the SDK would validate the requests with its own schemas.
  client.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
    const request = readServerRequest(method, params)
    if (request === undefined) throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${method}`)
    if (method === 'roots/list' && (ownRoots?.canBeAsked === true || pendingCalls.isQuiet)) {
      const answer = await earlyRoots?.answer(mcpReq.signal)
      if (answer !== undefined) return answer
    }
    if (!pendingCalls.knownToAsk) onAsk?.()
    pendingCalls.knownToAsk = true
    // Waits a turn: a call that was answered just before counts as in flight until its promise settles.
    await nextTurn()
    const pendingCall = pendingCalls.ofOnlyClient()
    // The server gets an empty list now. A later client with roots must make it ask again.
    if (method === 'roots/list' && ownRoots !== undefined && pendingCall?.hasRoots !== true)
      ownRoots.gotEmptyList = true
    const answering = answerFor(request, pendingCall, mcpReq.signal)
    const answer = await (method === 'roots/list' && earlyRoots !== undefined
      ? earlyRoots.follow(answering)
      : answering)
    if (answer === undefined) throw new ProtocolError(DECLINED_SAMPLING, 'The client does not answer this request')
    return answer
  }
}

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
export function forwardedCapabilities({ onServerRequest, relay, caller }: ClientCall): Fields {
  if (onServerRequest === undefined && relay === undefined) return {}
  // If the capabilities of the client are unknown, all that we support are forwarded.
  const { capabilities = CAPABILITIES } = caller
  return Object.fromEntries(Object.entries(capabilities).filter(([name]) => name === 'roots' || name in CAPABILITIES))
}

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
): Promise<Fields | undefined> {
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

export function declinedAnswer({ method }: ServerRequest): Fields | undefined {
  if (method === 'elicitation/create') return { action: 'decline' }
  return method === 'roots/list' ? { roots: [] } : undefined
}
