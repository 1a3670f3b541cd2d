// One connection that is one client: this process's stdio, or any transport handed in.

import { randomUUID } from 'node:crypto'
import type { Transport } from '@modelcontextprotocol/server'
import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createProtocolServer, type FrontOptions } from './protocol-server.ts'

export interface ConnectionOptions extends FrontOptions {
  readonly transport: Transport
  readonly kind: 'stdio' | 'memory'
}

export function serveConnection({ transport, kind, ...front }: ConnectionOptions): StdioServerHandle {
  const sessionId = randomUUID()
  return serveStdio(
    ({ era }) => {
      const caller = { principal: kind, era, transport: kind, ...(era === 'legacy' ? { sessionId } : {}) }
      const server = createProtocolServer(front, caller)
      const stopListening = front.crib.onListChanged(() => void server.sendToolListChanged().catch(front.onError))
      // However it ends: closed from here, left by its client, or given up for another era.
      server.onclose = () => {
        stopListening()
        void front.crib.endSession(sessionId).catch(front.onError)
      }
      return server
    },
    { transport, onerror: front.onError },
  )
}
