// A command server over in-memory transports, without the front doors of `createMcpServer`.

import { InMemoryTransport, type Transport } from '@modelcontextprotocol/server'
import { type CommandServer, type CommandServerOptions, createCommandServer } from '../../src/front/command-server.ts'
import { serveConnection } from '../../src/front/connection.ts'

export interface MemoryServer extends Pick<CommandServer, 'on' | 'register'> {
  /** The client's end of a new connection. */
  connect(): Transport
  stop(): Promise<void>
}

export function createMemoryServer(options: CommandServerOptions): MemoryServer {
  const server = createCommandServer(options)
  const connections = new Set<{ close(): Promise<void> }>()
  return {
    on: server.on,
    register: server.register,
    connect() {
      const [ours, theirs] = InMemoryTransport.createLinkedPair()
      connections.add(serveConnection({ ...server.createFront(), transport: ours, kind: 'memory' }))
      return theirs
    },
    async stop() {
      await Promise.all([...connections].map((connection) => connection.close()))
      await server.crib[Symbol.asyncDispose]()
    },
  }
}
