// The HTTP front door: checks every request, then passes it to the handler of its protocol era.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressOptions } from '../config/http-address.ts'
import { raise } from '../core/errors.ts'
import { isLoopback } from '../core/is-loopback.ts'
import { parseJson } from '../core/parse-json.ts'
import { createAccessLog } from './access-log.ts'
import { createActivity } from './activity.ts'
import { addressFor } from './address.ts'
import { type Identity, isRefused } from './auth.ts'
import { createDoorLogin } from './door-login.ts'
import { type DrainOptions, drain, settles } from './drain.ts'
import { openHttpEras } from './http-eras.ts'
import { createHeadCheck } from './http-head.ts'
import type { HttpDoor, HttpOptions } from './http-options.ts'
import { isPlainPost, parseBody } from './http-request.ts'
import { createInspectorDoor } from './inspector-door.ts'
import { type Answer, goneSignal, headOf, isTooLarge, listen, readRequest, readText, writeAnswer } from './node-http.ts'
import { createOpenResponses } from './open-responses.ts'
import { protocolError } from './refusal.ts'
import { createRequestChecks } from './request-checks.ts'
import { pathsBelow } from './routes.ts'
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
  const { activity, onError } = options
  const openResponses = createOpenResponses()
  const logins = createDoorLogin(options, path.mcp)
  const inspector = createInspectorDoor({ inspector: options.inspector, basePath, mcpPath: path.mcp, onError })
  let stopping = false
  const isStopping = () => stopping
  const eras = await openHttpEras({ front: options, maxBodyBytes, maxSessions, sessionIdleMs, isStopping })
  const checkHead = createHeadCheck({ door: options, path, logins, inspector, accessLog, isStopping })

  /** Records the caller of a request, and closes the response when its token expires. */
  const admit = (identity: Identity, incoming: IncomingMessage, outgoing: ServerResponse) => {
    openResponses.add(identity, outgoing)
    accessLog?.identify(incoming, identity.principal)
  }
  /**
   * The fast path: answers a plain JSON-RPC POST after all checks. Undefined for other requests and for refused ones, which
   * `answerOther` answers.
   */
  const answerPost = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<Answer | undefined> => {
    if (!isPlainPost(incoming, path.mcp) || stopping) return undefined
    if (!checks.admits(checks.hostsOf(incoming))) return undefined
    const identity = await logins.authenticate(incoming.headers.authorization ?? null)
    if (isRefused(identity)) return undefined
    admit(identity, incoming, outgoing)
    const signal = goneSignal(outgoing)
    const text = await readText(incoming, maxBodyBytes)
    // Undefined for malformed JSON: the SDK then answers with the protocol error.
    const body = parseJson(text)
    accessLog?.describe(incoming, body)
    return eras.servePost({ incoming, outgoing, text, body, signal }, identity)
  }
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<Answer> => {
    try {
      const posted = await answerPost(incoming, outgoing)
      if (posted !== undefined) return posted
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
      const checked = await checkHead({ incoming, head, hosts }, checks)
      if (checked instanceof Response) return cors.decorate(head, checked)
      admit(checked, incoming, outgoing)
      const request = await readRequest(incoming, signal, maxBodyBytes)
      const body = request.method === 'POST' ? await parseBody(request) : undefined
      accessLog?.describe(incoming, body)
      const answered = inspector.answer(request, body, checked) ?? eras.serve(request, body, checked, outgoing)
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
    eras.stopNotifying()
    await eras.close()
    throw error
  })
  server.on('error', onError)

  const close = async (drainMs: number, options: Omit<DrainOptions, 'drainMs'>) => {
    const startedAt = performance.now()
    stopping = true
    activity.refuseCalls()
    eras.stopNotifying()
    unwatch()
    await inspector.close()
    await drain(activity, activity.idle(), { ...options, drainMs })
    server.close()
    server.closeIdleConnections()
    await eras.close()
    const restMs = Math.max(LAST_RESPONSE_MS, drainMs - (performance.now() - startedAt))
    await settles(writing.idle(), restMs, options.hurry)
    server.closeAllConnections()
  }
  let closing: Promise<void> | undefined
  return {
    port: boundPort,
    get sessions() {
      return eras.sessions
    },
    readdress(http) {
      checks = checksFor(http)
    },
    dismiss(principal) {
      eras.dismiss(principal)
      openResponses.dismiss(principal)
    },
    close(drainMs, given = {}) {
      closing ??= close(drainMs, given)
      return closing
    },
  }
}
