// Requests from a server to the client of a call (elicitation, sampling, roots).

import { randomUUID } from 'node:crypto'
import { CLIENT_CAPABILITIES_META_KEY, type Server, type StandardSchemaV1 } from '@modelcontextprotocol/server'
import type { CommandContext, ServerRequest } from '../core/call.ts'
import { isRecord } from '../core/is-record.ts'
import type { CallContext } from './run-call.ts'

export type Capabilities = Readonly<Record<string, unknown>>
export type ClientAnswer = Readonly<Record<string, unknown>>
export type AskClient = NonNullable<CommandContext['onServerRequest']>

/** The timeout of an answer: a person may have to think, or may be away. */
export const ANSWER_MS = 5 * 60_000

/** The capabilities that the client declared: in this request (modern), or in `initialize` (legacy). */
export function capabilitiesOf(server: Server, { mcpReq }: CallContext): Capabilities | undefined {
  const envelope: unknown = mcpReq.envelope
  const declared = isRecord(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined
  return isRecord(declared) ? declared : server.getClientCapabilities()
}

/** True if the client supports at least one kind of request from a server. */
export function canBeAsked(capabilities: Capabilities = {}): boolean {
  return isRecord(capabilities.elicitation) || isRecord(capabilities.sampling) || isRecord(capabilities.roots)
}

/** True if a client with these capabilities supports this request. */
export function canAnswer({ method, params }: ServerRequest, capabilities: Capabilities = {}): boolean {
  const declared = capabilities[method.split('/', 1)[0] ?? '']
  if (!isRecord(declared)) return false
  if (method === 'elicitation/create') {
    // Before there were two modes, an elicitation was always a form.
    return params.mode === 'url' ? isRecord(declared.url) : isRecord(declared.form) || !isRecord(declared.url)
  }
  const needsTools = method === 'sampling/createMessage' && (params.tools ?? params.toolChoice) !== undefined
  return !needsTools || isRecord(declared.tools)
}

/** Removes the progress token, which is valid only on the connection where it was made. */
export function withoutProgressToken({ method, params }: ServerRequest): ServerRequest {
  if (!isRecord(params._meta) || !Object.hasOwn(params._meta, 'progressToken')) return { method, params }
  const { progressToken: _token, ..._meta } = params._meta
  return { method, params: { ...params, _meta } }
}

/** Returns a function that sends requests on the stream of the call, after the earlier messages of the call. */
export function askOverSession(
  { mcpReq }: CallContext,
  capabilities: Capabilities | undefined,
  earlierSent: () => Promise<void>,
): AskClient {
  return async (request, signal) => {
    if (!canAnswer(request, capabilities))
      throw new Error(`The client has not declared that it supports this kind of ${request.method}`)
    const { method, params } = withoutProgressToken(request)
    await earlierSent()
    const isUrl = method === 'elicitation/create' && params.mode === 'url'
    return mcpReq.send(
      // The modern protocol has no ids for URL requests. The legacy protocol requires them.
      { method, params: { ...(isUrl ? { elicitationId: randomUUID() } : {}), ...params } },
      anything,
      { signal, timeout: ANSWER_MS },
    )
  }
}

/** Accepts any answer: the asking server checks it. */
const anything: StandardSchemaV1<unknown, ClientAnswer> = {
  '~standard': { version: 1, vendor: 'toolcrib', validate: (value) => ({ value: isRecord(value) ? value : {} }) },
}
