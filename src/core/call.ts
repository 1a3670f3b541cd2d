// The types of a running call: its caller, its signal, its reports to the client, its trace, and the middleware around it.

import type { CommandResult } from './result.ts'
import { type Rights, rightsKey } from './rights.ts'
import type { ExecutionTime } from './tool.ts'

/** `legacy`: protocol 2025-11-25 and older, with sessions. `modern`: 2026-07-28, without. `direct`: without MCP. */
export type Era = 'legacy' | 'modern' | 'direct'

/** The client that made a call. */
export interface Caller {
  /**
   * Over HTTP the name of the caller's token, `oauth:` and the name of a company login, `user` (the generated token) or
   * `anonymous` (`--no-auth`). Else the name after `--client`. Without it, `client` (a shared
   * gateway, `lazyTools`), `cli` (the command line) or the name of the transport.
   */
  readonly principal: string
  /** Set only if the protocol has sessions. */
  readonly sessionId?: string
  /** The protocol generation of the client. */
  readonly era: Era
  /** `socket`: through the relay process of a shared gateway. */
  readonly transport: 'stdio' | 'socket' | 'http' | 'memory' | 'direct'
  /** The capabilities that the client declared; absent for calls without a client. */
  readonly capabilities?: Readonly<Record<string, unknown>>
  /** The name that the client gave itself, if it gave one. */
  readonly clientName?: string
  /** The tools that exist for this caller. Absent: all of them. */
  readonly rights?: Rights
}

/** Whether the caller shares the gateway. If so, a message that a server sends between calls may be for any client. */
export function isOneOfMany({ transport }: Caller): boolean {
  return transport === 'http' || transport === 'socket'
}

/** Identifies the owner of data that is kept for one caller. */
export function callerKey(caller: Caller): string {
  if (caller === lastCaller) return lastKey
  const { principal, transport, sessionId = '', rights } = caller
  // One principal can have several tokens. A token with fewer rights does not get the data of the others.
  lastKey = JSON.stringify([transport, principal, sessionId, ...(rights === undefined ? [] : [rightsKey(rights)])])
  lastCaller = caller
  return lastKey
}

// Each call needs the key twice, and the calls of a connection have the same caller.
let lastCaller: Caller | undefined
let lastKey = ''

/** The severity of a log message, as in MCP. */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency'

/** The facts about the running command that handlers and middleware can read. */
export interface CommandInfo {
  /** The name of the command. */
  readonly name: string
  /** Its declared or derived category. */
  readonly category: string
  /** The version that the author declares. */
  readonly version?: string
  /** False if the command only reads. Absent if the author did not declare it. */
  readonly mutation?: boolean
  /** True if the command deletes or overwrites data. Absent if the author did not declare it. */
  readonly destructive?: boolean
  /** How long a call usually takes, if the author declares it. */
  readonly executionTime?: ExecutionTime
}

/** The contexts of this server and, if the protocol has sessions, the active context of the session. */
export interface ContextControl {
  /** The contexts of the server, the highest priority first. */
  readonly all: readonly ContextDefinition[]
  /** The name of the active context. Undefined if no context is active. */
  readonly active: string | undefined
  /** Returns a failure (unknown context, no session) as a value; does not throw. */
  enter(context: string): Promise<CommandResult>
  /** Leaves the active context. Returns a failure as a value. */
  exit(): Promise<CommandResult>
}

/** A named part of the commands of a server. */
export interface ContextDefinition {
  /** The name that commands and clients use. */
  readonly name: string
  /** The purpose of the context, for the model. */
  readonly description?: string
  /** Words or situations that tell an agent to enter this context. */
  readonly triggers?: readonly string[]
  /** Contexts with a higher priority come first in the list. */
  readonly priority?: number
}

/** Information about the server for a handler, limited to the commands that this caller can see. */
export interface Introspection {
  /** The name and the version of the server. */
  readonly server: { readonly name: string; readonly version: string }
  /** The name of the strategy. */
  readonly strategy: string
  /** A few lines that explain how to find and call commands under this strategy. */
  readonly guide: string
  /** The commands that the caller can see. */
  readonly commands: readonly CommandDescription[]
}

/** A command in the answer of `introspect()`. */
export interface CommandDescription {
  /** The name to call. */
  readonly name: string
  /** The purpose of the command. */
  readonly description: string
  /** The declared or derived category. */
  readonly category: string
  /** Empty if the command has none. */
  readonly tags: readonly string[]
  /** Absent if the author did not declare it. */
  readonly mutation?: boolean
  /** The JSON Schema of the input. */
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** A request from an upstream server to the client during a call. */
export interface ServerRequest {
  /** The MCP method of the request. */
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  /** The parameters of the request, unchanged. */
  readonly params: Readonly<Record<string, unknown>>
}

/**
 * In protocol 2026-07-28 a server can answer with `inputRequired`, and the client repeats the request with its answers.
 * If client and upstream server both use this protocol, the gateway keeps no state: it passes the questions and the
 * answers on unchanged.
 */
export interface InputRelay {
  /** The `requestState` that the upstream server gave the client. */
  readonly state: string | undefined
  /** Returns the client's answers, in the fields of the protocol, and marks them as used. */
  take(): Readonly<Record<string, unknown>>
  /** Sends the upstream server's questions to the client, as the response to its request. */
  ask(questions: Readonly<Record<string, unknown>>): void
}

/** One call of a tool, from the view that makes it to the source that runs it. The dispatcher adds the command. */
export interface CallFields {
  /** The client that made the call. */
  readonly caller: Caller
  /** Identifies the call in logs and results. */
  readonly traceId: string
  /** Aborts when the caller cancels or disconnects, or when the call times out. */
  readonly signal: AbortSignal
  /** The active context, if any. */
  readonly context?: string
  /** The contexts of the server. Absent if it has none. */
  readonly contexts?: ContextControl
  /** Reports progress, if the client asked for it. `total` is absent if it is unknown. */
  progress(done: number, total?: number, message?: string): void
  /** Closes the connection; the client fetches the result later. Absent if the transport cannot do this. */
  releaseConnection?(): void
  /** Sends a log message to the client. `logger` names the part of the program. */
  log(level: LogLevel, data: unknown, logger?: string): void
  /** The position of this call in a trace, if the client or the server is traced. */
  readonly trace?: TraceContext
  /** The lowest log level that the client asked for; absent if it did not ask. */
  readonly logLevel?: LogLevel
  /** Present only if the client can repeat the request with answers, and the call is not part of a batch or pipe. */
  readonly relay?: InputRelay
  /** Sends a server's request to the client. Absent if the client cannot answer. Rejects if it returns an error. */
  onServerRequest?(request: ServerRequest, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>
  /** Describes the server and the commands that this caller can see. */
  introspect(): Promise<Introspection>
  readonly [key: string]: unknown
}

/** The second argument of a handler. Middleware can add fields. */
export interface CommandContext extends CallFields {
  /** The command that runs. */
  readonly command: CommandInfo
}

export type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Every field may be left out or undefined. */
export type Optional<T> = { readonly [K in keyof T]?: T[K] | undefined }

/** Runs the rest of the chain. Pass a context to replace the one that the rest of the chain gets. */
export type Next = (context?: CommandContext) => Promise<CommandResult>

/** Runs around every command, except builtins. Calls `next` to run the command. Returns its result or another one. */
export type Middleware = (
  commandName: string,
  input: unknown,
  context: CommandContext,
  next: Next,
) => Promise<CommandResult>

/** The hint for arguments that do not match the schema of a tool, and details about valid arguments. */
export interface InvalidHint {
  /** The next step, as a sentence for the caller. */
  readonly hint: string
  /** Fields of `error.details`. */
  readonly details: Readonly<Record<string, unknown>>
}

/** The position of a call in a trace. */
export interface TraceContext {
  /** `00-<trace id>-<span id>-<flags>`. */
  readonly traceparent: string
  /** The `tracestate` header of W3C Trace Context, unchanged. */
  readonly tracestate?: string
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
const TRACESTATE = /^[ -~]{1,512}$/

/** Reads the trace from `_meta`. Undefined without a valid `traceparent`. Leaves out an invalid `tracestate`. */
export function traceIn(meta: Readonly<Record<string, unknown>> | undefined): TraceContext | undefined {
  const traceparent = meta?.traceparent
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return undefined
  const tracestate = meta?.tracestate
  return typeof tracestate === 'string' && TRACESTATE.test(tracestate) ? { traceparent, tracestate } : { traceparent }
}
