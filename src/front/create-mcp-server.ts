// createMcpServer: commands behind an MCP endpoint, over stdio or HTTP, under any strategy.

import type { CommandContext, ContextDefinition, Middleware } from '../core/call.ts'
import { raise } from '../core/errors.ts'
import { attempt } from '../core/listeners.ts'
import type { CommandResult } from '../core/result.ts'
import { createCrib } from '../crib/crib.ts'
import { createExecutor, type Executor } from '../crib/execute.ts'
import type { GroupBy } from '../disclosure/groups.ts'
import { defaultMiddleware } from '../dispatch/middleware/defaults.ts'
import { type CommandSet, createCommandSet } from '../sources/commands/command-set.ts'
import { createCommandSource } from '../sources/commands/command-source.ts'
import { checkContexts, createContextCommands } from '../sources/commands/contexts.ts'
import { type Command, checkNotReserved, DEFAULT_PREFIX } from '../sources/commands/define.ts'
import { createActivity } from './activity.ts'
import type { AuthOptions } from './auth.ts'
import { serveConnection } from './connection.ts'
import type { CorsOptions } from './cors.ts'
import { serveHttp } from './http.ts'
import type { FrontOptions, ToolCallEvent } from './protocol-server.ts'
import { createStdioTransport } from './stdio-transport.ts'

export interface McpServerOptions {
  readonly name: string
  readonly version: string
  /** What the server exposes. */
  readonly commands: readonly Command[]
  /** Commands that exist besides: described on request, never callable. */
  readonly registry?: CommandSet
  /** A strategy's name: individual, grouped (the default) or lazy. */
  readonly toolStrategy?: string
  /** `prefix` renames the server's own tools (`afd-call` …); the rest is the strategy's. */
  readonly strategyOptions?: Readonly<Record<string, unknown>>
  /** The group of a command under `grouped`, in place of its category. */
  readonly groupByFn?: GroupBy
  readonly contexts?: readonly ContextDefinition[]
  /** In place of the default stack; spread `defaultMiddleware()` to keep it. */
  readonly middleware?: readonly Middleware[]
  /** `auto` (the default): stdio when stdin is piped, else HTTP. */
  readonly transport?: 'stdio' | 'http' | 'auto'
  /** 3100; 0 takes any free one. */
  readonly port?: number
  readonly host?: string
  readonly cors?: CorsOptions
  /** Required off loopback. */
  readonly auth?: AuthOptions
  /** Stack traces in error details. */
  readonly devMode?: boolean
  onCommand?(command: string, input: unknown, result: CommandResult, context: CommandContext): void
  onError?(error: Error): void
}

export interface McpServer extends Executor {
  start(): Promise<void>
  /** Takes no new calls, waits for those under way, then closes. */
  stop(): Promise<void>
  /** `http://localhost:3100` (MCP is at /mcp under it) or `stdio://`. */
  getUrl(): string
  getTransport(): 'stdio' | 'http'
  getCommands(): readonly Command[]
  /** Exposes more commands while it runs; clients whose list changes are told. */
  register(...commands: readonly Command[]): void
  /** Every tool call of every client, also those that only introspect. */
  on(event: 'tool:call', listener: (event: ToolCallEvent) => void): () => void
}

const DEFAULT_PORT = 3100
const DRAIN_MS = 5_000
const MAX_STDIO_MESSAGE_BYTES = 64 * 1024 * 1024

interface Door {
  readonly url: string
  close(): Promise<void>
}

export function createMcpServer(options: McpServerOptions): McpServer {
  const contexts = checkContexts(options.contexts ?? [])
  const { prefix, ...strategyOptions } = splitPrefix(options.strategyOptions)
  const commands = createCommandSet(checkCommands(options.commands, prefix))
  if (contexts.length > 0) commands.register(...createContextCommands(prefix))
  const toolCallListeners = new Set<(event: ToolCallEvent) => void>()
  const transport = chooseTransport(options.transport ?? 'auto')

  const strategy = options.toolStrategy ?? 'grouped'
  const groupBy = strategy === 'grouped' && options.groupByFn !== undefined ? { groupBy: options.groupByFn } : {}
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
    strategyOptions: { ...strategyOptions, ...groupBy },
    prefix,
    contexts,
    middleware: options.middleware ?? defaultMiddleware(),
    devMode: options.devMode ?? false,
    onCommand: ({ command, input, result, context }) =>
      attempt(() => options.onCommand?.(command, input, result, context)),
  })
  /** Each door waits for its own calls only. */
  const createFront = (): FrontOptions => ({
    crib,
    activity: createActivity(),
    onToolCall: (event) => {
      for (const listener of toolCallListeners) attempt(() => listener(event))
    },
    onError: (error) => attempt(() => options.onError?.(error)),
  })

  const openHttp = async (): Promise<Door> => {
    const { host = 'localhost', port = DEFAULT_PORT, auth, cors } = options
    const door = await serveHttp({
      ...createFront(),
      // 'localhost' may mean ::1 alone; every client that says localhost tries 127.0.0.1.
      host: host === 'localhost' ? '127.0.0.1' : host,
      port,
      ...(auth === undefined ? {} : { auth }),
      ...(cors === undefined ? {} : { cors }),
    })
    return { url: httpUrl(host, door.port), close: () => door.close(DRAIN_MS) }
  }
  const openStdio = async (): Promise<Door> => {
    const front = createFront()
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
    ...createExecutor(() => crib),
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
    getCommands: () => commands.list(),
    register: (...added) => commands.register(...checkCommands(added, prefix)),
    on(_event, listener) {
      toolCallListeners.add(listener)
      return () => toolCallListeners.delete(listener)
    },
  }
}

function splitPrefix({ prefix = DEFAULT_PREFIX, ...rest }: Readonly<Record<string, unknown>> = {}) {
  if (typeof prefix === 'string' && /^[a-z][a-z0-9]*$/.test(prefix)) return { prefix, ...rest }
  return raise('INVALID_OPTIONS', {
    what: 'strategyOptions.prefix',
    reason: 'it is not one lower-case word',
    todo: `Leave it out for '${DEFAULT_PREFIX}', or give a word like 'acme'.`,
  })
}

function checkCommands(commands: readonly Command[], prefix: string): readonly Command[] {
  if (!Array.isArray(commands)) {
    raise('INVALID_OPTIONS', { what: 'commands', reason: 'it is not an array', todo: 'Give commands: [ … ].' })
  }
  for (const { name, builtin } of commands) {
    if (builtin !== true) checkNotReserved(name, prefix)
  }
  return commands
}

function chooseTransport(wanted: 'stdio' | 'http' | 'auto'): 'stdio' | 'http' {
  if (wanted !== 'auto') return wanted
  return process.stdin.isTTY === true ? 'http' : 'stdio'
}

function httpUrl(host: string, port: number): string {
  return `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`
}
