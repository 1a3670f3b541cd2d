// One request to a server, repeated with the input that the server asks for until it needs no more.

import { setTimeout as delay } from 'node:timers/promises'
import { CLIENT_CAPABILITIES_META_KEY, LOG_LEVEL_META_KEY, type StandardSchemaV1 } from '@modelcontextprotocol/client'
import { isRecord } from '../../core/is-record.ts'
import { parseJson } from '../../core/json.ts'
import { markedParams } from '../../core/marked-params.ts'
import { abortSignalOf, type StopSignal } from '../../core/stop-signal.ts'
import type { JsonSchema } from '../../core/tool.ts'
import { MAX_TIMER_MS } from '../../core/waiting.ts'
import type { CallOutcome } from './call-outcome.ts'
import type { Questions } from './questions.ts'
import { answerFor, declinedAnswer, forwardedCapabilities, readServerRequest } from './server-messages.ts'
import type { CallRequest, PendingCall } from './session-call.ts'

type Fields = Readonly<Record<string, unknown>>

/** Disables the SDK's timeout. The signal of a `Clock` ends a request that takes too long. */
export const NEVER_MS = MAX_TIMER_MS
/** How often a modern server may answer `input_required` within one call, with or without questions. */
const MAX_ROUNDS = 10
/** The wait before a request is repeated, if the server has asked no questions. */
const REPEAT_DELAY_MS = 250
/** The log level for a client that has not set one. */
const LOG_LEVEL = 'info'

/** Sends one request and resolves with the result as the server sent it. `headers` are for a server over HTTP. */
export type SendRequest = (
  method: string,
  params: Fields,
  signal: StopSignal,
  headers?: Readonly<Record<string, string>>,
) => Promise<Fields>

interface ConversationOptions {
  readonly send: SendRequest
  /** The `_meta` fields of the envelope, for a server that gets its calls without the SDK. */
  readonly meta: Fields | undefined
  readonly era: 'legacy' | 'modern'
  /** True if the server can send log messages. */
  readonly isLogging: boolean
  /** True if some arguments are also sent as headers: only to a modern server over HTTP. */
  readonly hasHeaders: boolean
}

/**
 * Sends the request, and answers the questions of the server. `clientInput`: the `inputResponses` and `requestState`
 * that the client sent with a repeated call.
 */
export async function converse(
  { send, meta, era, isLogging, hasHeaders }: ConversationOptions,
  request: CallRequest,
  { pendingCall, clientInput }: { readonly pendingCall: PendingCall; readonly clientInput: Fields },
): Promise<CallOutcome> {
  const { method, inputSchema, call } = request
  const { relay } = call
  const headers =
    hasHeaders && inputSchema !== undefined ? paramHeaders(inputSchema, request.params.arguments) : undefined
  const _meta: Record<string, unknown> = { ...meta, ...call.trace, progressToken: pendingCall.token }
  if (era === 'modern') {
    // Each request tells a modern server the capabilities of this caller and its log level.
    _meta[CLIENT_CAPABILITIES_META_KEY] = forwardedCapabilities(call)
    if (isLogging) _meta[LOG_LEVEL_META_KEY] = call.logLevel ?? LOG_LEVEL
  }
  let input = clientInput
  // Each round sends the request with the input of the round before it.
  for (let round = 0; round <= MAX_ROUNDS; round++) {
    const params = { ...request.params, ...input, _meta }
    const result = await send(method, params, pendingCall.signal, headers)
    if (era === 'legacy' || result.resultType !== 'input_required') return { kind: 'answered', result }
    if (isEmptyInputRequired(result)) return { kind: 'refused', reason: 'it needs input and does not say which' }
    const turn = relay !== undefined ? relayQuestions(result, pendingCall) : await answerAll(result, pendingCall)
    if ('lacks' in turn) return outcomeWithoutAnswer(turn.lacks, pendingCall)
    if ('questions' in turn) {
      relay?.ask(turn.questions)
      return { kind: 'asked' }
    }
    const hasNoAnswers = Object.keys(turn.answers).length === 0
    // The server sent only a requestState, without questions: wait a moment before the request is repeated.
    if (hasNoAnswers) await delay(REPEAT_DELAY_MS, undefined, { signal: abortSignalOf(pendingCall.signal) })
    input = {
      ...(hasNoAnswers ? {} : { inputResponses: turn.answers }),
      ...(result.requestState === undefined ? {} : { requestState: result.requestState }),
    }
  }
  return { kind: 'refused', reason: `it answered more than ${MAX_ROUNDS} times that it needs input` }
}

/** The protocol requires inputRequests or requestState. If both are missing, the same request would be repeated. */
function isEmptyInputRequired({ inputRequests, requestState }: Fields): boolean {
  return typeof requestState !== 'string' && (!isRecord(inputRequests) || Object.keys(inputRequests).length === 0)
}

type Turn =
  /** The server's questions are all answered. */
  | { readonly answers: Fields }
  /** These questions go to the client, which returns with its answers in a new request. */
  | { readonly questions: Fields }
  /** The capability that the server needs and the client does not have. */
  | { readonly lacks: string }

/**
 * Passes the questions of a modern server to a modern client. Questions that we decline are answered here. These
 * answers are kept in the `requestState` until the client has answered the other questions.
 */
function relayQuestions(result: Fields, pendingCall: PendingCall): Turn {
  const questions = pendingCall.questions()
  const entries = Object.entries(isRecord(result.inputRequests) ? result.inputRequests : {})
  const passed: [string, unknown][] = []
  const answers: [string, unknown][] = []
  for (const [key, entry] of entries) {
    const request = isRecord(entry) ? readServerRequest(entry.method, entry.params) : undefined
    const allowed = request && questions.check(request)
    const ownAnswer = request !== undefined && allowed === undefined ? declinedAnswer(request) : undefined
    if (request === undefined) passed.push([key, entry])
    else if (allowed !== undefined) passed.push([key, { ...(isRecord(entry) ? entry : {}), ...allowed }])
    else if (ownAnswer === undefined) return { lacks: capabilityOf(entry) }
    else answers.push([key, ownAnswer])
  }
  if (passed.length === 0 && answers.length > 0) return { answers: Object.fromEntries(answers) }
  const { asked, declined } = questions
  if (asked === 0 && declined.length === 0 && !isPacked(result.requestState)) return { questions: result }
  const requestState = packState(result.requestState, { asked, declined, answers: Object.fromEntries(answers) })
  return { questions: { ...result, inputRequests: Object.fromEntries(passed), requestState } }
}

/** Asks a client with a session each question of a modern server, one after the other. */
async function answerAll({ inputRequests }: Fields, pendingCall: PendingCall): Promise<Turn> {
  const answers: [string, unknown][] = []
  for (const [key, entry] of Object.entries(isRecord(inputRequests) ? inputRequests : {})) {
    const request = isRecord(entry) ? readServerRequest(entry.method, entry.params) : undefined
    const answer = request && (await answerFor(request, pendingCall, abortSignalOf(pendingCall.signal)))
    if (answer === undefined) return { lacks: capabilityOf(entry) }
    answers.push([key, answer])
  }
  return { answers: Object.fromEntries(answers) }
}

function capabilityOf(entry: unknown): string {
  return isRecord(entry) ? String(entry.method).split('/', 1)[0] || 'input' : 'input'
}

function outcomeWithoutAnswer(capability: string, pendingCall: PendingCall): CallOutcome {
  // If we have declined a question, that is the reason, and not a missing capability.
  if (pendingCall.questions().declined.length > 0)
    return { kind: 'refused', reason: 'it cannot go on without an answer' }
  return { kind: 'capability-missing', capability }
}

/** A schema that accepts every result. The code that uses a result checks it. */
export const anything: StandardSchemaV1<unknown, Fields> = {
  '~standard': { version: 1, vendor: 'toolcrib', validate: (value) => ({ value: isRecord(value) ? value : {} }) },
}

/** The characters that HTTP allows in the name of a header. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const PLAIN = /^[\x20-\x7e]+$/

/** The headers for the arguments that a tool marks with `x-mcp-header` (protocol 2026-07-28, over HTTP). */
export function paramHeaders(schema: JsonSchema, args: unknown): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { mark, value } of markedParams(schema, args)) {
    const text = textOf(value)
    if (HEADER_NAME.test(mark) && text !== undefined) headers[`Mcp-Param-${mark}`] = encode(text)
  }
  return headers
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return String(value)
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined
}

/** Unchanged if a header can contain the text, otherwise in the Base64 form of the protocol. */
function encode(text: string): string {
  const isPlain = PLAIN.test(text) && text.trim() === text && !/^=\?base64\?.*\?=$/.test(text)
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`
}

interface Remembered extends Pick<Questions, 'asked' | 'declined'> {
  /** Our own answers to the questions that we declined, if the server asked them together with other questions. */
  readonly answers: Fields
}

/** The start of a `requestState` of ours. A modern client returns it in its next request. */
const MARK = 'toolcrib-asked.'

/** Wraps the server's state, if any, into ours. It is not signed: a change affects only the call of that client. */
export function packState(serverState: unknown, remembered: Remembered): string {
  const state = typeof serverState === 'string' ? { serverState } : {}
  return `${MARK}${Buffer.from(JSON.stringify({ ...remembered, ...state })).toString('base64url')}`
}

/** True if a state has the form of ours. A server's state of this form is wrapped: it must not reset our counts. */
function isPacked(state: unknown): state is string {
  return typeof state === 'string' && state.startsWith(MARK)
}

/** Splits the client's state into the server's part and ours. A state that is not ours stays unchanged. */
export function unpackState(clientInput: Fields): { readonly input: Fields; readonly remembered?: Remembered } {
  const { requestState, ...rest } = clientInput
  if (!isPacked(requestState)) return { input: clientInput }
  const packed = parseJson(Buffer.from(requestState.slice(MARK.length), 'base64url').toString('utf8'))
  if (!isRecord(packed)) return { input: clientInput }
  const { serverState, asked, declined, answers } = packed
  const ownAnswers = isRecord(answers) ? answers : {}
  const clientAnswers = isRecord(rest.inputResponses) ? rest.inputResponses : {}
  const inputResponses = { ...clientAnswers, ...ownAnswers }
  return {
    input: {
      ...rest,
      ...(Object.keys(inputResponses).length === 0 ? {} : { inputResponses }),
      ...(typeof serverState === 'string' ? { requestState: serverState } : {}),
    },
    remembered: {
      asked: typeof asked === 'number' ? asked : 0,
      declined: Array.isArray(declined) ? declined.map(String) : [],
      answers: ownAnswers,
    },
  }
}
