// Test fixture: HTTP clients that send exactly what a test wants, valid or not.

import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { CommandResult } from '../core/result.ts'
import { createWaits, until } from './door.fixture.ts'

/** A JSON-RPC message from a server. The tests check its fields. */
export interface Message {
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: {
    readonly content?: readonly { readonly type: string; readonly text?: string }[]
    readonly structuredContent?: CommandResult
    readonly isError?: boolean
    readonly [key: string]: unknown
  }
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface RawRequest {
  readonly method?: string
  readonly path?: string
  /** Undefined removes a default header. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** A text is sent unchanged, other values as JSON. */
  readonly body?: unknown
  readonly host?: string
}

export interface RawResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The messages in the response, from JSON or an event stream. */
  readonly messages: readonly Message[]
}

export const LEGACY = '2025-11-25'
export const MODERN = '2026-07-28'

const DEFAULT_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

export async function ask(port: number, wanted: RawRequest = {}): Promise<RawResponse> {
  const answer = await open(port, wanted)
  await answer.ended
  const { status, headers, text, messages } = answer
  return { status, headers, text, messages }
}

/** A response that may still be open, with the part that has arrived. */
interface OpenResponse extends RawResponse {
  /** Resolves when the status and the headers have arrived. */
  readonly head: Promise<void>
  /** Resolves with the first message that matches. */
  find(matches: (message: Message) => boolean): Promise<Message>
  /** Resolves when the response has ended or the connection is closed. */
  readonly ended: Promise<void>
  hangUp(): void
}

/** Resolves when the headers have arrived. */
export async function open(port: number, wanted: RawRequest = {}): Promise<OpenResponse> {
  const answer = begin(port, wanted)
  await answer.head
  return answer
}

/** Sends a request without waiting for a response. */
export function begin(port: number, { method = 'POST', path = '/mcp', body, ...rest }: RawRequest = {}): OpenResponse {
  const { host = '127.0.0.1' } = rest
  const headers = Object.fromEntries(
    Object.entries({ ...DEFAULT_HEADERS, ...rest.headers }).filter(([, value]) => value !== undefined),
  )
  const outgoing = request({ host, port, method, path, headers, agent: false })
  const answer = follow(outgoing)
  outgoing.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body))
  return answer
}

export function follow(outgoing: ClientRequest): OpenResponse {
  onTestFinished(() => void outgoing.destroy())
  let incoming: IncomingMessage | undefined
  let text = ''
  const waits = createWaits(() => text)
  const head = new Promise<void>((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.once('response', (response: IncomingMessage) => {
      incoming = response
      response.setEncoding('utf8')
      response.on('error', () => {})
      response.on('data', (chunk: string) => {
        text += chunk
        waits.check()
      })
      resolve()
    })
  })
  head.catch(() => {})
  const ended = new Promise<void>((resolve) => outgoing.once('close', resolve)).then(waits.end)
  const messages = () => messagesIn(text, incoming?.headers['content-type'])
  return {
    head,
    ended,
    get status() {
      return incoming?.statusCode ?? 0
    },
    get headers() {
      return incoming?.headers ?? {}
    },
    get text() {
      return text
    },
    get messages() {
      return messages()
    },
    find: (matches) => waits.wait('that message came', () => messages().find(matches)),
    hangUp: () => void outgoing.destroy(),
  }
}

function messagesIn(text: string, contentType = ''): readonly Message[] {
  if (!contentType.startsWith('text/event-stream')) {
    // The server's own JSON; the tests check its content.
    return contentType.startsWith('application/json') && text !== '' ? [JSON.parse(text) as Message] : []
  }
  // The text after the last blank line is incomplete.
  return text
    .split('\n\n')
    .slice(0, -1)
    .flatMap((event) => event.split('\n').filter((line) => line.startsWith('data: {')))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Message) // as above
}

/** A raw TCP connection, with everything that was received. */
interface RawConnection {
  readonly socket: Socket
  readonly received: () => string
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>
  /** Resolves when the received text contains this text. */
  seen(text: string): Promise<void>
}

export async function connectRaw(port: number, host = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect(port, host)
  onTestFinished(() => void socket.destroy())
  let received = ''
  const waits = createWaits(() => received)
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    received += chunk
    waits.check()
  })
  socket.on('error', () => {})
  const closed = new Promise<unknown>((resolve) => socket.once('close', resolve)).then(waits.end)
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  return {
    socket,
    received: () => received,
    closed,
    seen: async (text) => void (await waits.wait(`'${text}' came`, () => received.includes(text) || undefined)),
  }
}

export function initialize(id: string | number = 'init'): Readonly<Record<string, unknown>> {
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'raw', version: '1.0.0' } }
  return { jsonrpc: '2.0', id, method: 'initialize', params }
}

export function toolCall(name: string, args: unknown = {}, id: string | number = 1, meta?: object) {
  const _meta = meta === undefined ? {} : { _meta: meta }
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, ..._meta } }
}

export interface RawSession {
  readonly id: string
  ask(body: unknown, headers?: RawRequest['headers']): Promise<RawResponse>
  /** Sends a request and reads its response step by step. */
  begin(body: unknown): OpenResponse
  /** Opens the event stream of the session. */
  stream(headers?: RawRequest['headers']): Promise<OpenResponse>
  end(): Promise<RawResponse>
}

/** A legacy session over plain HTTP. */
export async function startSession(port: number, headers: RawRequest['headers'] = {}): Promise<RawSession> {
  const { status, headers: given, text } = await ask(port, { body: initialize(), headers })
  const id = given['mcp-session-id']
  if (typeof id !== 'string') throw new Error(`No session: ${status} ${text}`)
  const own = { ...headers, 'mcp-session-id': id, 'mcp-protocol-version': LEGACY }
  const get = (more: RawRequest['headers'] = {}) =>
    begin(port, { method: 'GET', headers: { ...own, accept: 'text/event-stream', ...more } })
  const session: RawSession = {
    id,
    ask: (body, more = {}) => ask(port, { body, headers: { ...own, ...more } }),
    begin: (body) => begin(port, { body, headers: own }),
    async stream(more) {
      const stream = get(more)
      let isAnswered = false
      const answered = stream.head.finally(() => {
        isAnswered = true
      })
      // A silent stream may send its headers only with its first event. A 409 for a second stream shows that the first
      // is open.
      const isOpen = async () => {
        const second = get(more)
        await Promise.race([second.head, answered])
        const { status } = second
        second.hangUp()
        await second.ended
        return isAnswered || status === 409
      }
      await until('the event stream is open', isOpen)
      return stream
    },
    end: () => ask(port, { method: 'DELETE', headers: own }),
  }
  await session.ask({ jsonrpc: '2.0', method: 'notifications/initialized' })
  return session
}

/** A modern request: the envelope in the body, and the headers that must match it. */
export function modern(
  message: { method: string; params?: object },
  headers: RawRequest['headers'] = {},
): RawRequest & { readonly body: object } {
  const params: Record<string, unknown> = { ...message.params }
  params._meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
    ...(params._meta as object | undefined), // the test's own _meta, set by toolCall
  }
  const name = typeof params.name === 'string' ? { 'mcp-name': params.name } : {}
  return {
    body: { ...message, params },
    headers: { 'mcp-protocol-version': MODERN, 'mcp-method': message.method, ...name, ...headers },
  }
}
