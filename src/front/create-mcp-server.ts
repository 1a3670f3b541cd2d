// createMcpServer: serves commands over MCP, by stdio or HTTP, with any strategy.

import type { z } from 'zod'
import { createExecutor, type Executor } from '../crib/execute.ts'
import { strategyIn, switchLine } from '../disclosure/strategy-switches.ts'
import type { Command } from '../sources/commands/define.ts'
import { chooseTransport } from './choose-transport.ts'
import { type CommandControls, createCommandServer } from './command-server.ts'
import { DEFAULT_HOST, DEFAULT_PORT, type Door, httpUrl, openHttpDoor, openStdioDoor } from './doors.ts'
import { processEnvironment } from './process-environment.ts'
import { checkServerOptions, type McpServerOptions, type StopOptions } from './server-options.ts'
import { claimStdout } from './stdout-claim.ts'

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
  const { host, port, auth, cors, http } = options
  // Claimed now: output between now and `start` would corrupt the protocol on stdout.
  let claim = options.transport === 'stdio' ? claimStdout() : undefined
  const say = (message: string) => process.stderr.write(`${options.name}: ${message}\n`)
  const limits = { ...options.limits, say }
  const open = async (): Promise<Door> => {
    await server.checkStore()
    return transport === 'stdio'
      ? openStdioDoor(server.createFront(), limits)
      : openHttpDoor(server.createFront(), { host, port, auth, cors, http, ...limits })
  }

  let opening: Promise<Door> | undefined
  let opened: Door | undefined
  let closing: Door | undefined
  return {
    ...createExecutor<C>(() => server.crib),
    getCommands: server.getCommands,
    register: server.register,
    on: server.on,
    async start() {
      const isFirst = opening === undefined
      if (isFirst && switched !== undefined) say(switchLine(switched))
      opening ??= open()
      opened = await opening.catch((error) => {
        opening = undefined
        throw error
      })
      if (!isFirst || reason === undefined) return
      const where = transport === 'stdio' ? 'over stdio' : `over HTTP on ${opened.url}/mcp`
      say(`serving ${where}, because ${reason} (transport: 'auto')`)
    },
    async stop({ signal } = {}) {
      // If stop is called twice, the second call gets the same door: its signal can end the wait of the first.
      const door = (await opening?.catch(() => undefined)) ?? closing
      opening = undefined
      opened = undefined
      closing = door
      await door?.close(signal)
      claim?.release()
      claim = undefined
      await server.closeStore()
    },
    getUrl: () =>
      opened?.url ?? (transport === 'stdio' ? 'stdio://' : httpUrl(host ?? DEFAULT_HOST, port ?? DEFAULT_PORT, http)),
    getTransport: () => transport,
  }
}
