// One session of an HTTP client with protocol 2025-11-25 or older: its transport, its Server and its calls.

import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { Caller } from '../core/call.ts'
import type { Activity, InFlight } from './activity.ts'
import { httpCaller, type Identity } from './auth.ts'
import { type ClientInterest, createClientInterest } from './client-interest.ts'
import { createDirectCalls } from './direct-calls.ts'
import { withOwnFeatures } from './features.ts'
import type { DoorOptions } from './front-options.ts'
import { notifyAfterInitialized } from './notify-clients.ts'
import { createProtocolServer } from './protocol-server.ts'
import { createSessionCalls, type SessionCalls } from './session-calls.ts'
import type { Handover } from './session-handover.ts'
import { createEventStore, endCancelled, watchBody } from './session-streams.ts'

export interface LegacySession {
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

interface SessionOptions {
  readonly id: string
  readonly identity: Identity
  readonly front: DoorOptions
  readonly maxBodyBytes: number
  /** Undefined unless several gateways share the sessions. */
  readonly handover: Handover<LegacySession> | undefined
  /**
   * The open sessions. The session adds itself when its `initialize` request is accepted, and removes itself when it
   * closes.
   */
  readonly sessions: Map<string, LegacySession>
}

export async function openLegacySession(options: SessionOptions): Promise<LegacySession> {
  const { id, identity, front, maxBodyBytes, handover, sessions } = options
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    eventStore: createEventStore(handover === undefined ? {} : { prefix: `${handover.replica}-` }),
    maxRequestBodySize: maxBodyBytes,
    retryInterval: RETRY_MS,
    // The session is registered only now, so that a refused `initialize` leaves nothing behind.
    onsessioninitialized() {
      sessions.set(id, session)
      stopNotifying = notifyAfterInitialized(server, ownFront, { caller, interest })
    },
  })
  let stopNotifying = () => {}
  // Requests in flight keep the session open, even after they have released their connection.
  const activity: Activity = Object.create(front.activity, {
    track: {
      value: <T>(work: Promise<T>, request?: InFlight) =>
        front.activity.track(work, request).finally(startUse(session)),
    },
  })
  const ownFront = withOwnFeatures(front, identity.rights)
  const interest = createClientInterest(ownFront.features)
  const caller: Caller = { ...httpCaller(identity, 'legacy'), sessionId: id }
  const served = handover?.shareLevel(id, interest) ?? interest
  const server = createProtocolServer({ ...ownFront, activity, interest: served }, caller)
  handover?.numberRequests(server)
  const calls = createSessionCalls(transport, () => direct)
  const { onError } = front
  const direct = createDirectCalls({ server, activity, onError, send: (message) => calls.transport.send(message) })
  const session: LegacySession = {
    id,
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
    sessions.delete(id)
    // If other gateways share the session, it may continue there.
    handover?.forget(id)
    if (handover === undefined) void front.crib.endSession(id).catch(front.onError)
  }
  await server.connect(calls.transport)
  return session
}

/** Passes a request of a session to the SDK. */
export async function answerInSession(session: LegacySession, request: Request, body: unknown): Promise<Response> {
  const done = startUse(session)
  try {
    const response = await session.transport.handleRequest(request, { parsedBody: body })
    endCancelled(session.calls.transport, body)
    return watchBody(response, request.signal, done)
  } catch (error) {
    done()
    throw error
  }
}

/** Keeps the session from being ended as idle until the returned function is called. */
function startUse(session: LegacySession): () => void {
  session.openRequests++
  return () => {
    session.openRequests--
    session.lastUsedAt = Date.now()
  }
}
