// The SDK's Server with additions: it tracks requests, its errors name the invalid parameter, and calls can bypass it.

import {
  type Implementation,
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
  type ServerOptions,
  type SpecTypeName,
  type StandardSchemaV1,
  specTypeSchemas,
} from '@modelcontextprotocol/server'
import type { z } from 'zod'
import type { StopSignal } from '../core/stop-signal.ts'
import { issuesOf } from '../core/validate.ts'
import type { Activity } from './activity.ts'
import { type AnswerCall, type CallContext, trackRequest } from './run-call.ts'

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>

/** The names of the schemas of parameters. The SDK creates a schema when it is first used. */
const PARAM_SCHEMAS: Readonly<Record<string, SpecTypeName>> = {
  'completion/complete': 'CompleteRequestParams',
  'logging/setLevel': 'SetLevelRequestParams',
  'prompts/get': 'GetPromptRequestParams',
  'prompts/list': 'PaginatedRequestParams',
  'resources/list': 'PaginatedRequestParams',
  'resources/read': 'ReadResourceRequestParams',
  'resources/subscribe': 'SubscribeRequestParams',
  'resources/templates/list': 'PaginatedRequestParams',
  'resources/unsubscribe': 'UnsubscribeRequestParams',
  'tools/call': 'CallToolRequestParams',
  'tools/list': 'PaginatedRequestParams',
}

export class PlainServer extends Server {
  /** Answers a call that bypasses the SDK. Undefined if the server offers no tools. */
  answerCall?: AnswerCall
  readonly #activity: Activity

  constructor(identity: Implementation, options: ServerOptions, activity: Activity) {
    super(identity, options)
    this.#activity = activity
  }

  /** Like the SDK, sends only messages of the level that the client has set or above. */
  log(request: DirectRequest, ...message: Parameters<ServerContext['mcpReq']['log']>): Promise<void> {
    // The method of the SDK reads nothing else of the context.
    const base = { mcpReq: request } as unknown as Parameters<Server['buildContext']>[0]
    return this.buildContext(base).mcpReq.log(...message)
  }

  /** The base class also calls this in its constructor, before `#activity` is set. The handlers run later. */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const answer = super._wrapHandler(method, handler)
    const answerOrExplain: Handler = async (request, context) => {
      try {
        return await answer(request, context)
      } catch (error) {
        // Validated again only after an error: nearly all requests are valid, and the SDK has already checked them.
        throw (await explainInvalidParams(method, request.params ?? {})) ?? error
      }
    }
    return (request, context) => this.#track(answerOrExplain, request, context)
  }

  /**
   * The handler gets a signal that also aborts when the server stops waiting for it. The SDK's own signal cannot be
   * used for that: the SDK does not answer a request after its signal has aborted.
   */
  #track(answer: Handler, request: JSONRPCRequest, given: ServerContext): Promise<Result> {
    const stopping = new AbortController()
    const { signal } = given.mcpReq
    const follow = () => stopping.abort(signal.reason)
    if (signal.aborted) follow()
    else signal.addEventListener('abort', follow, { once: true })
    const context: ServerContext & CallContext = { ...given, mcpReq: { ...given.mcpReq, signal: stopping.signal } }
    const answered = answer(request, context).finally(() => signal.removeEventListener('abort', follow))
    const name = () => context.tool ?? nameOf(request)
    return trackRequest(this.#activity, answered, name, (reason) => stopping.abort(reason))
  }
}

/** The `mcpReq` of a request of a client with a session, if the request does not pass through the SDK. */
export class DirectRequest {
  readonly id: string | number
  readonly _meta: CallContext['mcpReq']['_meta']
  readonly envelope = undefined
  readonly inputResponses = undefined
  readonly signal: StopSignal
  readonly #server: PlainServer

  constructor(server: PlainServer, { id, params }: JSONRPCRequest, signal: StopSignal) {
    this.#server = server
    this.id = id
    this._meta = params?._meta
    this.signal = signal
  }

  requestState(): undefined {
    return undefined
  }

  notify(notification: Parameters<Server['notification']>[0]): Promise<void> {
    return this.#server.notification(notification, { relatedRequestId: this.id })
  }

  /** The SDK's `send` has a second form without a schema. Our code does not use it. */
  send(request: never, schema: never, options: object): Promise<never> {
    return this.#server.request(request, schema, { ...options, relatedRequestId: this.id })
  }

  log(...message: Parameters<ServerContext['mcpReq']['log']>): Promise<void> {
    return this.#server.log(this, ...message)
  }
}

function nameOf({ method, params }: JSONRPCRequest): string {
  return method === 'tools/call' && typeof params?.name === 'string' ? params.name : method
}

/** Returns an error that names the invalid parameters. Undefined if they are valid, or if the method is unknown. */
async function explainInvalidParams(method: string, params: object): Promise<ProtocolError | undefined> {
  const name = Object.hasOwn(PARAM_SCHEMAS, method) ? PARAM_SCHEMAS[method] : undefined
  if (name === undefined) return undefined
  const schema: StandardSchemaV1 = specTypeSchemas[name]
  const { issues } = await schema['~standard'].validate(params)
  if (issues === undefined) return undefined
  // The SDK's schemas are zod schemas, so their issues are zod issues.
  const reasons = issuesOf(issues as readonly z.core.$ZodIssue[], params).map(({ message }) => message)
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params for ${method}: ${reasons.join('; ')}`)
}
