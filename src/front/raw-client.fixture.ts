// For the tests of the front doors: clients that say exactly what a test wants, right or wrong.

import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { CommandResult } from '../core/result.ts'

/** A JSON-RPC message as a server sends it; tests say which fields they expect. */
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

export interface Ask {
  readonly method?: string
  readonly path?: string
  /** Undefined leaves a default header out. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown
  readonly host?: string
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The messages in it, be it JSON or an event stream. */
  readonly messages: readonly Message[]
}

export const LEGACY = '2025-11-25'
export const MODERN = '2026-07-28'

const DEFAULT_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

export async function ask(port: number, wanted: Ask = {}): Promise<Answer> {
  const { status, headers, events, ended } = await open(port, wanted)
  await ended
  const text = events.text()
  return { status, headers, text, messages: messagesIn(text, headers['content-type']) }
}

export interface OpenAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly messages: readonly Message[]
  readonly events: { text(): string }
  /** When a message has arrived that fits, the first such. */
  find(isIt: (message: Message) => boolean): Promise<Message>
  /** When the answer is over, by its end or by a broken connection. */
  readonly ended: Promise<void>
  hangUp(): void
}

/** An answer whose head has come; its body may go on. */
export async function open(port: number, { method = 'POST', path = '/mcp', ...rest }: Ask = {}): Promise<OpenAnswer> {
  const { host = '127.0.0.1' } = rest
  const headers = Object.fromEntries(
    Object.entries({ ...DEFAULT_HEADERS, ...rest.headers }).filter(([, value]) => value !== undefined),
  )
  const outgoing = request({ host, port, method, path, headers, agent: false })
  onTestFinished(() => void outgoing.destroy())
  const incoming = headOf(outgoing)
  outgoing.end(rest.body === undefined || typeof rest.body === 'string' ? rest.body : JSON.stringify(rest.body))
  return follow(outgoing, await incoming)
}

export function headOf(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve)
    outgoing.on('error', reject)
  })
}

export function follow(outgoing: ClientRequest, incoming: IncomingMessage): OpenAnswer {
  let text = ''
  const watchers = new Set<() => void>()
  const look = () => {
    for (const watcher of watchers) watcher()
  }
  incoming.setEncoding('utf8')
  incoming.on('data', (chunk: string) => {
    text += chunk
    look()
  })
  incoming.on('error', () => {})
  let isOver = false
  const ended = new Promise<void>((resolve) => incoming.once('close', resolve)).then(() => {
    isOver = true
    look()
  })
  const messages = () => messagesIn(text, incoming.headers['content-type'])
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    get messages() {
      return messages()
    },
    events: { text: () => text },
    find: (isIt) =>
      new Promise((resolve, reject) => {
        const watcher = () => {
          const found = messages().find(isIt)
          if (found === undefined && !isOver) return
          watchers.delete(watcher)
          if (found !== undefined) resolve(found)
          else reject(new Error(`The answer ended without that message: ${text.slice(0, 2_000)}`))
        }
        watchers.add(watcher)
        watcher()
      }),
    ended,
    hangUp: () => void outgoing.destroy(),
  }
}

function messagesIn(text: string, contentType = ''): readonly Message[] {
  if (!contentType.startsWith('text/event-stream')) {
    // The server's own JSON; the tests check what is in it.
    return contentType.startsWith('application/json') && text !== '' ? [JSON.parse(text) as Message] : []
  }
  // What follows the last blank line has not arrived whole.
  return text
    .split('\n\n')
    .slice(0, -1)
    .flatMap((event) => event.split('\n').filter((line) => line.startsWith('data: {')))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Message) // as above
}

/** A connection of bytes, and all that came back over it. */
export interface RawConnection {
  readonly socket: Socket
  readonly received: () => string
  /** When the server has ended the connection. */
  readonly closed: Promise<void>
  /** When what came back contains this. */
  seen(text: string): Promise<void>
}

export async function connectRaw(port: number, host = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect(port, host)
  onTestFinished(() => void socket.destroy())
  let received = ''
  const watchers = new Set<() => void>()
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    received += chunk
    for (const watcher of watchers) watcher()
  })
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  return {
    socket,
    received: () => received,
    closed,
    seen: (text) =>
      new Promise((resolve, reject) => {
        const watcher = () => {
          if (received.includes(text)) resolve()
        }
        watchers.add(watcher)
        watcher()
        void closed.then(() => reject(new Error(`Closed before '${text}' came: ${received}`)))
      }),
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
  ask(body: unknown, headers?: Ask['headers']): Promise<Answer>
  /** A request whose answer is read as it comes. */
  open(body: unknown): Promise<OpenAnswer>
  /** The session's own event stream. */
  stream(headers?: Ask['headers']): Promise<OpenAnswer>
  end(): Promise<Answer>
}

/** A legacy session with nothing but HTTP. */
export async function startSession(port: number, headers: Ask['headers'] = {}): Promise<RawSession> {
  const { status, headers: given, text } = await ask(port, { body: initialize(), headers })
  const id = given['mcp-session-id']
  if (typeof id !== 'string') throw new Error(`No session: ${status} ${text}`)
  const own = { ...headers, 'mcp-session-id': id, 'mcp-protocol-version': LEGACY }
  const session: RawSession = {
    id,
    ask: (body, more = {}) => ask(port, { body, headers: { ...own, ...more } }),
    open: (body) => open(port, { body, headers: own }),
    stream: (more = {}) => open(port, { method: 'GET', headers: { ...own, accept: 'text/event-stream', ...more } }),
    end: () => ask(port, { method: 'DELETE', headers: own }),
  }
  await session.ask({ jsonrpc: '2.0', method: 'notifications/initialized' })
  return session
}

/** A modern request: its envelope in the body, and the headers that must agree with it. */
export function modern(message: { method: string; params?: object }, headers: Ask['headers'] = {}): Ask {
  const params: Record<string, unknown> = { ...message.params }
  params._meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
    ...(params._meta as object | undefined), // the test's own, put there by toolCall
  }
  const name = typeof params.name === 'string' ? { 'mcp-name': params.name } : {}
  return {
    body: { ...message, params },
    headers: { 'mcp-protocol-version': MODERN, 'mcp-method': message.method, ...name, ...headers },
  }
}
