// Answers plain calls of modern clients over HTTP without an SDK Server per request, which takes longer than the call.

import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Implementation,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server'
import { setNewest } from '../core/collections.ts'
import { isRecord } from '../core/is-record.ts'
import { hasSameRights } from '../core/rights.ts'
import { Stop } from '../core/stop-signal.ts'
import { createAnswerCall } from './answer-call.ts'
import { httpCaller, type Identity } from './auth.ts'
import { offersOf } from './features.ts'
import type { DoorOptions } from './front-options.ts'
import type { JsonAnswer } from './node-http.ts'
import { type AnswerCall, type Answered, type CallContext, type PlainCall, runCall, toRpcError } from './run-call.ts'

interface ModernCallRequest {
  readonly identity: Identity
  /** The `Mcp-Method` and `Mcp-Name` headers. */
  readonly method: unknown
  readonly name: unknown
}

/** Runs the call. `signal` aborts when the client hangs up. */
type RunModernCall = (signal: AbortSignal) => Promise<JsonAnswer>

interface ModernCalls {
  /**
   * Undefined if the SDK must answer: the message is not a plain call, or the SDK has not accepted its envelope yet.
   */
  find(body: unknown, request: ModernCallRequest): RunModernCall | undefined
  /** Call it when the SDK has answered a message of this identity with status 200. */
  accept(body: unknown, identity: Identity): void
}

/** A client that has sent a valid envelope. */
interface KnownClient {
  readonly identity: Identity
  readonly answerCall: AnswerCall
  readonly envelope: Readonly<Record<string, unknown>>
}

/** The keys of the envelope. A call with other keys, such as a progress token, may need a stream of the SDK. */
const ENVELOPE: readonly string[] = [PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY]
const FIELDS: readonly string[] = ['name', 'arguments', '_meta']
const MAX_CLIENTS = 1_000
/** The SDK answers calls with a longer envelope, so that the known envelopes need little memory. */
const MAX_KEY_LENGTH = 4_096

export function createModernCalls(front: DoorOptions, serverInfo: Implementation): ModernCalls {
  const known = new Map<string, KnownClient>()
  const hasTools = offersOf(front.features).has('tools')
  /** The end of each result: the two fields that the SDK adds. */
  const addedFields = `"resultType":"complete","_meta":${JSON.stringify({ [SERVER_INFO_META_KEY]: serverInfo })}}`

  const answer = async (call: PlainCall, { answerCall, envelope }: KnownClient, signal: AbortSignal) => {
    const { id } = call
    const stop = new Stop()
    const context: CallContext = { mcpReq: plainRequest(id, envelope, stop), tool: undefined }
    try {
      const running = { request: call, context, stop, connection: signal, activity: front.activity, answerCall }
      const result = encode(await runCall(running))
      return { json: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`, status: 200 }
    } catch (thrown) {
      const error = toRpcError(thrown)
      const isMissing = error.code === ProtocolErrorCode.MissingRequiredClientCapability
      return { json: JSON.stringify({ jsonrpc: '2.0', id, error }), status: isMissing ? 400 : 200 }
    }
  }
  /** The result with the two fields that the SDK adds. */
  const encode = ({ result, json }: Answered): string => {
    const { resultType, _meta } = result
    if (resultType === undefined && _meta === undefined) {
      const text = json ?? JSON.stringify(result)
      return text === '{}' ? `{${addedFields}` : `${text.slice(0, -1)},${addedFields}`
    }
    return JSON.stringify({
      ...result,
      resultType: resultType ?? 'complete',
      _meta: { [SERVER_INFO_META_KEY]: serverInfo, ...(isRecord(_meta) ? _meta : {}) },
    })
  }
  return {
    find(body, { identity, method, name }) {
      if (method !== 'tools/call' || !isPlainCall(body) || body.params.name !== name) return undefined
      const client = known.get(keyOf(body, identity))
      if (client === undefined || !hasSameRights(client.identity.rights, identity.rights)) return undefined
      return (signal) => answer(body, client, signal)
    },
    accept(body, identity) {
      if (!hasTools || !isPlainCall(body)) return
      const key = keyOf(body, identity)
      const before = known.get(key)
      if (key.length > MAX_KEY_LENGTH) return
      if (before !== undefined && hasSameRights(before.identity.rights, identity.rights)) return
      setNewest(known, key, knownClient(body, identity), MAX_CLIENTS)
    },
  }

  function knownClient({ params: { _meta: envelope = {} } }: PlainCall, identity: Identity): KnownClient {
    const declared = envelope[CLIENT_CAPABILITIES_META_KEY]
    const capabilities = isRecord(declared) ? declared : {}
    const caller = httpCaller(identity, 'modern')
    const withCapabilities = { ...caller, capabilities }
    const client = { capabilitiesIn: () => capabilities, callerWith: () => withCapabilities }
    return { answerCall: createAnswerCall(front, caller, client), envelope, identity }
  }
}

/** A call without a progress token, a log level or answers: its response is one JSON document. */
function isPlainCall(body: unknown): body is PlainCall {
  if (!isRecord(body) || body.jsonrpc !== '2.0' || body.method !== 'tools/call' || !isRecord(body.params)) return false
  if (typeof body.id !== 'string' && !Number.isSafeInteger(body.id)) return false
  const { params } = body
  for (const key in params) if (!FIELDS.includes(key)) return false
  const { name, arguments: args, _meta } = params
  if (typeof name !== 'string' || (args !== undefined && !isRecord(args)) || !isRecord(_meta)) return false
  for (const key in _meta) if (!ENVELOPE.includes(key)) return false
  return true
}

function keyOf({ params: { _meta } }: PlainCall, { principal }: Identity): string {
  return `${principal}\n${JSON.stringify(_meta)}`
}

/** The `mcpReq` of a plain call. It sends nothing before its answer. */
function plainRequest(id: string | number, envelope: KnownClient['envelope'], signal: Stop): CallContext['mcpReq'] {
  const mcpReq = {
    id,
    _meta: {},
    envelope,
    inputResponses: undefined,
    signal,
    requestState: () => undefined,
    log: async () => {},
    notify: async () => {},
    // A modern client gets questions in a response, not in requests.
    send: async () => Promise.reject(new Error('A modern client takes no requests')),
  }
  return mcpReq as unknown as CallContext['mcpReq'] // the SDK's `send` has a second form
}
