// Calls a tool over MCP (protocol 2026-07-28), with progress, cancellation and questions of the server.

import { isRecord, type JsonObject } from '../is-record.ts'
import { readEvents } from './events.ts'
import { headerValue, markedHeaders } from './marked-headers.ts'
import { failureOf, send } from './request.ts'

const PROTOCOL_VERSION = '2026-07-28'
/** The questions that this page can answer. */
const CAPABILITIES = { elicitation: { form: {}, url: {} } }
/** The most rounds of questions in one call. A server that asks without end must not keep the page busy. */
const MAX_ROUNDS = 50
/** The time for a server to end a call after its questions were cancelled. Then the call itself is cancelled. */
const REFUSE_MS = 10_000

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
  for (let round = 0; ; round++) {
    const message = await exchange(request, answers)
    if (isRecord(message.error)) {
      const { code, message: text, data } = message.error
      return { kind: 'error', code: Number(code), message: String(text), data }
    }
    const result = isRecord(message.result) ? message.result : {}
    if (result.resultType !== 'input_required') return { kind: 'result', result }
    const refuseAll = () => void refuse(result, request).catch(() => {})
    if (round === MAX_ROUNDS) {
      refuseAll()
      const text = `The server asked more than ${MAX_ROUNDS} times. The page cancelled the last questions.`
      return { kind: 'error', code: 0, message: text, data: undefined }
    }
    const given = await answersTo(questionsIn(result), request).catch((error: unknown) => {
      refuseAll()
      throw error
    })
    answers = continuation(result, given)
  }
}

/**
 * Answers `cancel` to all questions. The gateway keeps a call until its questions are answered, and calls of other
 * clients to the same server may wait for it.
 */
async function refuse(asking: JsonObject, request: ToolCallRequest): Promise<void> {
  const ignore = () => {}
  const rest = { ...request, onProgress: ignore, onLog: ignore, signal: AbortSignal.timeout(REFUSE_MS) }
  let result = asking
  for (let round = 0; round < MAX_ROUNDS && result.resultType === 'input_required'; round++) {
    const cancelled = Object.keys(questionsIn(result)).map((key) => [key, { action: 'cancel' }])
    const message = await exchange(rest, continuation(result, Object.fromEntries(cancelled)), true)
    result = isRecord(message.result) ? message.result : {}
  }
}

/** The parameters of the request. The page also shows them for copying. */
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

/** Sends one request and returns its response. With `keepalive`, the request is also sent when the page closes. */
async function exchange(request: ToolCallRequest, answers: JsonObject, keepalive = false): Promise<JsonObject> {
  const { id, response } = await post(request, answers, { signal: request.signal, keepalive })
  const type = response.headers.get('content-type') ?? ''
  if (!type.startsWith('text/event-stream')) {
    const body: unknown = await response.json().catch(() => undefined)
    if (isRecord(body) && body.jsonrpc === '2.0' && response.status !== 401) return body
    throw failureOf(response.status, body)
  }
  if (response.body !== null) {
    for await (const { data } of readEvents(response.body)) {
      const message: unknown = JSON.parse(data)
      if (!isRecord(message)) continue
      if (message.id === id) return message
      reportNotification(message, request)
    }
  }
  throw new Error('The connection ended before the result arrived.')
}

async function post({ name, args, inputSchema }: ToolCallRequest, answers: JsonObject, init: RequestInit) {
  const id = ++lastId
  const params = callParams(name, args)
  const _meta = { ...(params._meta as JsonObject), progressToken: id, 'io.modelcontextprotocol/logLevel': 'info' } // made above
  const response = await send('mcp', {
    ...init,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': PROTOCOL_VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': headerValue(name),
      ...markedHeaders(inputSchema, args),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { ...params, ...answers, _meta } }),
  })
  return { id, response }
}

function reportNotification({ method, params }: JsonObject, { onProgress, onLog }: ToolCallRequest): void {
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

function questionsIn({ inputRequests }: JsonObject): JsonObject {
  return isRecord(inputRequests) ? inputRequests : {}
}

/** Asks one question after the other. */
async function answersTo(questions: JsonObject, { answer }: ToolCallRequest): Promise<JsonObject> {
  const answers: Record<string, unknown> = {}
  for (const [key, asked] of Object.entries(questions)) {
    if (!isRecord(asked)) continue
    answers[key] = await answer({ method: String(asked.method), params: isRecord(asked.params) ? asked.params : {} })
  }
  return answers
}

/** The fields of the request that continues the call. */
function continuation({ requestState }: JsonObject, inputResponses: JsonObject): JsonObject {
  return { inputResponses, ...(typeof requestState === 'string' ? { requestState } : {}) }
}
