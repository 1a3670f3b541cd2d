// createMcpServer: commands behind an MCP endpoint, over stdio or HTTP, under any strategy.

import { createExecutor, type Executor } from '../crib/execute.ts'
import { strategyIn, switchLine } from '../disclosure/strategy-switches.ts'
import { chooseTransport } from './choose-transport.ts'
import { type CommandServer, createCommandServer } from './command-server.ts'
import { DEFAULT_HOST, DEFAULT_PORT, type Door, httpUrl, openHttpDoor, openStdioDoor } from './doors.ts'
import { checkServerOptions, type McpServerOptions } from './server-options.ts'
import { claimStdout } from './stdout-claim.ts'

export type { McpServerOptions }

export interface McpServer extends Executor, Pick<CommandServer, 'getCommands' | 'register' | 'on'> {
  start(): Promise<void>
  /** Takes no new calls, waits for those under way, then closes. */
  stop(): Promise<void>
  /** `http://localhost:3100` (MCP is at /mcp under it) or `stdio://`. */
  getUrl(): string
  getTransport(): 'stdio' | 'http'
}

export function createMcpServer(options: McpServerOptions): McpServer {
  checkServerOptions(options)
  // The one place where a server reads its environment: the person who starts it may choose where its author has not.
  const switched = options.toolStrategy === undefined ? strategyIn(process.env) : undefined
  const toolStrategy = options.toolStrategy ?? switched?.strategy
  const server = createCommandServer(toolStrategy === undefined ? options : { ...options, toolStrategy })
  const { transport, reason } = chooseTransport(options.transport ?? 'auto')
  const { host, port, auth, cors } = options
  // A line that is printed between now and `start` would be the first that a client reads.
  let claim = options.transport === 'stdio' ? claimStdout() : undefined
  const open = async (): Promise<Door> =>
    transport === 'stdio'
      ? openStdioDoor(server.createFront())
      : openHttpDoor(server.createFront(), { host, port, auth, cors })

  let opening: Promise<Door> | undefined
  let opened: Door | undefined
  let closing: Promise<void> | undefined
  return {
    ...createExecutor(() => server.crib),
    getCommands: server.getCommands,
    register: server.register,
    on: server.on,
    async start() {
      if (opening === undefined && reason !== undefined) {
        process.stderr.write(`${options.name}: serving over ${transport}, because ${reason} (transport: 'auto')\n`)
      }
      if (opening === undefined && switched !== undefined) {
        process.stderr.write(`${options.name}: ${switchLine(switched)}\n`)
      }
      opening ??= open()
      opened = await opening.catch((error) => {
        opening = undefined
        throw error
      })
    },
    async stop() {
      const door = await opening?.catch(() => undefined)
      opening = undefined
      opened = undefined
      closing = door?.close() ?? closing
      await closing
      claim?.release()
      claim = undefined
      await server.save()
    },
    getUrl: () =>
      opened?.url ?? (transport === 'stdio' ? 'stdio://' : httpUrl(host ?? DEFAULT_HOST, port ?? DEFAULT_PORT)),
    getTransport: () => transport,
  }
}
