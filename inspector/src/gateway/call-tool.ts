// Calls a tool through MCP, as any client of the protocol 2026-07-28 does: progress, cancel, and questions of the server.

import { isRecord, type JsonObject } from '../is-record.ts'
import { readEvents } from './events.ts'
import { markedHeaders } from './marked-headers.ts'
import { failureOf, send } from './request.ts'

export const PROTOCOL_VERSION = '2026-07-28'
/** The questions that this page can answer. */
export const CAPABILITIES = { elicitation: { form: {}, url: {} } }
/** A server that asks again and again must not keep the page busy. */
const MAX_ROUNDS = 50

export interface ProgressNote {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

export interface Question {
  readonly method: string
  readonly params: JsonObject
}

/** The answer to a question: `{action: 'accept', content}`, `{action: 'decline'}` or `{action: 'cancel'}`. */
export type QuestionAnswer = JsonObject

export interface ToolCallRequest {
  readonly name: string
  readonly args: JsonObject
  readonly inputSchema: unknown
  readonly signal: AbortSignal
  onProgress(note: ProgressNote): void
  onLog(text: string): void
  /** Asks the user. It rejects if the call is cancelled meanwhile. */
  answer(question: Question): Promise<QuestionAnswer>
}

export type ToolCallOutcome =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly data: unknown }

export async function callTool(request: ToolCallRequest): Promise<ToolCallOutcome> {
  let answers: JsonObject = {}
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const message = await exchange(request, answers)
    if (isRecord(message.error)) {
      const { code, message: text, data } = message.error
      return { kind: 'error', code: Number(code), message: String(text), data }
    }
    const result = isRecord(message.result) ? message.result : {}
    if (result.resultType !== 'input_required') return { kind: 'result', result }
    answers = await answersTo(result, request)
  }
  return { kind: 'error', code: 0, message: `The server asked more than ${MAX_ROUNDS} times.`, data: undefined }
}

/** The message of a call without its id, as the page also shows it for copying. */
export function callParams(name: string, args: JsonObject): JsonObject {
  return {
    name,
    arguments: args,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': PROTOCOL_VERSION,
      'io.modelcontextprotocol/clientInfo': { name: 'toolcrib-inspector', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
    },
  }
}

let lastId = 0

/** Sends the call once and returns its last message. */
async function exchange(request: ToolCallRequest, answers: JsonObject): Promise<JsonObject> {
  const { name, args, inputSchema, signal } = request
  const id = ++lastId
  const params = callParams(name, args)
  const _meta = { ...(params._meta as JsonObject), progressToken: id, 'io.modelcontextprotocol/logLevel': 'info' } // made above
  const response = await send('mcp', {
    method: 'POST',
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': PROTOCOL_VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': name,
      ...markedHeaders(inputSchema, args),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { ...params, ...answers, _meta } }),
  })
  const type = response.headers.get('content-type') ?? ''
  if (!type.startsWith('text/event-stream')) {
    const body: unknown = await response.json().catch(() => undefined)
    if (isRecord(body) && body.jsonrpc === '2.0') return body
    throw failureOf(response.status, body)
  }
  if (response.body !== null) {
    for await (const { data } of readEvents(response.body)) {
      const message: unknown = JSON.parse(data)
      if (!isRecord(message)) continue
      if (message.id === id) return message
      note(message, request)
    }
  }
  throw new Error('The connection ended before the result arrived.')
}

function note({ method, params }: JsonObject, { onProgress, onLog }: ToolCallRequest): void {
  if (!isRecord(params)) return
  if (method === 'notifications/progress') {
    onProgress({
      progress: Number(params.progress),
      ...(typeof params.total === 'number' ? { total: params.total } : {}),
      ...(typeof params.message === 'string' ? { message: params.message } : {}),
    })
  }
  if (method === 'notifications/message') {
    onLog(typeof params.data === 'string' ? params.data : JSON.stringify(params.data))
  }
}

/** Asks one question after the other, and returns the fields that continue the call. */
async function answersTo(result: JsonObject, { answer }: ToolCallRequest): Promise<JsonObject> {
  const requests = isRecord(result.inputRequests) ? result.inputRequests : {}
  const inputResponses: Record<string, unknown> = {}
  for (const [key, asked] of Object.entries(requests)) {
    if (!isRecord(asked)) continue
    inputResponses[key] = await answer({
      method: String(asked.method),
      params: isRecord(asked.params) ? asked.params : {},
    })
  }
  return { inputResponses, ...(typeof result.requestState === 'string' ? { requestState: result.requestState } : {}) }
}
