// The interface and the options of a configured MCP server as a source.

import type { Implementation } from '@modelcontextprotocol/client'
import type { Connection, ServerConfig } from '../../config/server-config.ts'
import type { Caller } from '../../core/call.ts'
import type { SchemaValidator } from '../../core/json-schema.ts'
import type { StopSignal } from '../../core/stop-signal.ts'
import type { Store } from '../../storage/store.ts'
import type { SourceInfo, ToolSource } from '../source.ts'
import type { LoginOwner } from './auth/person.ts'
import type { LoginSettings, ServerLogin } from './auth/server-login.ts'
import type { CallOutcome } from './call-outcome.ts'
import type { OwnRoots } from './early-roots.ts'
import type { Inheritance, StartEnvironment } from './environment.ts'
import type { ServerState } from './lifecycle.ts'
import type { Listing, ListShare } from './listing.ts'
import type { Manifest } from './manifest.ts'
import type { ServerNotification } from './server-messages.ts'
import type { ClientCall } from './session-call.ts'
import type { UpstreamSettings } from './settings.ts'
import type { SharedBreaker } from './shared-breaker.ts'
import type { StartLimiter } from './start-limiter.ts'
import type { UpstreamTools } from './upstream-tools.ts'
import type { Watchdog } from './watchdog.ts'

export interface UpstreamSource extends ToolSource {
  /** True if each person has their own process or connection. Requests without a caller belong to the local user. */
  readonly isPerPrincipal?: boolean
  /** Ends the processes and connections of a person who has lost access. */
  dismiss?(principal: string): void
  /** The advice for a server that cannot be started, if `toolcrib doctor` does not know the server. */
  readonly remedy: string | undefined
  info(caller?: Caller): SourceInfo
  onChange(listener: () => void): () => void
  state(): ServerState
  manifest(): Promise<Manifest | undefined>
  /** Starts the server if necessary. Resolves when its tools are known, and rejects with the reason if that fails. */
  ensure(signal: AbortSignal): Promise<void>
  /** Like `ensure`, but always asks for the list. Returns the last manifest if the list cannot be fetched. */
  refresh(signal: AbortSignal): Promise<Manifest>
  /** Fetches the list in the background if it is missing or too old. */
  revalidate(caller?: Caller): void
  /**
   * Sends a request that is not a call of a tool (prompts, resources) and returns its outcome. The answer is unchecked.
   * Rejects if the server cannot start. With the context of a client request, the server may send requests and messages
   * to that client.
   */
  request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    context?: RequestContext,
  ): Promise<CallOutcome>
  /** Subscribes to a resource. The subscription lasts until `unwatch`, or as long as the server runs. */
  watch(uri: string, signal: AbortSignal): Promise<CallOutcome>
  unwatch(uri: string, signal: AbortSignal): Promise<CallOutcome>
  /** Notifies a running server that the roots have changed. */
  rootsChanged(): Promise<void>
  /** Notifications of the server that do not belong to a call. */
  onNotification(listener: (notification: ServerNotification) => void): () => void
  /** The environment of its last start. Undefined before the first start. */
  environment(): StartEnvironment | undefined
  /** The protocol version that was agreed with the running server. Undefined if it does not run. */
  protocolVersion(): string | undefined
  stderr(): string
  /** Stops the server. It is started again when it is needed. */
  stop(): Promise<void>
}

/** A client's request that is not a call of a tool. */
export interface RequestContext extends ClientCall {
  readonly signal: StopSignal
}

/** The list of tools that the servers of several people have in common. */
export interface UpstreamShare extends Pick<ListShare, 'mayReplace' | 'onReplaced'> {
  readonly known: UpstreamTools
  /** True if the list need not be fetched again after a start. */
  isFresh(): boolean
}

export interface UpstreamSourceOptions {
  /** True if clients will call tools. The code that checks their input is then loaded while a server process starts. */
  readonly expectsCalls?: boolean | undefined
  /**
   * True if, without a cached era, the server is probed for the modern era first, even if the usual first request is
   * `initialize`.
   */
  readonly prefersModern?: boolean | undefined
  readonly config: ServerConfig
  /** Replaces `${VAR}` references. If it rejects, the server cannot start. */
  resolve(connection: Connection): Connection | Promise<Connection>
  /** Stores the manifests. */
  readonly store: Store
  /** Stores the pins of tools. Without it, tools are not pinned. */
  readonly pins?: Store | undefined
  /** All sources of a process share the limiter, the watchdog and the validator. */
  readonly startLimiter: StartLimiter
  readonly watchdog: Watchdog
  readonly validator: SchemaValidator
  /** The variables that a process inherits. Called at each start. */
  inheritance(): Inheritance
  readonly clientInfo: Implementation
  readonly options?: Partial<UpstreamSettings>
  /** The advice for a server that cannot be started, if `toolcrib doctor` does not know the server. */
  readonly remedy?: string
  readonly now?: () => number
  readonly random?: () => number
  /** The roots of the only client. Absent if there can be several clients: then no roots are declared. */
  readonly ownRoots?: OwnRoots
  /** Set for a server with a process or connection for each person. */
  readonly share?: UpstreamShare
  /** The person who logs in to the server. Default: the user who runs the gateway, for all people. */
  readonly owner?: LoginOwner
  /** Absent if no other gateway shares the store. */
  readonly breaker?: SharedBreaker | undefined
  /** Absent if the server is used without logins. */
  readonly logins?: LoginSettings
  /** True if the gateway has a tool of its own with this name. A warning then says how to call the server's tool. */
  readonly isOwnName?: ((name: string) => boolean) | undefined
  /** Called with values that must be removed from every text, such as new tokens. */
  onSecrets?(secrets: readonly string[]): void
  onState?(state: ServerState): void
  /** Called with lines that the server printed, without secrets and control characters. */
  onOutput?(lines: readonly string[]): void
  /** Called with a problem of the server that its operator should know. */
  onProblem?(reason: string): void
}

/** The values that all parts of one source use. */
export interface SourceParts {
  readonly given: UpstreamSourceOptions
  readonly settings: UpstreamSettings
  readonly listing: Listing
  readonly login: ServerLogin
  readonly now: () => number
  /** Aborts when the source is closed. */
  readonly closed: AbortSignal
}
