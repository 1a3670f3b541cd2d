// wrapServer: serves one existing MCP server over stdio or HTTP, with any strategy.

import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import type { Connection } from '../config/server-config.ts'
import { defined } from '../core/defined.ts'
import { nameFrom } from '../crib/server-name.ts'
import { openWrap, type Wrapped } from '../crib/wrap.ts'
import type { Ranker } from '../search/ranker.ts'
import { chooseRanker } from '../search/rankers/builtins.ts'
import { createActivity } from './activity.ts'
import { chooseTransport } from './choose-transport.ts'
import { DEFAULT_HOST, DEFAULT_PORT, type Door, httpUrl, openHttpDoor, openStdioDoor } from './doors.ts'
import type { FrontOptions } from './front-options.ts'
import { processEnvironment } from './process-environment.ts'
import type { StopOptions } from './server-options.ts'
import { openServerStore } from './server-store.ts'
import { checkConnection, checkWrapOptions, type WrapConnection, type WrapServerOptions } from './wrap-options.ts'

/** A server in front of another MCP server. */
export interface WrappedServer {
  /** Starts the wrapped server, then serves. Rejects with the reason if it cannot start. */
  start(): Promise<void>
  /** Refuses new calls, waits for calls in flight (`limits.drainMs`), then ends the wrapped server. */
  stop(options?: StopOptions): Promise<void>
  /** `http://localhost:3100`, with `http.basePath` if it is set (the MCP endpoint is /mcp), or `stdio://`. */
  getUrl(): string
  /** The transport that `auto` has chosen, or the given one. */
  getTransport(): 'stdio' | 'http'
}

interface Running {
  readonly door: Door
  readonly wrapped: Wrapped
  /** Closes the store if the server has opened it. */
  closeStore(): Promise<void>
}

/**
 * Serves one existing MCP server over stdio or HTTP, with any strategy.
 *
 * @example
 * ```ts
 * const server = wrapServer(
 *   { type: 'stdio', command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] },
 *   { strategy: 'manage', strategyOptions: { maxEnabled: 10 } },
 * )
 * await server.start()
 * ```
 */
export function wrapServer<Own extends z.ZodObject = z.ZodObject>(
  connection: WrapConnection,
  options: WrapServerOptions<Own> = {},
): WrappedServer {
  const target = checkConnection(connection)
  checkWrapOptions(options)
  const { host, port, http } = options
  const ranker = chooseRanker(options.ranker)
  const { transport } = chooseTransport(options.transport ?? 'auto')
  const report = (error: Error) => {
    if (options.onError === undefined) process.stderr.write(`toolcrib: ${error.message}\n`)
    else options.onError(error)
  }
  const open = (signal: AbortSignal) => openWrapped({ target, options, ranker, transport, report }, signal)

  let starting: Promise<Running> | undefined
  let running: Running | undefined
  let closing: Running | undefined
  let startAbort = new AbortController()
  return {
    async start() {
      startAbort = new AbortController()
      starting ??= open(startAbort.signal)
      try {
        running = await starting
      } catch (error) {
        starting = undefined
        throw error
      }
    },
    async stop({ signal } = {}) {
      startAbort.abort()
      // If stop is called twice, the second call gets the same door: its signal can end the wait of the first.
      const opened = (await starting?.catch(() => undefined)) ?? closing
      starting = undefined
      running = undefined
      closing = opened
      await opened?.door.close(signal)
      await opened?.wrapped[Symbol.asyncDispose]()
      await opened?.closeStore()
    },
    getUrl: () =>
      running?.door.url ??
      (transport === 'stdio' ? 'stdio://' : httpUrl(host ?? DEFAULT_HOST, port ?? DEFAULT_PORT, http)),
    getTransport: () => transport,
  }
}

interface OpenOptions {
  readonly target: Connection
  readonly options: WrapServerOptions
  readonly ranker: Ranker
  readonly transport: 'stdio' | 'http'
  report(error: Error): void
}

/** Starts the wrapped server and opens a door in front of it. If the door cannot be opened, ends the server. */
async function openWrapped(given: OpenOptions, signal: AbortSignal): Promise<Running> {
  const { target, options, ranker, report } = given
  const environment = processEnvironment()
  const name = options.name ?? (await nameFrom(target))
  const onProblem = ({ message }: { readonly message: string }) => report(new Error(message))
  const opened =
    options.store === undefined ? undefined : openServerStore(options.store, { server: name, environment, onProblem })
  try {
    await opened?.check()
    const wrapped = await openWrap(
      {
        connection: target,
        name,
        strategy: options.strategy,
        strategyOptions: options.strategyOptions,
        hide: options.hide,
        maxResultTokens: options.maxResultTokens,
        includeContext: options.includeContext,
        maxQuestions: options.maxQuestions,
        ...defined({ middleware: options.middleware, store: opened?.store }),
        ranker,
        env: environment.env,
        clientInfo: { name: 'toolcrib', version: ownVersion() },
        onProblem: (reason) => report(new Error(reason)),
        onChoice: (line) => process.stderr.write(`toolcrib: ${line}\n`),
      },
      signal,
    )
    return { door: await openDoor(wrapped, given), wrapped, closeStore: async () => opened?.close() }
  } catch (error) {
    await opened?.close()
    throw error
  }
}

async function openDoor(wrapped: Wrapped, { options, transport, report }: OpenOptions): Promise<Door> {
  const { host, port, auth, cors, http } = options
  const limits = { ...options.limits, say: (line: string) => process.stderr.write(`toolcrib: ${line}\n`) }
  try {
    const front = frontOf(wrapped, report)
    return transport === 'stdio'
      ? openStdioDoor(front, limits)
      : await openHttpDoor(front, { host, port, auth, cors, http, ...limits })
  } catch (error) {
    await wrapped[Symbol.asyncDispose]()
    throw error
  }
}

/** The options for one door in front of a running server. */
export function frontOf(wrapped: Wrapped, onError: (error: Error) => void): FrontOptions {
  const { crib, features, identity, instructions } = wrapped
  return {
    crib,
    features,
    identity,
    ...(instructions === undefined ? {} : { instructions }),
    activity: createActivity(),
    onToolCall: () => {},
    onError,
  }
}

function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return String(version)
}
