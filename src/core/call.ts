// A call under way: who asks, how to stop it, how to tell its caller what happens meanwhile.

import type { CommandResult } from './result.ts'
import type { ExecutionTime } from './tool.ts'

/** `legacy`: protocol 2025-11-25 and older, with sessions. `modern`: 2026-07-28, without. `direct`: no protocol at all. */
export type Era = 'legacy' | 'modern' | 'direct'

export interface Caller {
  /** The named token, or the name of the transport where there are no tokens. */
  readonly principal: string
  /** Present where the protocol keeps sessions. */
  readonly sessionId?: string
  readonly era: Era
  readonly transport: 'stdio' | 'http' | 'memory' | 'direct'
  /** What the client has declared that it can do, where there is a client. */
  readonly capabilities?: Readonly<Record<string, unknown>>
  /** What the client calls itself, where it says so. */
  readonly clientName?: string
}

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency'

/** What a handler or a middleware may know of the command that runs. */
export interface CommandInfo {
  readonly name: string
  readonly category: string
  readonly version?: string
  readonly mutation?: boolean
  readonly destructive?: boolean
  readonly executionTime?: ExecutionTime
}

/** The contexts of this server and, where the protocol keeps sessions, which of them the session is in. */
export interface ContextControl {
  readonly all: readonly ContextDefinition[]
  readonly active: string | undefined
  /** A failure (unknown context, no session) comes back as a value. */
  enter(context: string): Promise<CommandResult>
  exit(): Promise<CommandResult>
}

export interface ContextDefinition {
  readonly name: string
  readonly description?: string
  /** Words or situations in which an agent should enter it. */
  readonly triggers?: readonly string[]
  /** Higher comes first in the list. */
  readonly priority?: number
}

/** What the server can tell a handler about itself, as this caller may see it. */
export interface Introspection {
  readonly server: { readonly name: string; readonly version: string }
  readonly strategy: string
  /** How to find and call commands under that strategy, in a few lines. */
  readonly guide: string
  readonly commands: readonly CommandDescription[]
}

export interface CommandDescription {
  readonly name: string
  readonly description: string
  readonly category: string
  readonly tags: readonly string[]
  /** Absent where the author did not say. */
  readonly mutation?: boolean
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** What an upstream server asks of the client while a call runs. */
export interface ServerRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  readonly params: Readonly<Record<string, unknown>>
}

/**
 * The protocol of 2026-07-28 lets a server answer with questions, and a client ask again with answers. Where both speak
 * it, neither waits for the other: what one gives for the other is passed on as it is.
 */
export interface InputRelay {
  /** What the server has given the client to come back with. */
  readonly state: string | undefined
  /** What the client brings for the server, in the protocol's own fields; whoever takes it is who it was meant for. */
  take(): Readonly<Record<string, unknown>>
  /** The server's questions are the answer to the client's request. */
  ask(questions: Readonly<Record<string, unknown>>): void
}

/** What a handler gets beside its input. Middleware may add fields of its own. */
export interface CommandContext {
  readonly command: CommandInfo
  readonly caller: Caller
  readonly traceId: string
  /** Aborts when the caller cancels or goes away, or when time is up. */
  readonly signal: AbortSignal
  /** The active context, if any. */
  readonly context?: string
  readonly contexts?: ContextControl
  progress(done: number, total?: number, message?: string): void
  /** Lets go of the connection during a long command; the client fetches the result later. Only where it can. */
  releaseConnection?(): void
  log(level: LogLevel, data: unknown, logger?: string): void
  /** The least that the client wants to be told of; absent where it has not said. */
  readonly logLevel?: LogLevel
  /** Only where the client can come back with answers, and the call is all that it has asked for. */
  readonly relay?: InputRelay
  /** Puts a server's request to the client of this call; absent where the client can answer none. A rejection is its no. */
  onServerRequest?(request: ServerRequest, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>
  introspect(): Promise<Introspection>
  readonly [key: string]: unknown
}

/** Every field may be left out or undefined. */
export type Optional<T> = { readonly [K in keyof T]?: T[K] | undefined }

/** Runs the rest of the chain; give a context to replace the one the rest sees. */
export type Next = (context?: CommandContext) => Promise<CommandResult>

export type Middleware = (
  commandName: string,
  input: unknown,
  context: CommandContext,
  next: Next,
) => Promise<CommandResult>
