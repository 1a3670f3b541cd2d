// A command server behind in-memory transports, put together from the same parts as `createMcpServer`.

import { InMemoryTransport, type Transport } from '@modelcontextprotocol/server'
import { createCrib } from '../../src/crib/crib.ts'
import { defaultMiddleware } from '../../src/dispatch/middleware/defaults.ts'
import { createActivity } from '../../src/front/activity.ts'
import { serveConnection } from '../../src/front/connection.ts'
import type { McpServer, McpServerOptions } from '../../src/front/create-mcp-server.ts'
import type { ToolCallEvent } from '../../src/front/protocol-server.ts'
import { createCommandSet } from '../../src/sources/commands/command-set.ts'
import { createCommandSource } from '../../src/sources/commands/command-source.ts'
import { checkContexts, createContextCommands } from '../../src/sources/commands/contexts.ts'

export interface MemoryServer extends Pick<McpServer, 'on' | 'register'> {
  /** The client's end of a new connection. */
  connect(): Transport
  stop(): Promise<void>
}

export function createMemoryServer(options: McpServerOptions): MemoryServer {
  const { prefix = 'afd', ...strategyOptions } = { ...options.strategyOptions }
  const contexts = checkContexts(options.contexts ?? [])
  const commands = createCommandSet(options.commands)
  if (contexts.length > 0) commands.register(...createContextCommands(String(prefix)))
  const listeners = new Set<(event: ToolCallEvent) => void>()
  const strategy = options.toolStrategy ?? 'grouped'
  const crib = createCrib({
    name: options.name,
    version: options.version,
    sources: [
      createCommandSource({
        id: 'commands',
        commands,
        ...(options.registry === undefined ? {} : { unexposed: options.registry }),
      }),
    ],
    strategy,
    strategyOptions: {
      ...strategyOptions,
      ...(strategy === 'grouped' && options.groupByFn !== undefined ? { groupBy: options.groupByFn } : {}),
    },
    prefix: String(prefix),
    contexts,
    middleware: options.middleware ?? defaultMiddleware(),
    devMode: options.devMode ?? false,
    onCommand: ({ command, input, result, context }) => options.onCommand?.(command, input, result, context),
  })
  const connections = new Set<{ close(): Promise<void> }>()
  return {
    connect() {
      const [ours, theirs] = InMemoryTransport.createLinkedPair()
      connections.add(
        serveConnection({
          crib,
          activity: createActivity(),
          onToolCall: (event) => {
            for (const listener of listeners) listener(event)
          },
          onError: (error) => options.onError?.(error),
          transport: ours,
          kind: 'memory',
        }),
      )
      return theirs
    },
    register: (...added) => commands.register(...added),
    on(_event, listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async stop() {
      await Promise.all([...connections].map((connection) => connection.close()))
      await crib[Symbol.asyncDispose]()
    },
  }
}
