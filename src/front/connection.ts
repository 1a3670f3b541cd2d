// One connection that is one client: this process's stdio, or any transport handed in.

import { randomUUID } from 'node:crypto'
import type { Transport } from '@modelcontextprotocol/server'
import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio'
import { followListens } from './listen-requests.ts'
import { tellChanges, tellOnceInitialized } from './news.ts'
import { createParkedCalls } from './parked-calls.ts'
import { createProtocolServer, type FrontOptions } from './protocol-server.ts'
import { createWants } from './wants.ts'

export interface ConnectionOptions extends FrontOptions {
  readonly transport: Transport
  readonly kind: 'stdio' | 'memory'
}

export function serveConnection({ transport, kind, ...front }: ConnectionOptions): StdioServerHandle {
  const sessionId = randomUUID()
  let wants = createWants(front.features)
  const followed = front.features?.updates === undefined ? transport : followListens(transport, () => wants)
  return serveStdio(
    ({ era }) => {
      const caller = { principal: kind, era, transport: kind, ...(era === 'legacy' ? { sessionId } : {}) }
      // Of this connection alone: when its client is gone, nobody comes back for them.
      const parked = createParkedCalls()
      wants = createWants(front.features)
      const server = createProtocolServer({ ...front, parked, wants }, caller)
      const stopTelling = (era === 'legacy' ? tellOnceInitialized : tellChanges)(server, front, { caller, wants })
      // However it ends: closed from here, left by its client, or given up for another era.
      server.onclose = () => {
        stopTelling()
        parked.close()
        void front.crib.endSession(sessionId).catch(front.onError)
      }
      return server
    },
    { transport: followed, onerror: front.onError },
  )
}
