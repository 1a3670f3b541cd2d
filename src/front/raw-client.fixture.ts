// For the tests of the front doors: clients that say exactly what a test wants, right or wrong.

import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { CommandResult } from '../core/result.ts'
import { until } from './door.fixture.ts'

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
  const answer = await open(port, wanted)
  await answer.ended
  const { status, headers, text, messages } = answer
  return { status, headers, text, messages }
}

/** An answer that may go on: what of it has come so far. */
export interface OpenAnswer extends Answer {
  /** When its status and headers have come. */
  readonly head: Promise<void>
  /** When a message has come that fits, the first such. */
  find(isIt: (message: Message) => boolean): Promise<Message>
  /** When it is over, by its end or by a broken connection. */
  readonly ended: Promise<void>
  hangUp(): void
}

/** An answer whose head has come. */
export async function open(port: number, wanted: Ask = {}): Promise<OpenAnswer> {
  const answer = begin(port, wanted)
  await answer.head
  return answer
}

/** A request that has been sent, whether or not an answer comes. */
export function begin(port: number, { method = 'POST', path = '/mcp', body, ...rest }: Ask = {}): OpenAnswer {
  const { host = '127.0.0.1' } = rest
  const headers = Object.fromEntries(
    Object.entries({ ...DEFAULT_HEADERS, ...rest.headers }).filter(([, value]) => value !== undefined),
  )
  const outgoing = request({ host, port, method, path, headers, agent: false })
  const answer = follow(outgoing)
  outgoing.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body))
  return answer
}

export function follow(outgoing: ClientRequest): OpenAnswer {
  onTestFinished(() => void outgoing.destroy())
  let incoming: IncomingMessage | undefined
  let text = ''
  let isOver = false
  const watchers = new Set<() => void>()
  const look = () => {
    for (const watcher of watchers) watcher()
  }
  const head = new Promise<void>((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.once('response', (response: IncomingMessage) => {
      incoming = response
      response.setEncoding('utf8')
      response.on('error', () => {})
      response.on('data', (chunk: string) => {
        text += chunk
        look()
      })
      resolve()
    })
  })
  head.catch(() => {})
  const ended = new Promise<void>((resolve) => outgoing.once('close', resolve)).then(() => {
    isOver = true
    look()
  })
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
  begin(body: unknown): OpenAnswer
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
  const get = (more: Ask['headers'] = {}) =>
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
      // A quiet stream may send its head only with its first event; that there is one already is known sooner.
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
