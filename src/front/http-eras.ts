// The handlers of both protocol eras behind the HTTP front door. A request arrives here after its login was checked.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { createMcpHandler, isLegacyRequest, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server'
import { isRecord } from '../core/is-record.ts'
import { httpCaller, type Identity, identityIn } from './auth.ts'
import { createWatches, isListenRequest, TOO_MANY_WATCHED, watchedIn } from './client-interest.ts'
import { withOwnFeatures } from './features.ts'
import type { DoorOptions, FrontOptions } from './front-options.ts'
import { createLegacySessions } from './legacy-sessions.ts'
import { createParkedCalls, type ParkedCalls } from './long-call.ts'
import { createModernCalls } from './modern-calls.ts'
import { type Answer, headerReader, requestOf } from './node-http.ts'
import { findHeaderMismatch } from './param-headers.ts'
import { createProtocolServer, serverInfoOf } from './protocol-server.ts'
import { protocolError, refusal } from './refusal.ts'
import { createSubscribers } from './subscribers.ts'

interface HttpEraOptions {
  readonly front: FrontOptions
  /** False if all clients are the same principal, because no login is required. */
  readonly hasPrincipals: boolean
  readonly maxBodyBytes: number
  readonly maxSessions: number
  readonly sessionIdleMs: number
  isStopping(): boolean
}

/** A JSON-RPC message that was sent in a POST, with its body read. */
interface PostedMessage {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly text: string
  /** The text, parsed. */
  readonly body: unknown
  /** Aborts when the client closes the connection. */
  readonly signal: AbortSignal
}

export interface HttpEras {
  /** The number of open legacy sessions. */
  readonly sessions: number
  serve(request: Request, body: unknown, identity: Identity, outgoing: ServerResponse): Promise<Response>
  /** Does the same as `serve`, but faster for plain calls: most of them need no web Request. */
  servePost(message: PostedMessage, identity: Identity): Promise<Answer>
  /** Ends the sessions and the waiting calls of a principal that has lost access. */
  dismiss(principal: string): void
  /** Stops watching lists and resources for changes. Open subscriptions end with `close`. */
  stopWatching(): void
  close(): Promise<void>
}

export async function openHttpEras(options: HttpEraOptions): Promise<HttpEras> {
  const { hasPrincipals, maxBodyBytes, maxSessions, sessionIdleMs: idleMs, isStopping } = options
  const { crib, activity, features, identity: serverInfo, onError, shared } = options.front
  // Loaded only if other gateways share the store.
  const joined = shared?.isShared === true ? await (await import('./fleet.ts')).joinFleet(shared, activity) : undefined
  const { parked = createParkedCalls(), fleet, createHandover } = joined ?? {}
  const subscribers = createSubscribers(options.front)
  const watches = createWatches(features, onError)
  const front: DoorOptions = { ...options.front, parked, fleet, onToolsChanged: subscribers.toolsChanged }
  const limits = { hasPrincipals, maxSessions, idleMs, maxBodyBytes }
  const legacy = createLegacySessions({ ...front, createHandover, ...limits })
  const modern = createMcpHandler(
    ({ authInfo }) => {
      const caller = httpCaller(identityIn(authInfo), 'modern')
      return createProtocolServer(withOwnFeatures(front, caller.rights), caller)
    },
    { legacy: 'reject', onerror: onError, maxRequestBodySize: maxBodyBytes, bus: subscribers.bus },
  )
  const modernCalls = createModernCalls(front, serverInfo ?? serverInfoOf(crib))

  const serve = async (request: Request, body: unknown, identity: Identity, outgoing: ServerResponse) => {
    if (isStopping() && request.method === 'POST' && !isFollowUp(body, parked)) {
      return refusal(503, 'SHUTTING_DOWN', { hasBegun: false }, { 'retry-after': '1' })
    }
    if (!isModernCall(body, request.headers.get('mcp-protocol-version'))) {
      const isLegacy = await isLegacyRequest(request, body, { maxRequestBodySize: maxBodyBytes })
      if (isLegacy) return legacy.handle(request, body, identity)
    }
    return serveModern(request, body, identity, outgoing)
  }
  const serveModern = async (request: Request, body: unknown, identity: Identity, outgoing: ServerResponse) => {
    const { principal, rights } = identity
    const reason = await findHeaderMismatch(crib, body, httpCaller(identity, 'modern'), request)
    if (reason !== undefined) return refusal(400, 'HEADER_MISMATCH', { reason })
    // Updates of resources are not divided by server, so only a caller with all rights can subscribe to them.
    const uris = rights === undefined ? watchedIn(body) : []
    if (!watches.admits(principal, uris)) {
      return protocolError(400, -32602, TOO_MANY_WATCHED)
    }
    // The token stays here: handlers and middleware get only its principal.
    const authInfo = { token: '', clientId: principal, scopes: [], extra: { identity } }
    const fetch = () => modern.fetch(request, { parsedBody: body, authInfo })
    // Only a subscription needs its principal in the async context, which slows down every promise.
    const response = await (isListenRequest(body) ? subscribers.serve(identity, fetch) : fetch())
    if (response.status === 200) modernCalls.accept(body, identity)
    // Only a granted subscription counts, not a refused request.
    if (response.ok && isEventStream(response)) watches.keep(principal, uris, outgoing)
    return response
  }
  const servePost = async (message: PostedMessage, identity: Identity): Promise<Answer> => {
    const { incoming, outgoing, text, body, signal } = message
    const { headers } = incoming
    const version = headers['mcp-protocol-version']
    const protocolVersion = typeof version === 'string' ? version : undefined
    const isModern = isModernCall(body, protocolVersion)
    // With a parsed body, the SDK does not read the body of the request.
    const request = () => requestOf(incoming, isModern ? '' : text, signal)
    const serveOther = async () => ({ response: await serve(request(), body, identity, outgoing) })
    const sessionId = headers['mcp-session-id']
    if (typeof sessionId !== 'string') {
      if (!isModern) return serveOther()
      const { 'mcp-method': method, 'mcp-name': name } = headers
      const runModernCall = modernCalls.find(body, { identity, method, name })
      if (runModernCall === undefined) return serveOther()
      const given = { headers: headerReader(incoming), signal }
      const mismatch = await findHeaderMismatch(crib, body, httpCaller(identity, 'modern'), given)
      return mismatch === undefined ? runModernCall(signal) : serveOther()
    }
    const answered = legacy.call(body, { sessionId, protocolVersion }, identity, { signal, request })
    if (answered === undefined) return serveOther()
    const given = await answered
    return 'stream' in given ? { response: given.stream } : { json: given.json, sessionId, status: 200 }
  }

  return {
    get sessions() {
      return legacy.size
    },
    serve,
    servePost,
    dismiss(principal) {
      legacy.dismiss(principal)
      parked.dismiss(principal)
    },
    stopWatching: subscribers.stopWatching,
    async close() {
      parked.close()
      fleet?.close()
      // A call that has just ended still has to pass its answer to its transport.
      await new Promise((resolve) => setImmediate(resolve))
      await Promise.allSettled([legacy.close(), modern.close()])
    },
  }
}

/** True for a call with the same protocol version in header and `_meta`. Only the modern era has it in `_meta`. */
function isModernCall(body: unknown, version: string | null | undefined): boolean {
  if (!isRecord(body) || body.method !== 'tools/call' || !isRecord(body.params)) return false
  const { _meta } = body.params
  return typeof version === 'string' && isRecord(_meta) && _meta[PROTOCOL_VERSION_META_KEY] === version
}

/**
 * True if the messages start no new call: they are notifications, responses, or calls with the `requestState` of a
 * parked call.
 */
function isFollowUp(body: unknown, parked: ParkedCalls): boolean {
  const messages = Array.isArray(body) ? body : [body]
  return messages.every((message: unknown) => {
    if (!isRecord(message)) return false
    if ('result' in message || 'error' in message) return true
    if (typeof message.method !== 'string') return false
    const state = isRecord(message.params) ? message.params.requestState : undefined
    return !('id' in message) || (typeof state === 'string' && parked.isOurs(state))
  })
}

function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true
}
