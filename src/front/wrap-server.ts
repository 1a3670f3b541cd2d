// wrapServer: serves one existing MCP server over stdio or HTTP, with any strategy.

import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import type { Connection } from '../config/server-config.ts'
import { defined } from '../core/defined.ts'
import { messageOf } from '../core/text.ts'
import { nameFrom } from '../crib/server-name.ts'
import { openWrap, type Wrapped } from '../crib/wrap.ts'
import type { Ranker } from '../search/ranker.ts'
import { chooseRanker } from '../search/rankers/builtins.ts'
import { createActivity } from './activity.ts'
import { createDoorControls, openServerDoor, type ServingDoor } from './doors.ts'
import type { FrontOptions } from './front-options.ts'
import { chooseTransport } from './process-stdio.ts'
import type { StopOptions } from './server-options.ts'
import { openServerStore, processEnvironment } from './server-store.ts'
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
  const ranker = chooseRanker(options.ranker)
  const { transport } = chooseTransport(options.transport ?? 'auto')
  const report = (error: Error) => {
    if (options.onError === undefined) process.stderr.write(`toolcrib: ${error.message}\n`)
    else options.onError(error)
  }
  return createDoorControls(transport, options, (signal) =>
    openWrapped({ target, options, ranker, transport, report }, signal),
  )
}

interface OpenOptions {
  readonly target: Connection
  readonly options: WrapServerOptions
  readonly ranker: Ranker
  readonly transport: 'stdio' | 'http'
  report(error: Error): void
}

/** Starts the wrapped server and opens a door in front of it. If the door cannot be opened, ends the server. */
async function openWrapped(given: OpenOptions, signal: AbortSignal): Promise<ServingDoor> {
  const { target, options, ranker, transport, report } = given
  const environment = processEnvironment()
  const name = options.name ?? (await nameFrom(target))
  const onProblem = ({ message }: { readonly message: string }) => report(new Error(message))
  const say = (line: string) => process.stderr.write(`toolcrib: ${line}\n`)
  const store =
    options.store === undefined ? undefined : openServerStore(options.store, { server: name, environment, onProblem })
  let wrapped: Wrapped | undefined
  const end = async () => {
    await wrapped?.[Symbol.asyncDispose]()
    await store?.close()
  }
  try {
    await store?.check()
    wrapped = await openWrap(
      {
        connection: target,
        name,
        strategy: options.strategy,
        strategyOptions: options.strategyOptions,
        hide: options.hide,
        maxResultTokens: options.maxResultTokens,
        includeContext: options.includeContext,
        maxQuestions: options.maxQuestions,
        ...defined({ middleware: options.middleware, store: store?.store }),
        ranker,
        env: environment.env,
        clientInfo: { name: 'toolcrib', version: ownVersion() },
        onProblem: (reason) => report(new Error(reason)),
        onChoice: say,
      },
      signal,
    )
    const door = await openServerDoor(transport, frontOf(wrapped, report), options, say)
    const close = async (hurry?: AbortSignal) => {
      await door.close(hurry)
      await end()
    }
    // When a client over stdio leaves, the wrapped server is ended: its process would keep this one alive.
    void door.left?.then(() => close()).catch((error: unknown) => report(new Error(messageOf(error))))
    return { url: door.url, close }
  } catch (error) {
    await end()
    throw error
  }
}

/** The options for one door in front of a running server. */
export function frontOf(wrapped: Wrapped, onError: (error: Error) => void): FrontOptions {
  const { crib, features, identity, instructions = '' } = wrapped
  return {
    crib,
    features,
    identity,
    instructions,
    activity: createActivity(),
    onToolCall: () => {},
    onError,
  }
}

function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return String(version)
}
