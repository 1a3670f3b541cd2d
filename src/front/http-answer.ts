// Answers one HTTP request: checks it, then passes it to the inspector or to the handler of its protocol era.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseJson } from '../core/json.ts'
import { type Identity, isRefused } from './auth.ts'
import type { HttpEras } from './http-eras.ts'
import { createHeadCheck, type HeadCheckOptions } from './http-head.ts'
import type { HttpOptions } from './http-options.ts'
import { isPlainPost, parseBody } from './http-request.ts'
import { type Answer, goneSignal, headOf, isTooLarge, readRequest, readText } from './node-http.ts'
import type { OpenResponses } from './open-responses.ts'
import { protocolError } from './refusal.ts'
import type { RequestChecks } from './request-checks.ts'

interface HttpAnswerOptions extends HeadCheckOptions {
  readonly door: HeadCheckOptions['door'] & Pick<HttpOptions, 'onError'>
  readonly maxBodyBytes: number
  readonly eras: Pick<HttpEras, 'serve' | 'servePost'>
  readonly openResponses: Pick<OpenResponses, 'add'>
  /** The checks for the address in effect. */
  checks(): RequestChecks
}

export function createHttpAnswer(
  options: HttpAnswerOptions,
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<Answer> {
  const { maxBodyBytes, path, logins, inspector, eras, openResponses, accessLog, checks: currentChecks } = options
  const { isStopping } = options
  const { onError } = options.door
  const checkHead = createHeadCheck(options)

  /** Records the caller of a request, and closes the response when the token of the caller expires. */
  const admit = (identity: Identity, incoming: IncomingMessage, outgoing: ServerResponse) => {
    openResponses.add(identity, outgoing)
    accessLog?.identify(incoming, identity.principal)
  }
  /**
   * The fast path: answers a plain JSON-RPC POST after all checks. Undefined for other requests and for refused ones,
   * which `answerOther` answers.
   */
  const answerPost = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<Answer | undefined> => {
    if (!isPlainPost(incoming, path.mcp) || isStopping()) return undefined
    const checks = currentChecks()
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
  const toErrorResponse = (error: unknown): Response => {
    if (isTooLarge(error)) return protocolError(413, -32000, error.message, { connection: 'close' })
    onError(error instanceof Error ? error : new Error(String(error)))
    return protocolError(500, -32603, 'Internal server error')
  }
  const answerOther = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<Response> => {
    const signal = goneSignal(outgoing)
    const checks = currentChecks()
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
      const request = await readRequest(incoming, signal, maxBodyBytes)
      const body = request.method === 'POST' ? await parseBody(request) : undefined
      accessLog?.describe(incoming, body)
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
