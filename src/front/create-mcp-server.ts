// createMcpServer: serves commands over MCP, by stdio or HTTP, with any strategy.

import type { z } from 'zod'
import { claimStdout } from '../core/claim-stdout.ts'
import { createExecutor, type Executor } from '../crib/direct-client.ts'
import { strategyIn, switchLine } from '../disclosure/strategy-switches.ts'
import type { Command } from '../sources/commands/define.ts'
import { type CommandControls, createCommandServer } from './command-server.ts'
import { createDoorControls, openServerDoor } from './doors.ts'
import { chooseTransport } from './process-stdio.ts'
import { checkServerOptions, type McpServerOptions, type StopOptions } from './server-options.ts'
import { processEnvironment } from './server-store.ts'

export type { McpServerOptions, StopOptions }

/** A server of commands. `C` is the type of the commands in its options. */
export interface McpServer<C extends Command = Command> extends Executor<C>, CommandControls {
  /** Opens the transport. Rejects if this fails, for example because the port is taken or the store does not work. */
  start(): Promise<void>
  /** Refuses new calls, waits for calls in flight (`limits.drainMs`), then closes. */
  stop(options?: StopOptions): Promise<void>
  /** `http://localhost:3100`, with `http.basePath` if it is set (the MCP endpoint is /mcp), or `stdio://`. */
  getUrl(): string
  /** The transport that `auto` has chosen, or the given one. */
  getTransport(): 'stdio' | 'http'
}

/**
 * Serves commands over MCP, by stdio or HTTP, with any strategy.
 *
 * @example
 * ```ts
 * const server = createMcpServer({ name: 'todos', version: '1.0.0', commands: [add], toolStrategy: 'lazy' })
 * await server.start()
 * console.error(`Serving on ${server.getUrl()}`)
 * ```
 */
export function createMcpServer<C extends Command = Command, Own extends z.ZodObject = z.ZodObject>(
  options: McpServerOptions<C, Own>,
): McpServer<C> {
  checkServerOptions(options)
  const environment = processEnvironment()
  // The user can choose a strategy with an environment variable if the author has not.
  const switched = options.toolStrategy === undefined ? strategyIn(environment.env) : undefined
  const toolStrategy = options.toolStrategy ?? switched?.strategy
  const server = createCommandServer(toolStrategy === undefined ? options : { ...options, toolStrategy }, environment)
  const { transport, reason } = chooseTransport(options.transport ?? 'auto')
  // Claimed now: output between now and `start` would corrupt the protocol on stdout.
  let claim = options.transport === 'stdio' ? claimStdout() : undefined
  const say = (message: string) => process.stderr.write(`${options.name}: ${message}\n`)
  const controls = createDoorControls(transport, options, async () => {
    if (switched !== undefined) say(switchLine(switched))
    await server.checkStore()
    const door = await openServerDoor(transport, server.createFront(), options, say)
    const where = transport === 'stdio' ? 'over stdio' : `over HTTP on ${door.url}/mcp`
    if (reason !== undefined) say(`serving ${where}, because ${reason} (transport: 'auto')`)
    return door
  })
  return {
    ...createExecutor<C>(() => server.crib),
    getCommands: server.getCommands,
    register: server.register,
    on: server.on,
    ...controls,
    async stop(given) {
      await controls.stop(given)
      claim?.release()
      claim = undefined
      await server.closeStore()
    },
  }
}
