// Serves one connection with one client: the stdio of this process, a socket, or a given transport.

import { randomUUID } from 'node:crypto'
import type { Transport } from '@modelcontextprotocol/server'
import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio'
import { wrapTransport } from '../core/wrap-transport.ts'
import { createClientInterest, trackSubscriptions } from './client-interest.ts'
import { createDirectCalls, type DirectCalls } from './direct-calls.ts'
import type { FrontOptions } from './front-options.ts'
import { createParkedCalls } from './long-call.ts'
import { notifyAfterInitialized, notifyClient } from './notify-clients.ts'
import { createProtocolServer } from './protocol-server.ts'

interface ServeConnectionOptions extends FrontOptions {
  readonly transport: Transport
  readonly kind: 'stdio' | 'socket' | 'memory'
  /** The name of the client. Default: the kind of the connection. */
  readonly principal?: string | undefined
}

export function serveConnection({
  transport,
  kind,
  principal = kind,
  ...front
}: ServeConnectionOptions): StdioServerHandle {
  const sessionId = randomUUID()
  // Both are replaced when the era of the client is known, and again if the client changes to the other era.
  let interest = createClientInterest(front.features)
  let calls: DirectCalls | undefined
  const tracked = front.features?.updates === undefined ? transport : trackSubscriptions(transport, () => interest)
  const direct = wrapTransport(tracked, { receive: (message) => calls?.receive(message) !== true })
  return serveStdio(
    ({ era }) => {
      const caller = { principal, era, transport: kind, ...(era === 'legacy' ? { sessionId } : {}) }
      // Each connection has its own parked calls, which wait for an answer of its client. No other client resumes them.
      const parked = createParkedCalls()
      interest = createClientInterest(front.features)
      const server = createProtocolServer({ ...front, parked, interest }, caller)
      const notify = era === 'legacy' ? notifyAfterInitialized : notifyClient
      const stopNotifying = notify(server, front, { caller, interest })
      const { activity, onError } = front
      calls =
        era === 'legacy'
          ? createDirectCalls({ server, activity, onError, send: (message) => tracked.send(message) })
          : undefined
      const ownCalls = calls
      // Called when the gateway or the client closes the connection, and when the client changes to the other era.
      server.onclose = () => {
        ownCalls?.close()
        stopNotifying()
        parked.close()
        void front.crib.endSession(sessionId).catch(front.onError)
      }
      return server
    },
    { transport: direct, onerror: front.onError },
  )
}
