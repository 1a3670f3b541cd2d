// Sessions of HTTP clients with protocol 2025-11-25 and older: one transport and one Server per session.

import { randomUUID } from 'node:crypto'
import {
  isInitializeRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Caller } from '../core/call.ts'
import { hasSameRights } from '../core/rights.ts'
import type { Activity, InFlight } from './activity.ts'
import { httpCaller, type Identity } from './auth.ts'
import { type ClientInterest, createClientInterest } from './client-interest.ts'
import { createDirectCalls } from './direct-calls.ts'
import { createEventStore } from './event-store.ts'
import { withOwnFeatures } from './features.ts'
import type { DoorOptions } from './front-options.ts'
import { notifyAfterInitialized } from './notify-clients.ts'
import { createProtocolServer } from './protocol-server.ts'
import { refusal } from './refusal.ts'
import { type CallAnswer, createSessionCalls, type SessionCallRequest, type SessionCalls } from './session-calls.ts'
import type { Handover, handOver } from './session-handover.ts'
import { endCancelled, watchBody } from './session-stream.ts'

interface LegacyOptions extends DoorOptions {
  readonly maxSessions: number
  readonly idleMs: number
  readonly maxBodyBytes: number
  /** Present if several gateways share the sessions. */
  readonly handOver?: typeof handOver
}

/** The headers that a plain call needs. */
interface CallHeaders {
  readonly sessionId: string
  readonly protocolVersion: string | undefined
}

interface LegacySessions {
  /** The number of open sessions. */
  readonly size: number
  /** Answers a plain call within a session. Undefined for other messages, which `handle` answers. */
  call(
    body: unknown,
    headers: CallHeaders,
    identity: Identity,
    request: Omit<SentCall, 'open'>,
  ): Promise<CallAnswer> | undefined
  handle(request: Request, body: unknown, identity: Identity): Promise<Response>
  /** Ends the sessions of a principal that has lost access. */
  dismiss(principal: string): void
  close(): Promise<void>
}

/** A call as it was sent. `request` creates a web Request from it for the SDK. */
interface SentCall extends SessionCallRequest {
  request(): Request
}

interface Session {
  readonly id: string
  readonly identity: Identity
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly calls: SessionCalls
  readonly interest: ClientInterest
  /** The number of requests in flight, including an open event stream. */
  openRequests: number
  /** In milliseconds since 1970. */
  lastUsedAt: number
  close(): Promise<void>
}

/** How long a client waits before it reopens a stream that was closed. */
const RETRY_MS = 1_000
/** How long a session must be idle before it can be ended for another principal. */
const EVICTABLE_AFTER_MS = 60_000

export function createLegacySessions({ maxSessions, idleMs, maxBodyBytes, ...front }: LegacyOptions): LegacySessions {
  const sessions = new Map<string, Session>()
  /** The number of sessions that are being initialized. */
  let starting = 0
  // Does not keep the process alive. Runs often enough to end an idle session soon after `idleMs`.
  const sweep = setInterval(() => findIdle(idleMs).forEach(end), Math.max(1_000, idleMs / 4)).unref()

  /** The sessions that have been idle for at least this time, the longest idle first. */
  const findIdle = (minIdleMs: number) =>
    [...sessions.values()]
      .filter((session) => session.openRequests === 0 && Date.now() - session.lastUsedAt >= minIdleMs)
      .sort((a, b) => a.lastUsedAt - b.lastUsedAt)
  const end = (session: Session) => {
    sessions.delete(session.id)
    session.close().catch(front.onError)
  }
  /**
   * If the maximum is reached, ends the longest idle session of the same principal, or one of another principal that has
   * been idle for a minute. Returns false if neither exists.
   */
  const makeRoom = (principal: string) => {
    if (sessions.size + starting < maxSessions) return true
    const own = findIdle(0).find((session) => session.identity.principal === principal)
    const evicted = own ?? findIdle(EVICTABLE_AFTER_MS)[0]
    if (evicted !== undefined) end(evicted)
    return evicted !== undefined
  }

  /** Undefined unless several gateways share the sessions. */
  const handover: Handover<Session> | undefined = front.handOver?.(front.shared, idleMs, {
    sessions,
    start: async (identity, id) => (makeRoom(identity.principal) ? start(identity, id) : undefined),
    answer,
    end,
  })

  /** Creates a session. It counts as open when its `initialize` request is accepted. */
  const start = async (identity: Identity, sessionId: string = randomUUID()): Promise<Session> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => sessionId,
      eventStore: createEventStore(handover === undefined ? {} : { prefix: `${handover.replica}-` }),
      maxRequestBodySize: maxBodyBytes,
      retryInterval: RETRY_MS,
      // The session is registered only now, so that a refused `initialize` leaves nothing behind.
      onsessioninitialized() {
        sessions.set(sessionId, session)
        stopNotifying = notifyAfterInitialized(server, ownFront, { caller, interest })
      },
    })
    let stopNotifying = () => {}
    // Requests in flight keep the session open, also after they have released their connection.
    const activity: Activity = Object.create(front.activity, {
      track: {
        value: <T>(work: Promise<T>, request?: InFlight) =>
          keepInUse(session, () => front.activity.track(work, request)),
      },
    })
    const ownFront = withOwnFeatures(front, identity.rights)
    const interest = createClientInterest(ownFront.features)
    const caller: Caller = { ...httpCaller(identity, 'legacy'), sessionId }
    const server = createProtocolServer({ ...ownFront, activity, interest }, caller)
    handover?.numberRequests(server)
    const calls = createSessionCalls(transport, () => direct)
    const { onError } = front
    const direct = createDirectCalls({ server, activity, onError, send: (message) => calls.transport.send(message) })
    const session: Session = {
      id: sessionId,
      identity,
      transport,
      calls,
      interest,
      openRequests: 0,
      lastUsedAt: Date.now(),
      close: () => server.close(),
    }
    server.onclose = () => {
      direct.close()
      stopNotifying()
      sessions.delete(sessionId)
      // If other gateways share the session, it may continue there.
      handover?.forget(sessionId)
      if (handover === undefined) void front.crib.endSession(sessionId).catch(front.onError)
    }
    await server.connect(calls.transport)
    return session
  }

  return {
    get size() {
      return sessions.size
    },
    call(body, { sessionId, protocolVersion }, identity, request) {
      const session = sessions.get(sessionId)
      if (session === undefined || !belongsTo(session, identity)) return undefined
      handover?.renew(session)
      if (protocolVersion !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion)) return undefined
      return session.calls.answer(body, { ...request, open: () => answer(session, request.request(), body) })
    },
    async handle(request, body, identity) {
      const id = request.headers.get('mcp-session-id')
      if (id === null && Array.isArray(body) && body.some(isInitializeRequest)) {
        const error = { code: -32600, message: 'Invalid Request: an initialize request cannot be part of a batch' }
        return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 })
      }
      if (id === null && !isInitializeRequest(body)) {
        // A transport without a session answers other messages with the SDK's own errors.
        const withoutSession = new WebStandardStreamableHTTPServerTransport({
          sessionIdGenerator: () => randomUUID(),
          maxRequestBodySize: maxBodyBytes,
        })
        return withoutSession.handleRequest(request, { parsedBody: body })
      }
      if (id === null) {
        if (!makeRoom(identity.principal)) {
          return refusal(503, 'TOO_MANY_SESSIONS', { max: maxSessions })
        }
        starting++
        try {
          const session = await start(identity)
          const response = await answer(session, request, body)
          await handover?.begin(session, body)
          return response
        } finally {
          starting--
        }
      }
      const session = sessions.get(id) ?? (await handover?.resume(id, identity))
      if (session === undefined || !belongsTo(session, identity)) return refusal(404, 'SESSION_NOT_FOUND', {})
      if (handover === undefined) return answer(session, request, body)
      if (request.method === 'DELETE') await front.crib.endSession(id)
      return handover.handle(session, request, body)
    },
    dismiss(principal) {
      for (const session of [...sessions.values()]) if (session.identity.principal === principal) end(session)
    },
    async close() {
      clearInterval(sweep)
      handover?.close()
      await Promise.allSettled([...sessions.values()].map((session) => session.close()))
    },
  }
}

/**
 * A session of another principal is treated as unknown. So is a session that was opened with other rights: a principal
 * can have several tokens.
 */
function belongsTo({ identity: owner }: Session, identity: Identity): boolean {
  return owner.principal === identity.principal && hasSameRights(owner.rights, identity.rights)
}

/** Passes a request of a session to the SDK. */
async function answer(session: Session, request: Request, body: unknown): Promise<Response> {
  session.openRequests++
  const done = () => {
    session.openRequests--
    session.lastUsedAt = Date.now()
  }
  try {
    const response = await session.transport.handleRequest(request, { parsedBody: body })
    endCancelled(session.calls.transport, body)
    return watchBody(response, request.signal, done)
  } catch (error) {
    done()
    throw error
  }
}

/** Keeps the session from being ended as idle while the work runs. */
async function keepInUse<T>(session: Session, work: () => Promise<T>): Promise<T> {
  session.openRequests++
  try {
    return await work()
  } finally {
    session.openRequests--
    session.lastUsedAt = Date.now()
  }
}
