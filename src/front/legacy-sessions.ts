// The sessions of HTTP clients with protocol 2025-11-25 and older: their start, their limits and their end.

import { randomUUID } from 'node:crypto'
import {
  isInitializeRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { hasSameRights } from '../core/rights.ts'
import type { Identity } from './auth.ts'
import type { DoorOptions } from './front-options.ts'
import { answerInSession, type LegacySession, openLegacySession } from './legacy-session.ts'
import { protocolError, refusal } from './refusal.ts'
import type { CallAnswer, SessionCallRequest } from './session-calls.ts'
import type { CreateHandover } from './session-handover.ts'

interface LegacyOptions extends DoorOptions {
  readonly maxSessions: number
  readonly hasPrincipals: boolean
  readonly idleMs: number
  readonly maxBodyBytes: number
  /** Present if several gateways share the sessions. */
  readonly createHandover?: CreateHandover | undefined
}

/** The headers that `call` needs. */
interface CallHeaders {
  readonly sessionId: string
  readonly protocolVersion: string | undefined
}

/** A call as it was sent. `request` creates a web Request from it for the SDK. */
interface SentCall extends Omit<SessionCallRequest, 'open'> {
  request(): Request
}

/** How long a session must be idle before it can be ended for another principal. */
const EVICTABLE_AFTER_MS = 60_000
/** The part of the sessions that one principal can have, so that it cannot shut out all others. */
const PRINCIPAL_SHARE = 0.9

export function createLegacySessions(options: LegacyOptions) {
  const { maxSessions, hasPrincipals, idleMs, maxBodyBytes, ...front } = options
  const sessions = new Map<string, LegacySession>()
  const maxOwn = hasPrincipals ? Math.ceil(maxSessions * PRINCIPAL_SHARE) : maxSessions
  /** The principals of the sessions that are being initialized, by the id of the session. */
  const starting = new Map<string, string>()
  // Does not keep the process alive. Runs often enough to end an idle session soon after `idleMs`.
  const sweep = setInterval(() => findIdle(idleMs).forEach(end), Math.max(1_000, idleMs / 4)).unref()

  /** The sessions that have been idle for at least this time, the longest idle first. */
  const findIdle = (minIdleMs: number) =>
    [...sessions.values()]
      .filter((session) => session.openRequests === 0 && Date.now() - session.lastUsedAt >= minIdleMs)
      .sort((a, b) => a.lastUsedAt - b.lastUsedAt)
  const end = (session: LegacySession) => {
    sessions.delete(session.id)
    session.close().catch(front.onError)
  }
  /**
   * If the maximum is reached, ends the longest idle session of the same principal, or one of another principal that
   * has been idle for a minute. Returns false if neither exists. A principal with its whole share makes room only by
   * its own idle sessions.
   */
  const makeRoom = (principal: string) => {
    // A session that has just been accepted is in both maps.
    const accepted = [...sessions.values()].map((session) => [session.id, session.identity.principal] as const)
    const principals = [...new Map([...starting, ...accepted]).values()]
    const hasShare = principals.filter((one) => one === principal).length >= maxOwn
    if (!hasShare && principals.length < maxSessions) return true
    const own = findIdle(0).find(({ identity }) => identity.principal === principal)
    const evicted = own ?? (hasShare ? undefined : findIdle(EVICTABLE_AFTER_MS)[0])
    if (evicted !== undefined) end(evicted)
    return evicted !== undefined
  }

  /** Undefined unless several gateways share the sessions. */
  const handover = front.createHandover?.<LegacySession>(idleMs, {
    sessions,
    start: async (identity, id) => (makeRoom(identity.principal) ? start(identity, id) : undefined),
    answer: answerInSession,
    end,
  })

  /** Creates a session. It counts as open when its `initialize` request is accepted. */
  const start = (identity: Identity, id: string): Promise<LegacySession> =>
    openLegacySession({ id, identity, front, maxBodyBytes, handover, sessions })

  /** An `initialize` request starts a session. Other requests without a session are refused. */
  const answerWithoutSession = async (request: Request, body: unknown, identity: Identity): Promise<Response> => {
    if (Array.isArray(body) && body.some(isInitializeRequest)) {
      return protocolError(400, -32600, 'Invalid Request: an initialize request cannot be part of a batch')
    }
    if (!isInitializeRequest(body)) {
      // A transport without a session answers other messages with the SDK's own errors.
      const withoutSession = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        maxRequestBodySize: maxBodyBytes,
      })
      return withoutSession.handleRequest(request, { parsedBody: body })
    }
    if (!makeRoom(identity.principal)) {
      return refusal(503, 'TOO_MANY_SESSIONS', { max: maxSessions, maxOwn: hasPrincipals ? maxOwn : undefined })
    }
    const id = randomUUID()
    starting.set(id, identity.principal)
    try {
      const session = await start(identity, id)
      const response = await answerInSession(session, request, body)
      await handover?.begin(session, body)
      return response
    } finally {
      starting.delete(id)
    }
  }

  return {
    /** The number of open sessions. */
    get size() {
      return sessions.size
    },
    /**
     * Answers a plain call within a session: a valid `tools/call` with known fields only. Undefined for other messages,
     * which `handle` answers.
     */
    call(
      body: unknown,
      { sessionId, protocolVersion }: CallHeaders,
      identity: Identity,
      request: SentCall,
    ): Promise<CallAnswer> | undefined {
      const session = sessions.get(sessionId)
      if (session === undefined || !belongsTo(session, identity)) return undefined
      handover?.renew(session)
      if (protocolVersion !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion)) return undefined
      return session.calls.answer(body, { ...request, open: () => answerInSession(session, request.request(), body) })
    },
    async handle(request: Request, body: unknown, identity: Identity): Promise<Response> {
      const id = request.headers.get('mcp-session-id')
      if (id === null) return answerWithoutSession(request, body, identity)
      const session = sessions.get(id) ?? (await handover?.resume(id, identity))
      if (session === undefined || !belongsTo(session, identity)) return refusal(404, 'SESSION_NOT_FOUND', {})
      if (handover === undefined) return answerInSession(session, request, body)
      if (request.method === 'DELETE') await front.crib.endSession(id)
      return handover.handle(session, request, body)
    },
    /** Ends the sessions of a principal that has lost access. */
    dismiss(principal: string): void {
      for (const session of [...sessions.values()]) if (session.identity.principal === principal) end(session)
    },
    async close(): Promise<void> {
      clearInterval(sweep)
      handover?.close()
      await Promise.allSettled([...sessions.values()].map((session) => session.close()))
    },
  }
}

/**
 * A session of another principal, or one that was opened with other rights, is treated as unknown. A principal can have
 * several tokens with different rights.
 */
function belongsTo({ identity: owner }: LegacySession, identity: Identity): boolean {
  return owner.principal === identity.principal && hasSameRights(owner.rights, identity.rights)
}
