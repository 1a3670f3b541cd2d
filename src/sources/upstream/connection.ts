// Opens a transport for a configured connection with resolved references. `end` closes it and ends its process.

import {
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import type { Connection, HttpConnection, StdioConnection } from '../../config/server-config.ts'
import { createBoundedFetch, type Fetch } from '../../core/bounded-fetch.ts'
import { defined } from '../../core/defined.ts'
import { atMost } from '../../core/waiting.ts'
import { createDirectRequests, type DirectRequests } from './direct-requests.ts'
import { createLenientTransport } from './lenient-transport.ts'
import { basicOf, decoded } from './secrets.ts'
import { StartFailure } from './start-failure.ts'
import { createStdioTransport, type StdioTransportOptions } from './stdio-transport.ts'

export interface ConnectionOptions extends Omit<StdioTransportOptions, 'command' | 'args' | 'cwd'> {
  /** For a server over HTTP: adds its access token to each request. */
  readonly authorize?: ((inner: Fetch) => Fetch) | undefined
}

interface OpenConnection {
  readonly transport: Transport
  /** For a process: sends calls without the SDK's client. */
  readonly direct?: DirectRequests
  /** For a process: resolves with how it ended. */
  readonly ended?: Promise<string>
  /** The last error of a request. For SSE, because that transport passes on only the text of an error. */
  readonly fault?: unknown
  /** Ends the connection and the process behind it. Can be called twice. */
  end(): Promise<void>
}

/** How long an HTTP server has to confirm the end of its session. */
const SESSION_END_MS = 1_000

/** Opens a transport. Separate from the connection kinds in `config/connection-kinds.ts`, because it loads the SDK. */
export function openConnection(connection: Connection, options: ConnectionOptions): OpenConnection {
  switch (connection.type) {
    case 'stdio':
      return openStdio(connection, options)
    case 'http':
      return openHttp(connection, options)
    case 'sse':
      return openSse(connection, options)
  }
}

function openStdio({ command, args, cwd }: StdioConnection, options: ConnectionOptions): OpenConnection {
  const transport = createStdioTransport({ ...options, command, args, ...defined({ cwd }) })
  const direct = createDirectRequests(transport)
  return {
    transport: createLenientTransport(direct.transport),
    direct,
    ended: transport.ended,
    end: () => transport.close(),
  }
}

function openHttp(connection: HttpConnection, options: ConnectionOptions): OpenConnection {
  const { url, ...access } = accessTo(connection, options)
  const inner = new StreamableHTTPClientTransport(url, access)
  const end = async () => {
    if (inner.sessionId !== undefined) await atMost(SESSION_END_MS, inner.terminateSession())
    await inner.close()
  }
  return { transport: createLenientTransport(inner), end }
}

function openSse(connection: HttpConnection, options: ConnectionOptions): OpenConnection {
  const { url, fetch, requestInit } = accessTo(connection, options)
  let fault: unknown
  const remembering: Fetch = (given, init) =>
    fetch(given, init).catch((error: unknown) => {
      fault = error
      throw error
    })
  const inner = new SSEClientTransport(url, { fetch: remembering, requestInit })
  // The SDK's transport would reconnect by itself, to a session that was never initialized.
  const transport = createLenientTransport(inner, (error) => error instanceof SseError)
  return {
    transport,
    get fault() {
      return fault
    },
    end: () => inner.close(),
  }
}

function accessTo({ url: text, headers }: HttpConnection, { maxFrameBytes, authorize }: ConnectionOptions) {
  // The URL is not quoted, because it can contain a key.
  if (!URL.canParse(text)) throw new StartFailure('its address is not a URL')
  const url = new URL(text)
  const { username, password } = url
  // fetch refuses a URL that contains a user name or a password.
  url.username = ''
  url.password = ''
  const credentials = basicOf(decoded(username), decoded(password))
  const authorization = username === '' && password === '' ? {} : { Authorization: `Basic ${credentials}` }
  const bounded = createBoundedFetch(maxFrameBytes)
  const requestInit = { headers: { ...authorization, ...headers } }
  return { url, fetch: authorize?.(bounded) ?? bounded, requestInit }
}
