// The options of a server, and their checks for JavaScript callers.

import type { z } from 'zod'
import type { AddressOptions } from '../config/http-settings.ts'
import type { CommandContext, ContextDefinition, Middleware } from '../core/call.ts'
import {
  aFlag,
  aFunction,
  aListOf,
  anObject,
  aText,
  type Check,
  expecting,
  findFieldFault,
  oneOf,
} from '../core/check-fields.ts'
import { raise } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import type { CommandResult } from '../core/result.ts'
import { MAX_TIMER_MS } from '../core/waiting.ts'
import type { GroupBy } from '../disclosure/groups.ts'
import type { StrategySelection } from '../disclosure/strategies/builtins.ts'
import { isStrategyPlugin, type StrategyPlugin } from '../disclosure/strategy.ts'
import { isRankerPlugin, type RankerPlugin } from '../search/ranker.ts'
import type { RankerName } from '../search/rankers/builtins.ts'
import type { CommandSet } from '../sources/commands/command-set.ts'
import { aCommand, type Command } from '../sources/commands/define.ts'
import { isSourcePlugin, type SourcePlugin } from '../sources/source.ts'
import type { Store, StorePlugin } from '../storage/store.ts'
import { addressFor } from './address.ts'
import { type AuthOptions, checkAuth } from './auth.ts'
import type { CorsOptions } from './cors.ts'
import { storeCheck } from './server-store.ts'

/** The options of a command server, independent of its transport. */
export interface CommandServerOptions<C extends Command = Command> {
  /** The name that clients see, and that lines on stderr begin with. */
  readonly name: string
  /** The version that clients see, such as `1.0.0`. */
  readonly version: string
  /** Shown to people instead of the name. */
  readonly title?: string
  /** The purpose of the server, for people. */
  readonly description?: string
  /** Sent to clients at the start. The instructions of the strategy are appended. */
  readonly instructions?: string
  /** The commands that the server exposes. */
  readonly commands: readonly C[]
  /**
   * Further sources of tools, each the result of `defineSource`. With one or more of them, flat lists show the name of
   * the source before the name of each tool: `commands__todo-add`.
   */
  readonly sources?: readonly SourcePlugin[]
  /** Further commands that are described on request but cannot be called. */
  readonly registry?: CommandSet
  /** A built-in strategy by its name, or the result of `defineStrategy`. Default: `grouped`. */
  readonly toolStrategy?: string | StrategyPlugin | undefined
  /** `prefix` renames the server's own tools (`afd-call` …). The other options belong to the strategy. */
  readonly strategyOptions?: Readonly<Record<string, unknown>>
  /** Ranks the results of searches: a built-in ranker by name, or the result of `defineRanker`. Default: `bm25f`. */
  readonly ranker?: RankerName | RankerPlugin
  /** Returns the group of a command under `grouped`. Default: its category. */
  readonly groupByFn?: GroupBy
  /** Named parts of the commands. Default: none. */
  readonly contexts?: readonly ContextDefinition[]
  /**
   * Stores what outlives the process: the tools enabled under `manage`, and which tools are used most. An opened store,
   * which stays open at `stop`, or the result of `defineStore`, which the server opens in a folder of its own and
   * closes at `stop`. Default: not stored.
   */
  readonly store?: Store | StorePlugin
  /** Replaces the default middleware. Spread `defaultMiddleware()` to keep it. */
  readonly middleware?: readonly Middleware[]
  /** Makes an OpenTelemetry span for each call. It needs the package `@opentelemetry/api` and a registered provider. */
  readonly traces?: boolean
  /** Adds stack traces to error details and to stderr. */
  readonly devMode?: boolean
  /**
   * Called after each call of a command or a tool of `sources`, if the arguments are valid. Not called for the server's
   * own tools.
   */
  onCommand?(command: string, input: unknown, result: CommandResult, context: CommandContext): void
  /**
   * Called with an error that a handler or `groupByFn` threw (with its command), with problems of the store, and with
   * connection errors. Without it, connection errors are ignored and the others are written to stderr. Unless `devMode`
   * is set, the client gets only the message of a thrown error.
   */
  onError?(error: Error, about?: { readonly command: string }): void
}

/** How a server is reached. `createMcpServer` and `wrapServer` share these options. */
export interface TransportOptions {
  /** Default: `auto`, which is stdio if stdin is a pipe, a socket or a file, otherwise HTTP. */
  readonly transport?: 'stdio' | 'http' | 'auto'
  /** Default: 3100. 0 takes any free port. */
  readonly port?: number
  /** The address to listen on. Default: `localhost`. */
  readonly host?: string
  /** The web pages that may call the server. Default: none. */
  readonly cors?: CorsOptions
  /** Required if `host` or an entry of `http.allowedHosts` is not a loopback name or address. */
  readonly auth?: AuthOptions
  /** The public address, for a server behind a proxy or with a certificate. */
  readonly http?: AddressOptions
  /** Limits of the server. */
  readonly limits?: ServerLimits
}

/**
 * The options of `createMcpServer`. The default of `toolStrategy` is `grouped`; `strategyOptions` are the options of
 * the strategy. `C` is the type of the commands. `Own` is the schema of the options of a strategy of your own.
 */
export type McpServerOptions<C extends Command = Command, Own extends z.ZodObject = z.ZodObject> = Omit<
  CommandServerOptions<C>,
  'toolStrategy' | 'strategyOptions'
> &
  TransportOptions &
  StrategySelection<'toolStrategy', 'grouped', Own>

/** Limits of a server. */
export interface ServerLimits {
  /** How long requests in flight may take after the server stops or, over stdio, its input ends (default 30,000). */
  readonly drainMs?: number
}

/** Options of `stop()`. */
export interface StopOptions {
  /** Ends the wait: requests in flight are cancelled at once. */
  readonly signal?: AbortSignal
}

/** `createStrategy` checks the name. */
export const strategyCheck = expecting(
  'the name of a strategy or the result of defineStrategy()',
  (value) => typeof value === 'string' || isStrategyPlugin(value),
)

/** `chooseRanker` checks the name. */
export const rankerCheck = expecting(
  'the name of a ranker or the result of defineRanker()',
  (value) => typeof value === 'string' || isRankerPlugin(value),
)

export const limitsCheck = expecting(
  `{ drainMs } with a number of milliseconds from 0 to ${MAX_TIMER_MS}`,
  (value) =>
    isRecord(value) &&
    Object.entries(value).every(([name, ms]) => name === 'drainMs' && (ms === undefined || isDuration(ms))),
)
const isDuration = (value: unknown) => typeof value === 'number' && value >= 0 && value <= MAX_TIMER_MS

const aName = expecting('a text that is not empty', (value) => typeof value === 'string' && value !== '')
const isText = (value: unknown) => typeof value === 'string'

const OPTIONS = {
  name: aName,
  version: aName,
  title: aText,
  description: aText,
  instructions: aText,
  commands: aListOf(aCommand, 'commands'),
  registry: expecting(
    'the result of createCommandRegistry()',
    (value) => isRecord(value) && typeof value.list === 'function',
  ),
  toolStrategy: strategyCheck,
  sources: aListOf(
    (value) => (isSourcePlugin(value) ? undefined : 'it is not the result of defineSource()'),
    'sources',
  ),
  strategyOptions: anObject,
  ranker: rankerCheck,
  groupByFn: aFunction,
  // checkContexts checks them in detail.
  contexts: () => undefined,
  store: storeCheck,
  middleware: aListOf(aFunction, 'functions'),
  traces: aFlag,
  devMode: aFlag,
  onCommand: aFunction,
  onError: aFunction,
  transport: oneOf('stdio', 'http', 'auto'),
  port: expecting(
    'a whole number from 0 to 65535',
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 65_535,
  ),
  host: aText,
  cors: expecting(
    'true, an origin or a list of origins',
    (value) => typeof value === 'boolean' || isText(value) || (Array.isArray(value) && value.every(isText)),
  ),
  auth: anObject,
  http: anObject,
  limits: limitsCheck,
} satisfies Record<keyof McpServerOptions, Check>

export function checkServerOptions(options: CommandServerOptions & TransportOptions): void {
  const fault = findFieldFault(options, OPTIONS)
  if (fault !== undefined) {
    const { field = 'options of createMcpServer', reason, todo } = fault
    raise('INVALID_OPTIONS', { what: field, reason, todo })
  }
  for (const [field, todo] of REQUIRED) {
    const reason = OPTIONS[field](options[field])
    if (reason !== undefined) raise('INVALID_OPTIONS', { what: field, reason, todo })
  }
  if (options.auth !== undefined) checkAuth(options.auth)
  if (options.http !== undefined) addressFor(options.http)
}

const REQUIRED = [
  ['name', "Give name: 'my-server'."],
  ['version', "Give version: '1.0.0'."],
  ['commands', 'Give commands: [ … ].'],
] as const
