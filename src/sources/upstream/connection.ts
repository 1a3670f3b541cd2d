// From a server's connection as configured, references resolved, to a transport that can be ended for good.

import {
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import type { Connection, HttpConnection } from '../../config/server-config.ts'
import { createBoundedFetch } from './bounded-fetch.ts'
import { createDirectRequests, type DirectRequests } from './direct-requests.ts'
import { environmentFor } from './environment.ts'
import { beLenient } from './lenient-transport.ts'
import { basicOf, decoded } from './secrets.ts'
import { StartFailure } from './start-failure.ts'
import type { StderrRing } from './stderr-ring.ts'
import { createStdioTransport } from './stdio-transport.ts'
import type { Watchdog } from './watchdog.ts'

export interface ConnectionOptions {
  /** The environment of this process, of which servers see very little. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly watchdog: Watchdog
  readonly stderr: StderrRing
  readonly graceMs?: number
  readonly maxFrameBytes?: number
  onProblem?(reason: string): void
}

export interface OpenConnection {
  readonly transport: Transport
  /** For a process: a shorter way for calls. */
  readonly direct?: DirectRequests
  /** For a process: settles with how it ended. */
  readonly ended?: Promise<string>
  /** For a process: see StdioTransport. */
  readonly isUnread?: boolean
  /** Ends the connection and what runs behind it; twice without harm. */
  end(): Promise<void>
}

/** How long a server over HTTP has to confirm that its session is over. */
const GOODBYE_MS = 1_000

export function openConnection(connection: Connection, options: ConnectionOptions): OpenConnection {
  switch (connection.type) {
    case 'stdio': {
      const { command, args, cwd } = connection
      const { env, watchdog, stderr, graceMs, maxFrameBytes, onProblem } = options
      const transport = createStdioTransport({
        command,
        args,
        env: environmentFor(connection.env, env),
        watchdog,
        stderr,
        ...(cwd === undefined ? {} : { cwd }),
        ...(graceMs === undefined ? {} : { graceMs }),
        ...(maxFrameBytes === undefined ? {} : { maxFrameBytes }),
        ...(onProblem === undefined ? {} : { onProblem }),
      })
      const direct = createDirectRequests(transport)
      return {
        transport: beLenient(direct.transport),
        direct,
        ended: transport.ended,
        get isUnread() {
          return transport.isUnread
        },
        end: () => transport.close(),
      }
    }
    case 'http': {
      const { url, ...access } = accessTo(connection, options.maxFrameBytes)
      const inner = new StreamableHTTPClientTransport(url, access)
      const end = async () => {
        if (inner.sessionId !== undefined)
          await Promise.race([inner.terminateSession().catch(() => {}), afterGoodbye()])
        await inner.close()
      }
      return { transport: beLenient(inner), end }
    }
    case 'sse': {
      const { url, ...access } = accessTo(connection, options.maxFrameBytes)
      const inner = new SSEClientTransport(url, access)
      // It would reconnect by itself, to a session that has never been initialized.
      const transport = beLenient(inner, { isEnd: (error) => error instanceof SseError })
      return { transport, end: () => inner.close() }
    }
  }
}

function accessTo({ url: text, headers }: HttpConnection, maxFrameBytes: number | undefined) {
  // Not quoted: an address may carry a key.
  if (!URL.canParse(text)) throw new StartFailure('its address is not a URL')
  const url = new URL(text)
  const { username, password } = url
  // fetch refuses an address with a name and a password in it.
  url.username = ''
  url.password = ''
  const credentials = basicOf(decoded(username), decoded(password))
  const authorization = username === '' && password === '' ? {} : { Authorization: `Basic ${credentials}` }
  return { url, fetch: createBoundedFetch(maxFrameBytes), requestInit: { headers: { ...authorization, ...headers } } }
}

function afterGoodbye(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, GOODBYE_MS).unref())
}
