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
  const stops: (() => void)[] = []
  const handle = serveStdio(
    ({ era }) => {
      const caller = { principal: kind, era, transport: kind, ...(era === 'legacy' ? { sessionId } : {}) }
      const server = createProtocolServer(front, caller)
      stops.push(front.crib.onListChanged(() => void server.sendToolListChanged().catch(front.onError)))
      return server
    },
    { transport, onerror: front.onError },
  )
  return {
    async close() {
      for (const stop of stops) stop()
      await handle.close()
      await front.crib.endSession(sessionId)
    },
  }
}
