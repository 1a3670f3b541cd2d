// The options and the interface of a gateway that is made from a configuration.

import type { Config } from '../config/config.ts'
import type { LoadedConfig } from '../config/load/load.ts'
import type { ConfigProblem } from '../config/problem.ts'
import type { Middleware } from '../core/call.ts'
import type { StrategyPlugin, UsageProvider } from '../disclosure/strategy.ts'
import type { AuditRecord } from '../dispatch/audit.ts'
import type { Ranker } from '../search/ranker.ts'
import type { ToolPin } from '../sources/upstream/pins/pin-record.ts'
import type { UpstreamSource } from '../sources/upstream/upstream-source.ts'
import type { Store } from '../storage/store.ts'
import type { Crib } from './crib.ts'
import type { Features } from './features.ts'
import type { GatewayObserver } from './recorders.ts'
import type { FailedStartReport } from './server-sources.ts'

export interface GatewayOptions {
  readonly name: string
  readonly version: string
  /** Reads the current configuration. */
  load(signal: AbortSignal): Promise<LoadedConfig>
  /** The environment of this process, which servers inherit from. References use the variables of the configuration. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stateDir: string
  readonly cacheDir: string
  /** Overrides the configuration. */
  readonly strategy?: string | undefined
  readonly strategyOptions?: unknown
  readonly middleware?: readonly Middleware[]
  /** Overrides the configuration. */
  readonly ranker?: Ranker
  /** How long a call waits for its server to start. Default: 30 s. */
  readonly startWaitMs?: number
  /** True if clients will call tools. The code for calls is then loaded while the first server starts. */
  readonly expectsCalls?: boolean | undefined
  /** True if clients connect to the gateway. Gateways that share a store then compare their configurations. */
  readonly isServing?: boolean
  /** Called for each problem that a user should know about. */
  onProblem(problem: GatewayProblem): void
  /** Called for each failed start of a server; must return quickly. */
  onFailedStart?(server: string, failure: FailedStartReport): void
  /** Called with lines that a server printed on stderr, without secrets and control characters. */
  onOutput?(server: string, lines: readonly string[]): void
  /** Called with a log line about the listing that the strategy chose. */
  onChoice?(line: string): void
  /** Called with each record of the audit log if `log.audit` is set. */
  onLog?(record: AuditRecord): void
  /** Returns the observer that a configuration asks for. */
  observe?(config: Config): Promise<GatewayObserver | undefined>
  /** Called when another configuration takes effect. */
  onReload?(loaded: LoadedConfig): void
}

export interface GatewayProblem {
  /** The server that the problem is about, if it is about one. */
  readonly server?: string
  readonly message: string
  /** Set if the problem is in the configuration. */
  readonly config?: ConfigProblem
}

export interface Reload {
  readonly applied: boolean
  readonly problems: readonly ConfigProblem[]
}

/** A strategy with its options, and what it needs to be created. */
export interface StrategySetup {
  readonly plugin: StrategyPlugin
  readonly options: unknown
  readonly usage: UsageProvider
}

export interface Gateway {
  readonly crib: Crib
  /** The prompts and resources of the servers, if `discovery.passthrough` is on. */
  readonly features?: Features
  /** The configuration in effect. */
  readonly loaded: LoadedConfig
  /** The store with the state of the gateway, if other gateways can share it. */
  readonly shared?: Store
  readonly sources: readonly UpstreamSource[]
  /** How many different configurations the gateways of the store run with. 1 if all have the same. */
  readonly configVersions: number
  /** The strategy in effect, so that a report can create it again. */
  readonly strategy: StrategySetup
  /** The file with the audit records of all gateways of this user. */
  readonly auditFile: string
  /** The pin of a tool. Undefined if it has none. */
  pinOf(server: string, tool: string): Promise<ToolPin | undefined>
  /** The number of calls that wait because of `concurrent` limits. */
  readonly waitingCalls: number
  /** The number of servers that wait for their turn to start. */
  readonly waitingStarts: number
  /**
   * Starts the servers that calls will probably need, so that the first callers of a new replica do not wait for them.
   * Resolves when each of them runs or has failed, or after `waitMs`. Does nothing if the store cannot be shared.
   */
  warmUp(waitMs: number): Promise<void>
  /** Removes the secrets of all servers from a text. */
  redact(text: string): string
  /** Ends the servers of a person who has lost access. */
  dismiss(principal: string): void
  /**
   * Loads the configuration and applies it. If it is invalid, no part of it is applied, and the last valid one stays in
   * effect. Unreadable rules of a project do not make it invalid.
   */
  reload(): Promise<Reload>
  /** Reloads whenever a watched file changes, and at once if a file has changed since the gateway loaded it. */
  watch(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
