// The options of wrapServer, and their checks for JavaScript callers.

import type { z } from 'zod'
import type { ConnectionFields } from '../config/connection-kind.ts'
import { givenConnection } from '../config/connection-kinds.ts'
import type { Connection } from '../config/server-config.ts'
import type { Middleware } from '../core/call.ts'
import {
  aFlag,
  aFunction,
  aListOf,
  anObject,
  aText,
  aWholeNumber,
  type Check,
  findFieldFault,
  oneOf,
} from '../core/check-fields.ts'
import { raise } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import type { StrategySelection } from '../disclosure/strategies/builtins.ts'
import type { RankerPlugin } from '../search/ranker.ts'
import type { RankerName } from '../search/rankers/builtins.ts'
import type { Store, StorePlugin } from '../storage/store.ts'
import { checkAuth } from './auth.ts'
import { limitsCheck, rankerCheck, strategyCheck, type TransportOptions } from './server-options.ts'
import { storeCheck } from './server-store.ts'

/** An MCP server that is started as a child process. */
export interface StdioServer {
  /** The server talks over its stdin and stdout. */
  readonly type: 'stdio'
  /** The program to start. */
  readonly command: string
  /** Its arguments. Default: none. */
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
  /** Its working directory. Default: that of this process. */
  readonly cwd?: string
}

/** An MCP server that is reached over HTTP. */
export interface HttpServer {
  /** `http` is Streamable HTTP, `sse` is the older transport. */
  readonly type: 'http' | 'sse'
  /** The address of the MCP endpoint. */
  readonly url: string
  /** Sent with each request, for example `authorization`. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
}

/** How the wrapped server is reached. */
export type WrapConnection = StdioServer | HttpServer

/** The options that `wrapServer` and `lazyTools` share. */
export interface ToolOptions {
  /** Tools that are hidden from every client: names, globs or `/regex/`, as in rules. */
  readonly hide?: readonly string[]
  /** Run around every call, the first one outermost. Default: none. */
  readonly middleware?: readonly Middleware[]
  /** Ranks the results of searches: a built-in ranker by name, or the result of `defineRanker`. Default: `bm25f`. */
  readonly ranker?: RankerName | RankerPlugin
}

interface WrapServerFields extends ToolOptions, TransportOptions {
  /** The name of the server in errors. Default: derived from the connection. */
  readonly name?: string
  /** Longer results are cut if a listed tool can read the rest. By default no result is cut. */
  readonly maxResultTokens?: number
  /**
   * Passes on `includeContext` of the server's sampling requests, which asks the client to add context of MCP servers
   * to the prompt.
   */
  readonly includeContext?: boolean
  /** How many questions (elicitation, sampling) the server may ask in one call (default 16). */
  readonly maxQuestions?: number
  /**
   * Stores what outlives the process: the tools enabled under `manage`. An opened store, which stays open at `stop`, or
   * the result of `defineStore`, which the server opens in a folder of its own and closes at `stop`. Default: not
   * stored.
   */
  readonly store?: Store | StorePlugin
  /** Called with problems that do not belong to a call. Default: they are written to stderr. */
  onError?(error: Error): void
}

/**
 * The options of `wrapServer`. The default of `strategy` is `auto`; `strategyOptions` are the options of the strategy.
 * `Own` is the schema of the options of a strategy of your own.
 */
export type WrapServerOptions<Own extends z.ZodObject = z.ZodObject> = WrapServerFields &
  StrategySelection<'strategy', 'auto', Own>

/** Converts a connection to the form that the rest of the program uses. Throws if it is not valid. */
export function checkConnection(given: WrapConnection): Connection {
  const refuse = (reason: string) =>
    raise('INVALID_OPTIONS', {
      what: 'connection',
      reason,
      todo: "Give { type: 'stdio', command, args } or { type: 'http', url }.",
    })
  if (!isRecord(given)) return refuse('it is not an object')
  const { type, command, args, env, cwd, inheritEnv, allowEnv, url, headers }: ConnectionFields = given
  const isList = (value: unknown) => aListOf(aText, 'texts')(value) === undefined
  if (args !== undefined && !isList(args)) return refuse('its args are not a list of texts')
  if (inheritEnv !== undefined && typeof inheritEnv !== 'boolean' && !isList(inheritEnv))
    return refuse('its inheritEnv is not true, false or a list of texts')
  if (allowEnv !== undefined && !isList(allowEnv)) return refuse('its allowEnv is not a list of texts')
  const read = givenConnection({ type, command, args, env, cwd, inheritEnv, allowEnv, url, headers })
  return read.ok ? read.connection : refuse(read.reason)
}

const OPTIONS = {
  name: aText,
  strategy: strategyCheck,
  store: storeCheck,
  strategyOptions: anObject,
  hide: aListOf(aText, 'texts'),
  maxResultTokens: aWholeNumber(1),
  includeContext: aFlag,
  maxQuestions: aWholeNumber(0),
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

export function checkWrapOptions(options: WrapServerOptions): void {
  const fault = findFieldFault(options, OPTIONS)
  if (fault !== undefined) {
    const { field = 'options of wrapServer', reason, todo } = fault
    raise('INVALID_OPTIONS', { what: field, reason, todo })
  }
  if (options.auth !== undefined) checkAuth(options.auth)
}
