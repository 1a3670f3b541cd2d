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
import type { ServerProcess } from './process.ts'
import { basicOf, decoded } from './secrets.ts'
import type { StderrRing } from './server-output.ts'
import { StartFailure } from './start-failure.ts'
import { createStdioTransport } from './stdio-transport.ts'
import type { Watchdog } from './watchdog.ts'

export interface ConnectionOptions {
  /** The whole environment of a server process. */
  readonly env: Readonly<Record<string, string>>
  readonly watchdog: Watchdog
  readonly stderr: StderrRing
  /** The process of a server over stdio, if it is started already. */
  readonly begun?: Promise<ServerProcess> | undefined
  readonly graceMs?: number
  readonly maxFrameBytes?: number
  /** For a server over HTTP: adds its access token to each request. */
  readonly authorize?: ((inner: Fetch) => Fetch) | undefined
  onProblem?(reason: string): void
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

/** How to open the connections of one kind. */
interface TransportKind<C extends Connection> {
  open(connection: C, options: ConnectionOptions): OpenConnection
}

const stdio: TransportKind<StdioConnection> = {
  open({ command, args, cwd }, options) {
    const transport = createStdioTransport({ ...options, command, args, ...defined({ cwd }) })
    const direct = createDirectRequests(transport)
    return {
      transport: createLenientTransport(direct.transport),
      direct,
      ended: transport.ended,
      end: () => transport.close(),
    }
  },
}

const http: TransportKind<HttpConnection> = {
  open(connection, options) {
    const { url, ...access } = accessTo(connection, options)
    const inner = new StreamableHTTPClientTransport(url, access)
    const end = async () => {
      if (inner.sessionId !== undefined) await atMost(SESSION_END_MS, inner.terminateSession())
      await inner.close()
    }
    return { transport: createLenientTransport(inner), end }
  },
}

const sse: TransportKind<HttpConnection> = {
  open(connection, options) {
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
  },
}

/** The transport of each kind in `config/connection-kinds.ts`. It is apart from the kind because it loads the SDK. */
const TRANSPORT_KINDS: Readonly<Record<Connection['type'], TransportKind<Connection>>> = { stdio, http, sse }

export function openConnection(connection: Connection, options: ConnectionOptions): OpenConnection {
  return TRANSPORT_KINDS[connection.type].open(connection, options)
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
