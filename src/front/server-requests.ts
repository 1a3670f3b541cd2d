// What can be asked of the client of a call (elicitation, sampling, roots), and how a client with a session is asked.

import { randomUUID } from 'node:crypto'
import { CLIENT_CAPABILITIES_META_KEY, type Server, type StandardSchemaV1 } from '@modelcontextprotocol/server'
import type { CommandContext, ServerRequest } from '../core/call.ts'
import { isRecord } from '../core/schema.ts'
import type { CallContext } from './call-context.ts'

export type Capabilities = Readonly<Record<string, unknown>>
export type Answer = Readonly<Record<string, unknown>>
export type AskClient = NonNullable<CommandContext['onServerRequest']>

/** How long an answer may take: a person may have to think first, and may have left. */
export const ANSWER_MS = 5 * 60_000

/** What the client of this request has declared that it can do: with the request itself or, before that, once for all. */
export function capabilitiesOf(server: Server, { mcpReq }: CallContext): Capabilities | undefined {
  const envelope: unknown = mcpReq.envelope
  const declared = isRecord(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined
  return isRecord(declared) ? declared : server.getClientCapabilities()
}

/** Whether there is anything at all that this client answers. */
export function canBeAsked(capabilities: Capabilities = {}): boolean {
  return ['elicitation', 'sampling', 'roots'].some((name) => isRecord(capabilities[name]))
}

/** Whether a client that has declared this much answers this request. */
export function canAnswer({ method, params }: ServerRequest, capabilities: Capabilities = {}): boolean {
  const declared = capabilities[method.split('/', 1)[0] ?? '']
  if (!isRecord(declared)) return false
  if (method === 'elicitation/create') {
    // Before there were two modes, there was the form.
    return params.mode === 'url' ? isRecord(declared.url) : isRecord(declared.form) || !isRecord(declared.url)
  }
  const needsTools = method === 'sampling/createMessage' && (params.tools ?? params.toolChoice) !== undefined
  return !needsTools || isRecord(declared.tools)
}

/** The request as it goes on: a token for progress means something only where it was made. */
export function forClient({ method, params }: ServerRequest): ServerRequest {
  if (!isRecord(params._meta) || !Object.hasOwn(params._meta, 'progressToken')) return { method, params }
  const { progressToken: _token, ..._meta } = params._meta
  return { method, params: { ...params, _meta } }
}

/** Asks with a request of our own, on the stream of the call. `before` settles when all that was said earlier is sent. */
export function askOverSession(
  { mcpReq }: CallContext,
  capabilities: Capabilities | undefined,
  before: () => Promise<void>,
): AskClient {
  return async (request, signal) => {
    if (!canAnswer(request, capabilities))
      throw new Error(`The client has not declared that it answers ${request.method}`)
    const { method, params } = forClient(request)
    await before()
    const isUrl = method === 'elicitation/create' && params.mode === 'url'
    return mcpReq.send(
      // The modern protocol has no ids for these, the legacy one no requests without.
      { method, params: { ...(isUrl ? { elicitationId: randomUUID() } : {}), ...params } },
      anything,
      { signal, timeout: ANSWER_MS },
    )
  }
}

/** What a client answers is for the server to judge that asked. */
const anything: StandardSchemaV1<unknown, Answer> = {
  '~standard': { version: 1, vendor: 'toolcrib', validate: (value) => ({ value: isRecord(value) ? value : {} }) },
}
