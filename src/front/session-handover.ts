// Lets every gateway that shares the store continue a session: each request of a client may reach another gateway.

import type { Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { LogLevel } from '../core/call.ts'
import { getOrMake } from '../core/collections.ts'
import { defined } from '../core/defined.ts'
import { isRecord } from '../core/is-record.ts'
import { rightsKey } from '../core/rights.ts'
import type { Store } from '../storage/store.ts'
import type { Identity } from './auth.ts'
import type { ClientInterest } from './client-interest.ts'
import { type SharedSession, shareSessions } from './shared-sessions.ts'

/** The part of a session that this file needs. */
interface HandedSession {
  readonly id: string
  readonly identity: Identity
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly interest: ClientInterest
}

interface LocalSessions<S extends HandedSession> {
  readonly sessions: ReadonlyMap<string, S>
  /** Creates a session with this id. Undefined if there are too many. */
  start(identity: Identity, id: string): Promise<S | undefined>
  answer(session: S, request: Request, body: unknown): Promise<Response>
  /** Ends the session at this gateway only. */
  end(session: S): void
}

export interface Handover<S extends HandedSession> {
  readonly replica: string
  /** Makes this Server use request ids that no other gateway uses. */
  numberRequests(server: Server): void
  /** Returns the interest of a session at this gateway, which also passes the log level on to the other gateways. */
  shareLevel(sessionId: string, interest: ClientInterest): ClientInterest
  /** Lets the other gateways continue a new session. `body` is its `initialize` request. */
  begin(session: S, body: unknown): Promise<void>
  /** Continues a session that another gateway has begun for this principal and these rights, or returns undefined. */
  resume(id: string, identity: Identity): Promise<S | undefined>
  /** Answers a request, and passes on what the other gateways must know. */
  handle(session: S, request: Request, body: unknown): Promise<Response>
  /** Call it when a session is used: its record must not expire. */
  renew(session: S): void
  /** Call it when the session ends at this gateway. */
  forget(id: string): void
  close(): void
}

/** `createHandover` with the store of this gateway. */
export type CreateHandover = <S extends HandedSession>(idleMs: number, local: LocalSessions<S>) => Handover<S>

export function createHandover<S extends HandedSession>(
  store: Store,
  idleMs: number,
  local: LocalSessions<S>,
): Handover<S> {
  const resuming = new Map<string, Promise<S | undefined>>()
  const shared = shareSessions(store, idleMs, {
    isOpen: (id) => local.sessions.has(id),
    onMessage(id, message) {
      const session = local.sessions.get(id)
      if (session === undefined) return
      if (!isLevelRequest(message)) return void receive(session, message).catch(() => {})
      // The other gateway has checked the level.
      session.interest.setLevel(String(message.params.level) as LogLevel).catch(() => {})
      recordLevel(id, session.interest)
    },
    onEnd(id) {
      const session = local.sessions.get(id)
      if (session !== undefined) local.end(session)
    },
  })

  /** Gives a message to the session as if the client had sent it here. */
  const receive = async (session: S, message: unknown): Promise<void> => {
    const response = await local.answer(session, postOf(message, session.id), message)
    // The stream of an answer ends when the answer is complete.
    await response.text()
  }
  /** Records the log level of the client. Undefined if the session is not shared. */
  const recordLevel = (id: string, { level }: ClientInterest): SharedSession | undefined =>
    shared.change(id, (record) => ({ ...record, ...defined({ level }) }))

  /** Brings a new session of this gateway into the recorded state. */
  const replay = async (session: S, record: SharedSession) => {
    const initialize = { jsonrpc: '2.0', id: 'resumed', method: 'initialize', params: record.initialize }
    const response = await session.transport.handleRequest(postOf(initialize), { parsedBody: initialize })
    await response.text()
    await receive(session, { jsonrpc: '2.0', method: 'notifications/initialized' })
    shared.keep(session.id, record)
    // A gateway has checked the level.
    if (record.level !== undefined) await session.interest.setLevel(record.level as LogLevel)
  }
  const resumeOnce = async (id: string, identity: Identity): Promise<S | undefined> => {
    const find = () => shared.find(id, identity.principal, rightsKey(identity.rights))
    const record = await find()
    if (record === undefined) return undefined
    const session = await local.start(identity, id)
    if (session !== undefined) await replay(session, record)
    const resumed = local.sessions.get(id)
    // If another gateway ended the session during the replay, this gateway has ignored the message about it.
    if (resumed !== undefined && (await find()) === undefined) local.end(resumed)
    return local.sessions.get(id)
  }

  return {
    replica: shared.replica,
    numberRequests(server) {
      // The SDK has no option for the first id. The field is the id of the next request.
      if (typeof Reflect.get(server, '_requestMessageId') === 'number')
        Reflect.set(server, '_requestMessageId', shared.firstRequestId)
    },
    shareLevel: (id, interest) => ({
      ...interest,
      get level() {
        return interest.level
      },
      async setLevel(level) {
        await interest.setLevel(level)
        const changed = recordLevel(id, interest)
        if (changed === undefined) return
        const message: LevelRequest = { method: SET_LEVEL, params: { level } }
        await Promise.all([shared.save(id, changed), shared.passOn(id, message)])
      },
    }),
    async begin({ id, identity }, body) {
      if (!local.sessions.has(id) || !isRecord(body) || !isRecord(body.params)) return
      const { principal } = identity
      await shared.begin(id, { principal, rights: rightsKey(identity.rights), initialize: body.params })
    },
    resume: (id, identity) =>
      getOrMake(resuming, id, () => resumeOnce(id, identity).finally(() => resuming.delete(id))),
    async handle(session, request, body) {
      const { id } = session
      shared.renew(id)
      if (request.method === 'DELETE') await shared.end(id)
      const messages = (Array.isArray(body) ? body : [body]).filter(isRecord)
      const answersForOthers = messages.filter((message) => isAnswer(message) && !shared.isOwnRequest(message.id))
      const notifications = messages.filter((message) => typeof message.method === 'string' && message.id === undefined)
      for (const message of [...answersForOthers, ...notifications]) await shared.passOn(id, message)
      // If all messages are answers to requests of other gateways, this gateway has nothing else to do.
      if (messages.length > 0 && answersForOthers.length === messages.length) return new Response(null, { status: 202 })
      return local.answer(session, withoutForeignEvent(request, shared.replica), body)
    },
    renew: ({ id }) => shared.renew(id),
    forget: shared.forget,
    close: shared.close,
  }
}

function isAnswer(message: Readonly<Record<string, unknown>>): boolean {
  return message.method === undefined && message.id !== undefined
}

function postOf(message: unknown, sessionId?: string): Request {
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(sessionId === undefined ? {} : { 'mcp-session-id': sessionId }),
    },
    body: JSON.stringify(message),
  })
}

/** Only the gateway that sent an event keeps it. At any other gateway the stream begins again. */
function withoutForeignEvent(request: Request, replica: string): Request {
  const last = request.headers.get('last-event-id')
  if (last === null || last.startsWith(`${replica}-`)) return request
  const headers = new Headers(request.headers)
  headers.delete('last-event-id')
  return new Request(request.url, { method: request.method, headers, signal: request.signal })
}

const SET_LEVEL = 'logging/setLevel'

/** The request with which a client sets its log level, as one gateway passes it on to the others. */
interface LevelRequest {
  readonly method: typeof SET_LEVEL
  readonly params: Readonly<Record<string, unknown>>
}

function isLevelRequest(message: unknown): message is LevelRequest {
  return isRecord(message) && message.method === SET_LEVEL && isRecord(message.params)
}
