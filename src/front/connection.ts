// One connection that is one client: this process's stdio, or any transport handed in.

import { randomUUID } from 'node:crypto'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio'
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
  const direct = withCalls(followed, (message) => calls?.receive(message) === true)
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

/** The transport, less the messages that `take` takes. */
function withCalls(inner: Transport, take: (message: JSONRPCMessage) => boolean): Transport {
  return Object.create(inner, {
    onmessage: {
      get: () => inner.onmessage,
      set: (receive: Transport['onmessage']) => {
        inner.onmessage = (message, extra) => {
          if (!take(message)) receive?.(message, extra)
        }
      },
    },
    onclose: accessor(inner, 'onclose'),
    onerror: accessor(inner, 'onerror'),
  })
}

/** A listener that is set belongs to the transport itself, which calls it. */
function accessor(inner: Transport, name: 'onclose' | 'onerror'): PropertyDescriptor {
  return {
    get: () => inner[name],
    set: (listener: never) => {
      inner[name] = listener
    },
  }
}
