// createMcpServer: commands behind an MCP endpoint, over stdio or HTTP, under any strategy.

import { raise } from '../core/errors.ts'
import { createExecutor, type Executor } from '../crib/execute.ts'
import type { AuthOptions } from './auth.ts'
import { type CommandServer, type CommandServerOptions, createCommandServer } from './command-server.ts'
import { serveConnection } from './connection.ts'
import type { CorsOptions } from './cors.ts'
import { serveHttp } from './http.ts'
import { createStdioTransport } from './stdio-transport.ts'

export interface McpServerOptions extends CommandServerOptions {
  /** `auto` (the default): stdio when stdin is piped, else HTTP. */
  readonly transport?: 'stdio' | 'http' | 'auto'
  /** 3100; 0 takes any free one. */
  readonly port?: number
  readonly host?: string
  readonly cors?: CorsOptions
  /** Required off loopback. */
  readonly auth?: AuthOptions
}

export interface McpServer extends Executor, Pick<CommandServer, 'getCommands' | 'register' | 'on'> {
  start(): Promise<void>
  /** Takes no new calls, waits for those under way, then closes. */
  stop(): Promise<void>
  /** `http://localhost:3100` (MCP is at /mcp under it) or `stdio://`. */
  getUrl(): string
  getTransport(): 'stdio' | 'http'
}

const DEFAULT_PORT = 3100
const DRAIN_MS = 5_000
const MAX_STDIO_MESSAGE_BYTES = 64 * 1024 * 1024

interface Door {
  readonly url: string
  close(): Promise<void>
}

export function createMcpServer(options: McpServerOptions): McpServer {
  const server = createCommandServer(options)
  const transport = chooseTransport(options.transport ?? 'auto')

  const openHttp = async (): Promise<Door> => {
    const { host = 'localhost', port = DEFAULT_PORT, auth, cors } = options
    const door = await serveHttp({
      ...server.createFront(),
      // 'localhost' may mean ::1 alone; every client that says localhost tries 127.0.0.1.
      host: host === 'localhost' ? '127.0.0.1' : host,
      port,
      ...(auth === undefined ? {} : { auth }),
      ...(cors === undefined ? {} : { cors }),
    })
    return { url: httpUrl(host, door.port), close: () => door.close(DRAIN_MS) }
  }
  const openStdio = async (): Promise<Door> => {
    const front = server.createFront()
    const transport = createStdioTransport({
      input: process.stdin,
      output: process.stdout,
      maxMessageBytes: MAX_STDIO_MESSAGE_BYTES,
    })
    const connection = serveConnection({ ...front, transport, kind: 'stdio' })
    return {
      url: 'stdio://',
      async close() {
        await front.activity.drain(DRAIN_MS)
        // A call that has just ended has yet to hand its answer to the transport.
        await new Promise((resolve) => setImmediate(resolve))
        await connection.close()
      },
    }
  }

  let opening: Promise<Door> | undefined
  let opened: Door | undefined
  let closing: Promise<void> | undefined
  return {
    ...createExecutor(() => server.crib),
    getCommands: server.getCommands,
    register: server.register,
    on: server.on,
    async start() {
      opening ??= transport === 'stdio' ? openStdio() : openHttp()
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
    },
    getUrl: () =>
      opened?.url ??
      (transport === 'stdio' ? 'stdio://' : httpUrl(options.host ?? 'localhost', options.port ?? DEFAULT_PORT)),
    getTransport: () => transport,
  }
}

function chooseTransport(wanted: 'stdio' | 'http' | 'auto'): 'stdio' | 'http' {
  if (wanted === 'stdio' || wanted === 'http') return wanted
  if (wanted !== 'auto') {
    raise('INVALID_OPTIONS', {
      what: 'transport',
      reason: `'${wanted}' is none`,
      todo: "Use 'stdio', 'http' or 'auto'.",
    })
  }
  return process.stdin.isTTY === true ? 'http' : 'stdio'
}

function httpUrl(host: string, port: number): string {
  return `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`
}
