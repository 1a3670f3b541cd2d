// Answers one HTTP request: checks it, then passes it to the inspector or to the handler of its protocol era.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseJson } from '../core/json.ts'
import type { AccessLog } from './access-log.ts'
import { type Identity, isRefused } from './auth.ts'
import { type DoorLogin, type OpenResponses, senderOf } from './door-login.ts'
import type { FrontOptions } from './front-options.ts'
import type { HttpEras } from './http-eras.ts'
import { type InspectorDoor, withDataHeaders } from './inspector-door.ts'
import { type Answer, goneSignal, headOf, isTooLarge, readText, requestOf } from './node-http.ts'
import { protocolError } from './refusal.ts'
import type { RequestChecks } from './request-checks.ts'

/** The page at /metrics. */
export interface MetricsPage {
  readonly isPublic: boolean
  admits(identity: Identity): boolean
  respond(): Promise<Response>
}

/** `basePath` is empty or a path such as `/tools`. */
export function pathsBelow(basePath: string) {
  const at = (name: string) => `${basePath}/${name}`
  return { mcp: at('mcp'), health: at('health'), ready: at('ready'), metrics: at('metrics') }
}

interface HttpAnswerOptions {
  readonly door: Pick<FrontOptions, 'onError' | 'shared' | 'degraded'> & { readonly metrics?: MetricsPage | undefined }
  readonly path: ReturnType<typeof pathsBelow>
  readonly maxBodyBytes: number
  readonly logins: DoorLogin
  readonly inspector: InspectorDoor
  readonly eras: Pick<HttpEras, 'serve' | 'servePost'>
  readonly openResponses: Pick<OpenResponses, 'add'>
  readonly accessLog: AccessLog | undefined
  /** The checks for the address in effect. */
  checks(): RequestChecks
  isStopping(): boolean
}

/** A request without its body. */
interface RequestHead {
  readonly incoming: IncomingMessage
  readonly head: Request
  /** Every host that the request names; see `RequestChecks.hostsOf`. */
  readonly hosts: readonly string[] | undefined
}

export function createHttpAnswer(
  options: HttpAnswerOptions,
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<Answer> {
  const { maxBodyBytes, path, logins, inspector, eras, openResponses, accessLog, isStopping } = options
  const { onError } = options.door
  const checkHead = createHeadCheck(options)

  /** Records the caller of a request, and closes the response when the token of the caller expires. */
  const admit = (identity: Identity, incoming: IncomingMessage, outgoing: ServerResponse) => {
    openResponses.add(identity, outgoing)
    accessLog?.identify(incoming, identity.principal)
  }
  /** Undefined for malformed JSON: the SDK then answers with the protocol error. */
  const parseBody = (incoming: IncomingMessage, text: string): unknown => {
    const body = parseJson(text)
    accessLog?.describe(incoming, body)
    return body
  }
  /**
   * The fast path: answers a plain JSON-RPC POST after all checks. Undefined for other requests and for refused ones,
   * which `answerOther` answers.
   */
  const answerPost = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<Answer | undefined> => {
    if (!isPlainPost(incoming, path.mcp) || isStopping()) return undefined
    const checks = options.checks()
    if (!checks.admits(checks.hostsOf(incoming))) return undefined
    const identity = await logins.authenticate(incoming.headers.authorization ?? null)
    if (isRefused(identity)) return undefined
    admit(identity, incoming, outgoing)
    const signal = goneSignal(outgoing)
    const text = await readText(incoming, maxBodyBytes)
    return eras.servePost({ incoming, outgoing, text, body: parseBody(incoming, text), signal }, identity)
  }
  const toErrorResponse = (error: unknown): Response => {
    if (isTooLarge(error)) return protocolError(413, -32000, error.message, { connection: 'close' })
    onError(error instanceof Error ? error : new Error(String(error)))
    return protocolError(500, -32603, 'Internal server error')
  }
  const answerOther = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<Response> => {
    const signal = goneSignal(outgoing)
    const checks = options.checks()
    // Read first: `headOf` reduces an absolute target to its path.
    const hosts = checks.hostsOf(incoming)
    const head = headOf(incoming)
    if (head === undefined) {
      return (
        checks.refuse(hosts, null) ??
        protocolError(405, -32000, 'A request with this method or target cannot be answered.')
      )
    }
    const { cors } = checks
    try {
      const checked = await checkHead({ incoming, head, hosts }, checks)
      if (checked instanceof Response) return cors.decorate(head, checked)
      admit(checked, incoming, outgoing)
      const text = head.method === 'GET' || head.method === 'HEAD' ? '' : await readText(incoming, maxBodyBytes)
      const request = requestOf(incoming, text, signal)
      const body = request.method === 'POST' ? parseBody(incoming, text) : undefined
      const answered = inspector.answer(request, body, checked) ?? eras.serve(request, body, checked, outgoing)
      return cors.decorate(head, await answered)
    } catch (error) {
      return cors.decorate(head, toErrorResponse(error))
    }
  }

  return async (incoming, outgoing) => {
    try {
      const posted = await answerPost(incoming, outgoing)
      if (posted !== undefined) return posted
    } catch (error) {
      return { response: toErrorResponse(error) }
    }
    return { response: await answerOther(incoming, outgoing) }
  }
}

/** True for a POST of JSON to this path without an Origin, from a client that accepts both JSON and an event stream. */
function isPlainPost({ method, url, headers }: IncomingMessage, path: string): boolean {
  const { accept = '', origin, 'content-type': type = '' } = headers
  return (
    method === 'POST' &&
    url === path &&
    origin === undefined &&
    /^application\/json(?: *;.*)?$/i.test(type) &&
    accept.includes('application/json') &&
    accept.includes('text/event-stream')
  )
}

/**
 * Creates the check of a request, which runs before the body is read. The check returns a response if it refuses or
 * answers the request, else the identity of the sender.
 */
function createHeadCheck({ door, path, logins, inspector, accessLog, isStopping }: HttpAnswerOptions) {
  /** Answers or refuses a request without checking its login. Undefined for other requests. */
  const answerWithoutLogin = ({ head, hosts, incoming }: RequestHead, pathname: string, checks: RequestChecks) => {
    // Probes of a load balancer use any host, and their answers contain only the state of this server.
    if (head.method !== 'OPTIONS') {
      if (pathname === path.health) return Response.json({ status: 'ok' })
      if (pathname === path.ready) return readiness(door, isStopping())
    }
    return (
      checks.refuse(hosts, head.headers.get('origin')) ??
      checks.cors.preflight(head) ??
      logins.document(pathname, senderOf(incoming, checks.proxies)) ??
      inspector.page(head.method, pathname)
    )
  }
  return async (request: RequestHead, checks: RequestChecks): Promise<Response | Identity> => {
    const { head, incoming } = request
    const { pathname } = new URL(head.url)
    const early = answerWithoutLogin(request, pathname, checks)
    if (early !== undefined) return early
    const isData = inspector.hasData(pathname)
    const metrics = pathname === path.metrics ? door.metrics : undefined
    if (metrics?.isPublic === true) return metrics.respond()
    if (pathname !== path.mcp && metrics === undefined && !isData)
      return new Response(`Not found. MCP is at ${path.mcp}.\n`, { status: 404 })
    const sender = senderOf(incoming, checks.proxies)
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
}

/**
 * The answer of `/ready`. A gateway that cannot reach its store, or has another config than the other gateways, stays
 * ready and says that it is degraded: if it were not ready, an outage of Redis would take all gateways out of service.
 */
function readiness({ shared, degraded: more }: HttpAnswerOptions['door'], isStopping: boolean): Response {
  if (isStopping) return Response.json({ status: 'stopping' }, { status: 503 })
  const degraded = [...(shared?.isDegraded?.() === true ? ['store'] : []), ...(more?.() ?? [])]
  return Response.json({ status: 'ready', ...(degraded.length === 0 ? {} : { degraded }) })
}
