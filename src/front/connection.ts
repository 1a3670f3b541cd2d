// One connection that is one client: this process's stdio, or any transport handed in.

import { randomUUID } from 'node:crypto'
import type { Transport } from '@modelcontextprotocol/server'
import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio'
import { wrapTransport } from '../core/wrap-transport.ts'
import { createDirectCalls, type DirectCalls } from './direct-calls.ts'
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
  let calls: DirectCalls | undefined
  const direct = wrapTransport(followed, { receive: (message) => calls?.receive(message) !== true })
  return serveStdio(
    ({ era }) => {
      const caller = { principal: kind, era, transport: kind, ...(era === 'legacy' ? { sessionId } : {}) }
      // Of this connection alone: when its client is gone, nobody comes back for them.
      const parked = createParkedCalls()
      wants = createWants(front.features)
      const server = createProtocolServer({ ...front, parked, wants }, caller)
      const stopTelling = (era === 'legacy' ? tellOnceInitialized : tellChanges)(server, front, { caller, wants })
      const { activity, onError } = front
      calls =
        era === 'legacy'
          ? createDirectCalls({ server, activity, onError, send: (message) => followed.send(message) })
          : undefined
      const ownCalls = calls
      // However it ends: closed from here, left by its client, or given up for another era.
      server.onclose = () => {
        ownCalls?.close()
        stopTelling()
        parked.close()
        void front.crib.endSession(sessionId).catch(front.onError)
      }
      return server
    },
    { transport: direct, onerror: front.onError },
  )
}
