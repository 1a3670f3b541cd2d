// What a server can be told, and what is said to those who write JavaScript and tell it something else.

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
import type { CommandResult } from '../core/result.ts'
import { isRecord } from '../core/schema.ts'
import type { GroupBy } from '../disclosure/groups.ts'
import type { CommandSet } from '../sources/commands/command-set.ts'
import { aCommand, type Command } from '../sources/commands/define.ts'
import type { Store } from '../storage/store.ts'
import { type AuthOptions, checkAuth } from './auth.ts'
import type { CorsOptions } from './cors.ts'

/** What a command server is, whichever way its clients come in. */
export interface CommandServerOptions {
  readonly name: string
  readonly version: string
  /** What people are shown in place of the name. */
  readonly title?: string
  readonly description?: string
  /** What clients are told of the server at the start; how tools are found under the strategy is added to it. */
  readonly instructions?: string
  /** What the server exposes. */
  readonly commands: readonly Command[]
  /** Commands that exist besides: described on request, never callable. */
  readonly registry?: CommandSet
  /** `grouped` where it is left out. The last of these types lets a text that is not known in advance through. */
  readonly toolStrategy?: 'individual' | 'grouped' | 'lazy' | (string & Record<never, never>)
  /** `prefix` renames the server's own tools (`afd-call` …); the rest is the strategy's. */
  readonly strategyOptions?: Readonly<Record<string, unknown>>
  /** The group of a command under `grouped`, in place of its category. */
  readonly groupByFn?: GroupBy
  readonly contexts?: readonly ContextDefinition[]
  /** What is to outlive the process: what was enabled under `manage`, and which tools are used most. Left out: nothing does. */
  readonly store?: Store
  /** In place of the default stack; spread `defaultMiddleware()` to keep it. */
  readonly middleware?: readonly Middleware[]
  /** Stack traces in error details, and on stderr. */
  readonly devMode?: boolean
  /** Told of every command that ran; the server's own tools are none. */
  onCommand?(command: string, input: unknown, result: CommandResult, context: CommandContext): void
  /**
   * What a handler or `groupByFn` threw (with its command), and what went wrong with a connection. Without it, what was
   * thrown goes to stderr: the caller is told only the message.
   */
  onError?(error: Error, about?: { readonly command: string }): void
}

export interface McpServerOptions extends CommandServerOptions {
  /** `auto` (the default): stdio when stdin is a pipe, a socket or a file, else HTTP. */
  readonly transport?: 'stdio' | 'http' | 'auto'
  /** 3100; 0 takes any free one. */
  readonly port?: number
  readonly host?: string
  readonly cors?: CorsOptions
  /** Required off loopback. */
  readonly auth?: AuthOptions
  readonly limits?: ServerLimits
}

export interface ServerLimits {
  /** How long requests in flight may take once the server stops or, over stdio, its input ends (30,000). */
  readonly drainMs?: number
}

/** Options of `stop()`. */
export interface StopOptions {
  /** Ends the wait: requests in flight are cancelled at once. */
  readonly signal?: AbortSignal
}

export const theLimits = expecting(
  '{ drainMs } with a number of milliseconds',
  (value) =>
    isRecord(value) &&
    Object.entries(value).every(([name, ms]) => name === 'drainMs' && (ms === undefined || isDuration(ms))),
)
const isDuration = (value: unknown) => typeof value === 'number' && value >= 0 && value <= MAX_TIMER_MS
/** A longer timer would fire at once. */
const MAX_TIMER_MS = 2_147_483_647

const aName = expecting('a text', (value) => typeof value === 'string' && value !== '')
const isText = (value: unknown) => typeof value === 'string'

const OPTIONS = {
  name: aName,
  version: aName,
  title: aText,
  description: aText,
  instructions: aText,
  commands: aListOf(aCommand, 'commands'),
  registry: expecting(
    'what createCommandRegistry() gave',
    (value) => isRecord(value) && typeof value.list === 'function',
  ),
  toolStrategy: aText,
  strategyOptions: anObject,
  groupByFn: aFunction,
  // checkContexts says more of them.
  contexts: () => undefined,
  store: expecting('a store', (value) => isRecord(value) && typeof value.get === 'function'),
  middleware: aListOf(aFunction, 'functions'),
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
  limits: theLimits,
} satisfies Record<keyof McpServerOptions, Check>

export function checkServerOptions(options: McpServerOptions): void {
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
}

const REQUIRED = [
  ['name', "Give name: 'my-server'."],
  ['version', "Give version: '1.0.0'."],
  ['commands', 'Give commands: [ … ].'],
] as const
