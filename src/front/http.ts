// The HTTP front door: checks every request, then passes it to the handler of its protocol era.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server'
import type { AddressOptions } from '../config/http-address.ts'
import { raise } from '../core/errors.ts'
import { createAccessLog } from './access-log.ts'
import { createActivity } from './activity.ts'
import { addressFor } from './address.ts'
import { httpCaller, type Identity, identityIn, isRefused } from './auth.ts'
import { MAX_WATCHED } from './client-interest.ts'
import { createDoorLogin, senderOf } from './door-login.ts'
import { type DrainOptions, drain, settles } from './drain.ts'
import { withOwnFeatures } from './features.ts'
import { joinFleet } from './fleet.ts'
import { withDoor } from './front-options.ts'
import type { HttpDoor, HttpOptions } from './http-options.ts'
import {
  isEventStream,
  isFollowUp,
  isListenRequest,
  isLoopback,
  isModernCall,
  isPlainPost,
  parseBody,
  parseText,
} from './http-request.ts'
import { createInspectorDoor, withDataHeaders } from './inspector-door.ts'
import { createLegacySessions } from './legacy-sessions.ts'
import { watchedIn } from './listen-requests.ts'
import { createModernCalls } from './modern-calls.ts'
import {
  type Answer,
  goneSignal,
  headerReader,
  headOf,
  isTooLarge,
  listen,
  readRequest,
  readText,
  requestOf,
  writeAnswer,
} from './node-http.ts'
import { notifySubscribers } from './notify-clients.ts'
import { createOpenResponses } from './open-responses.ts'
import { findHeaderMismatch } from './param-headers.ts'
import { createProtocolServer, identityOf } from './protocol-server.ts'
import { protocolError, refusal } from './refusal.ts'
import { createRequestChecks } from './request-checks.ts'
import { answerProbe, pathsBelow } from './routes.ts'
import { createSubscribers } from './subscribers.ts'
import { createWatches } from './watches.ts'
import { createWebServer } from './web-server.ts'

/** The minimum time that a client has to read its last response before its connection is closed. */
const LAST_RESPONSE_MS = 1_000

export async function serveHttp(options: HttpOptions): Promise<HttpDoor> {
  const { host, port, auth, maxBodyBytes = 4 * 1024 * 1024, maxSessions = 1_000, sessionIdleMs = 30 * 60_000 } = options
  if (auth === undefined && !isLoopback(host)) raise('AUTH_REQUIRED', { host })
  const checksFor = (http: AddressOptions | undefined) =>
    createRequestChecks({ host, cors: options.cors, address: addressFor(http, auth !== undefined) })
  let checks = checksFor(options.http)
  const { basePath, tls } = addressFor(options.http, auth !== undefined)
  const { onAccess } = options
  const accessLog = onAccess === undefined ? undefined : createAccessLog(() => checks.proxies, onAccess)
  const path = pathsBelow(basePath)
  const { crib, activity, features, identity, onError, shared } = options
  const { parked, fleet, handover } = await joinFleet(shared, activity)
  const subscribers = createSubscribers(options)
  const watches = createWatches(features, onError)
  const openResponses = createOpenResponses()
  const front = withDoor(options, { parked, fleet, onToolsChanged: subscribers.toolsChanged })
  const logins = createDoorLogin(options, path.mcp)
  const inspector = createInspectorDoor({ inspector: options.inspector, basePath, mcpPath: path.mcp, onError })

  const sessionOptions = { ...handover, maxSessions, idleMs: sessionIdleMs, maxBodyBytes }
  const legacy = createLegacySessions({ ...front, ...sessionOptions })
  const modern = createMcpHandler(
    ({ authInfo }) => {
      const caller = httpCaller(identityIn(authInfo), 'modern')
      return createProtocolServer(withOwnFeatures(front, caller.rights), caller)
    },
    { legacy: 'reject', onerror: onError, maxRequestBodySize: maxBodyBytes, bus: subscribers.bus },
  )
  const modernCalls = createModernCalls(front, identity ?? identityOf(crib))
  let isStopping = false

  /** Runs before the body is read. Returns the response if the request is refused or needs no body, else its identity. */
  const checkHead = async (head: Request, hosts: Hosts, incoming: IncomingMessage): Promise<Response | Identity> => {
    const { pathname } = new URL(head.url)
    // Probes of a load balancer use any host, and their answers contain only the state of this server.
    const probeAnswer = head.method === 'OPTIONS' ? undefined : answerProbe(path, pathname, { ...options, isStopping })
    if (probeAnswer !== undefined) return probeAnswer
    const early = checks.refuse(hosts, head.headers.get('origin')) ?? checks.cors.preflight(head)
    if (early !== undefined) return early
    const sender = senderOf(incoming, checks.proxies)
    const document = logins.document(pathname, sender)
    if (document !== undefined) return document
    const page = inspector.page(head.method, pathname)
    if (page !== undefined) return page
    const isData = inspector.hasData(pathname)
    const metrics = pathname === path.metrics ? options.metrics : undefined
    if (metrics?.isPublic === true) return metrics.respond()
    if (pathname !== path.mcp && metrics === undefined && !isData)
      return new Response(`Not found. MCP is at ${path.mcp}.\n`, { status: 404 })
    const login = await logins.authenticate(head.headers.get('authorization'))
    if (isRefused(login)) {
      accessLog?.refuse(incoming, login.refused)
      const answer = logins.refuse(login, sender)
      return isData ? withDataHeaders(answer) : answer
    }
    if (metrics === undefined) return login
    accessLog?.identify(incoming, login.principal)
    if (metrics.admits(login)) return metrics.respond()
    accessLog?.refuse(incoming, 'insufficient-scope')
    return logins.refuse({ refused: 'insufficient-scope' }, sender, login.principal)
  }
  /** Passes a request with a valid login to the handler of its protocol era. */
  const serve = async (
    request: Request,
    body: unknown,
    identity: Identity,
    outgoing: ServerResponse,
  ): Promise<Response> => {
    if (isStopping && request.method === 'POST' && !isFollowUp(body, parked)) {
      return refusal(503, 'SHUTTING_DOWN', {}, { 'retry-after': '1' })
    }
    if (!isModernCall(body, request.headers.get('mcp-protocol-version'))) {
      const isLegacy = await isLegacyRequest(request, body, { maxRequestBodySize: maxBodyBytes })
      if (isLegacy) return legacy.handle(request, body, identity)
    }
    const { principal, rights } = identity
    const reason = await findHeaderMismatch(crib, body, httpCaller(identity, 'modern'), request)
    if (reason !== undefined) return refusal(400, 'HEADER_MISMATCH', { reason })
    // Resources are not divided by server, so only a caller with all rights can subscribe to them.
    const uris = rights === undefined ? watchedIn(body) : []
    if (!watches.admits(principal, uris)) {
      return protocolError(400, -32602, `A client watches at most ${MAX_WATCHED} resources`)
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
  /** Records the caller of a request, and closes the response when its token expires. */
  const admit = (identity: Identity, incoming: IncomingMessage, outgoing: ServerResponse) => {
    openResponses.add(identity, outgoing)
    accessLog?.identify(incoming, identity.principal)
  }
  /**
   * The fast path: answers a plain JSON-RPC POST after all checks, with as few web Request objects as possible. Undefined
   * for other requests and for refused ones, which `answerOther` answers.
   */
  const answerCall = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<Answer | undefined> => {
    const { headers } = incoming
    const sessionId = headers['mcp-session-id']
    if (!isPlainPost(incoming, path.mcp) || isStopping) return undefined
    if (!checks.admits(checks.hostsOf(incoming))) return undefined
    const identity = await logins.authenticate(headers.authorization ?? null)
    if (isRefused(identity)) return undefined
    admit(identity, incoming, outgoing)
    const signal = goneSignal(outgoing)
    const text = await readText(incoming, maxBodyBytes)
    const body = parseText(text)
    accessLog?.describe(incoming, body)
    const version = headers['mcp-protocol-version']
    const protocolVersion = typeof version === 'string' ? version : undefined
    // With a parsed body, the SDK does not read the body of the request.
    const request = () => requestOf(incoming, isModernCall(body, protocolVersion) ? undefined : text, signal)
    const serveOther = async () => ({ response: await serve(request(), body, identity, outgoing) })
    if (typeof sessionId !== 'string') {
      if (!isModernCall(body, protocolVersion)) return serveOther()
      const { 'mcp-method': method, 'mcp-name': name } = headers
      const runModernCall = modernCalls.find(body, { identity, method, name })
      const given = { headers: headerReader(incoming), signal }
      const caller = httpCaller(identity, 'modern')
      if (runModernCall === undefined || (await findHeaderMismatch(crib, body, caller, given)) !== undefined)
        return serveOther()
      return runModernCall(signal)
    }
    const answered = legacy.call(body, { sessionId, protocolVersion }, identity, { signal, request })
    if (answered === undefined) return serveOther()
    const given = await answered
    return 'stream' in given ? { response: given.stream } : { json: given.json, sessionId, status: 200 }
  }
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<Answer> => {
    try {
      const call = await answerCall(incoming, outgoing)
      if (call !== undefined) return call
    } catch (error) {
      return { response: toErrorResponse(error) }
    }
    return { response: await answerOther(incoming, outgoing) }
  }
  const toErrorResponse = (error: unknown): Response => {
    if (isTooLarge(error)) return protocolError(413, -32000, error.message, { connection: 'close' })
    onError(error instanceof Error ? error : new Error(String(error)))
    return protocolError(500, -32603, 'Internal server error')
  }
  const answerOther = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<Response> => {
    const signal = goneSignal(outgoing)
    // Read first: `headOf` reduces an absolute target to its path.
    const hosts = checks.hostsOf(incoming)
    const head = headOf(incoming)
    if (head === undefined) {
      return checks.refuse(hosts, null) ?? protocolError(405, -32000, 'Not a request that can be answered here.')
    }
    const { cors } = checks
    try {
      const checked = await checkHead(head, hosts, incoming)
      if (checked instanceof Response) return cors.decorate(head, checked)
      admit(checked, incoming, outgoing)
      const request = await readRequest(incoming, signal, maxBodyBytes)
      const body = request.method === 'POST' ? await parseBody(request) : undefined
      accessLog?.describe(incoming, body)
      const answered = inspector.answer(request, body, checked) ?? serve(request, body, checked, outgoing)
      return cors.decorate(head, await answered)
    } catch (error) {
      return cors.decorate(head, toErrorResponse(error))
    }
  }

  /** The responses that are being written. */
  const writing = createActivity()
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (accessLog !== undefined && incoming.url !== path.health && incoming.url !== path.ready)
      accessLog.open(incoming, outgoing)
    answer(incoming, outgoing)
      .then((given) => writing.track(writeAnswer(given, outgoing)))
      .catch(onError)
  }
  const { server, unwatch } = await createWebServer(tls, handle, onError)
  const boundPort = await listen(server, host.replace(/^\[(.*)\]$/, '$1'), port).catch(async (error) => {
    unwatch()
    await legacy.close()
    throw error
  })
  server.on('error', onError)
  const stopNotifying = notifySubscribers(modern.notify, front)

  const close = async (drainMs: number, options: Omit<DrainOptions, 'drainMs'>) => {
    const startedAt = performance.now()
    isStopping = true
    activity.refuseCalls()
    stopNotifying()
    unwatch()
    subscribers.stop()
    await inspector.close()
    await drain(activity, activity.idle(), { ...options, drainMs })
    server.close()
    server.closeIdleConnections()
    parked.close()
    fleet?.close()
    // A call that has just ended still has to pass its answer to its transport.
    await new Promise((resolve) => setImmediate(resolve))
    await Promise.allSettled([legacy.close(), modern.close()])
    const restMs = Math.max(LAST_RESPONSE_MS, drainMs - (performance.now() - startedAt))
    await settles(writing.idle(), restMs, options.hurry)
    server.closeAllConnections()
  }
  let closing: Promise<void> | undefined
  return {
    port: boundPort,
    get sessions() {
      return legacy.size
    },
    readdress(http) {
      checks = checksFor(http)
    },
    dismiss(principal) {
      legacy.dismiss(principal)
      parked.dismiss(principal)
      openResponses.dismiss(principal)
    },
    close(drainMs, given = {}) {
      closing ??= close(drainMs, given)
      return closing
    },
  }
}

type Hosts = readonly string[] | undefined
