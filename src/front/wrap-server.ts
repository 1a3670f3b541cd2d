// wrapServer: serves one existing MCP server over stdio or HTTP, with any strategy.

import { readFileSync } from 'node:fs'
import type { AddressOptions } from '../config/http-address.ts'
import type { Connection } from '../config/server-config.ts'
import type { Middleware } from '../core/call.ts'
import {
  aFlag,
  aFunction,
  aListOf,
  aNumber,
  anObject,
  aText,
  type Check,
  findFieldFault,
  oneOf,
} from '../core/check-fields.ts'
import { raise } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { openWrap, type Wrapped } from '../crib/wrap.ts'
import type { StrategySelection } from '../disclosure/strategies/strategy-selection.ts'
import type { RankerPlugin } from '../search/ranker.ts'
import { chooseRanker } from '../search/rankers/builtins.ts'
import type { Store } from '../storage/store.ts'
import { createActivity } from './activity.ts'
import type { AuthOptions } from './auth.ts'
import { chooseTransport } from './choose-transport.ts'
import type { CorsOptions } from './cors.ts'
import { DEFAULT_HOST, DEFAULT_PORT, type Door, httpUrl, openHttpDoor, openStdioDoor } from './doors.ts'
import type { FrontOptions } from './front-options.ts'
import {
  limitsCheck,
  rankerCheck,
  type ServerLimits,
  type StopOptions,
  storeCheck,
  strategyCheck,
} from './server-options.ts'

/** An MCP server that is started as a child process. */
export interface StdioServer {
  readonly type: 'stdio'
  readonly command: string
  readonly args?: readonly string[]
  /** Added to the inherited variables. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * The variables of this process that the server gets: all (default), a few that every program needs (false), or
   * those few and the names that match a glob of the list, such as `AWS_*`.
   */
  readonly inheritEnv?: boolean | readonly string[]
  /** Variables such as `NODE_OPTIONS` that `env` may set. They make a program load other code. */
  readonly allowEnv?: readonly string[]
  readonly cwd?: string
}

/** An MCP server that is reached over HTTP. */
export interface HttpServer {
  /** `http` is Streamable HTTP, `sse` is the older transport. */
  readonly type: 'http' | 'sse'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/** How the wrapped server is reached. */
export type WrapConnection = StdioServer | HttpServer

interface WrapServerFields {
  /** The name of the server in errors. Default: derived from the connection. */
  readonly name?: string
  /** Tools that are hidden from every client: names, globs or `/regex/`, as in rules. */
  readonly hide?: readonly string[]
  /** Longer results are cut if a listed tool can read the rest. By default no result is cut. */
  readonly maxResultTokens?: number
  /**
   * Passes on `includeContext` of the server's sampling requests, which asks the client to add context of MCP servers
   * to the prompt.
   */
  readonly includeContext?: boolean
  /** How many questions (elicitation, sampling) the server may ask in one call (default 16). */
  readonly maxQuestions?: number
  readonly middleware?: readonly Middleware[]
  /** Ranks the results of searches: a built-in ranker by its name, or the result of `defineRanker`. Default: `bm25f`. */
  readonly ranker?: string | RankerPlugin
  /** Stores what outlives the process: the tools enabled under `manage`. Default: not stored. */
  readonly store?: Store
  /** Default: `auto`, which is stdio if stdin is a pipe, a socket or a file, otherwise HTTP. */
  readonly transport?: 'stdio' | 'http' | 'auto'
  /** Default: 3100. 0 takes any free port. */
  readonly port?: number
  readonly host?: string
  readonly cors?: CorsOptions
  /** Required unless the host is a loopback address. */
  readonly auth?: AuthOptions
  /** The public address, for a server behind a proxy or with a certificate. */
  readonly http?: AddressOptions
  readonly limits?: ServerLimits
  /** Called with problems that do not belong to a call. Default: they are written to stderr. */
  onError?(error: Error): void
}

/** The options of `wrapServer`. The default of `strategy` is `auto`; `strategyOptions` are the options of the strategy. */
export type WrapServerOptions = WrapServerFields & StrategySelection<'strategy', 'auto'>

/** A server in front of another MCP server. */
export interface WrappedServer {
  /** Starts the wrapped server, then serves. Rejects with the reason if it cannot start. */
  start(): Promise<void>
  /** Refuses new calls, waits for calls in flight (`limits.drainMs`), then ends the wrapped server. */
  stop(options?: StopOptions): Promise<void>
  /** `http://localhost:3100`, with `http.basePath` if it is set (the MCP endpoint is /mcp), or `stdio://`. */
  getUrl(): string
  getTransport(): 'stdio' | 'http'
}

interface Running {
  readonly door: Door
  readonly wrapped: Wrapped
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
export function wrapServer(connection: WrapConnection, options: WrapServerOptions = {}): WrappedServer {
  const target = checkConnection(connection)
  checkOptions(options)
  const { host, port, auth, cors, http } = options
  const ranker = chooseRanker(options.ranker)
  const { transport } = chooseTransport(options.transport ?? 'auto')
  const report = (error: Error) => {
    if (options.onError === undefined) process.stderr.write(`toolcrib: ${error.message}\n`)
    else options.onError(error)
  }
  const open = async (signal: AbortSignal): Promise<Running> => {
    const wrapped = await openWrap(
      {
        connection: target,
        name: options.name,
        strategy: options.strategy,
        strategyOptions: options.strategyOptions,
        hide: options.hide,
        maxResultTokens: options.maxResultTokens,
        includeContext: options.includeContext,
        maxQuestions: options.maxQuestions,
        ...(options.middleware === undefined ? {} : { middleware: options.middleware }),
        ranker,
        ...(options.store === undefined ? {} : { store: options.store }),
        env: process.env,
        clientInfo: { name: 'toolcrib', version: ownVersion() },
        onProblem: (reason) => report(new Error(reason)),
        onChoice: (line) => process.stderr.write(`toolcrib: ${line}\n`),
      },
      signal,
    )
    try {
      const front = frontOf(wrapped, report)
      const limits = { ...options.limits, say: (line: string) => process.stderr.write(`toolcrib: ${line}\n`) }
      const door =
        transport === 'stdio'
          ? openStdioDoor(front, limits)
          : await openHttpDoor(front, { host, port, auth, cors, http, ...limits })
      return { door, wrapped }
    } catch (error) {
      await wrapped[Symbol.asyncDispose]()
      throw error
    }
  }

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
    },
    getUrl: () =>
      running?.door.url ??
      (transport === 'stdio' ? 'stdio://' : httpUrl(host ?? DEFAULT_HOST, port ?? DEFAULT_PORT, http)),
    getTransport: () => transport,
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

function checkConnection(given: WrapConnection): Connection {
  const wrong = (reason: string) =>
    raise('INVALID_OPTIONS', {
      what: 'connection',
      reason,
      todo: "Give { type: 'stdio', command, args } or { type: 'http', url }.",
    })
  if (!isRecord(given)) return wrong('it is not an object')
  if (given.type === 'stdio') {
    if (typeof given.command !== 'string' || given.command === '') return wrong('it has no command')
    const { command, args = [], env = {}, cwd, inheritEnv, allowEnv } = given
    const isList = (value: unknown) => aListOf(aText, 'texts')(value) === undefined
    if (inheritEnv !== undefined && typeof inheritEnv !== 'boolean' && !isList(inheritEnv))
      return wrong('its inheritEnv is not true, false or a list of texts')
    if (allowEnv !== undefined && !isList(allowEnv)) return wrong('its allowEnv is not a list of texts')
    return {
      type: 'stdio',
      command,
      args,
      env,
      ...(cwd === undefined ? {} : { cwd }),
      ...(inheritEnv === undefined ? {} : { inheritEnv }),
      ...(allowEnv === undefined ? {} : { allowEnv }),
    }
  }
  if (given.type !== 'http' && given.type !== 'sse') return wrong("its type is not 'stdio', 'http' or 'sse'")
  if (!URL.canParse(given.url)) return wrong('its url is not a valid URL')
  return { type: given.type, url: given.url, headers: given.headers ?? {} }
}

const OPTIONS = {
  name: aText,
  strategy: strategyCheck,
  store: storeCheck,
  strategyOptions: anObject,
  hide: aListOf(aText, 'texts'),
  maxResultTokens: aNumber,
  includeContext: aFlag,
  maxQuestions: aNumber,
  middleware: aListOf(aFunction, 'functions'),
  ranker: rankerCheck,
  transport: oneOf('stdio', 'http', 'auto'),
  // `port` and `cors` are checked when the door opens.
  port: () => undefined,
  host: aText,
  cors: () => undefined,
  auth: anObject,
  http: anObject,
  limits: limitsCheck,
  onError: aFunction,
} satisfies Record<keyof WrapServerOptions, Check>

function checkOptions(options: WrapServerOptions): void {
  const fault = findFieldFault(options, OPTIONS)
  if (fault === undefined) return
  const { field = 'options of wrapServer', reason, todo } = fault
  raise('INVALID_OPTIONS', { what: field, reason, todo })
}

function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return String(version)
}
