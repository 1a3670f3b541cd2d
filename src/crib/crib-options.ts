// The options of `createCrib`.

import type { Caller, ContextDefinition, Middleware } from '../core/call.ts'
import type { Decide, ToolId } from '../core/tool.ts'
import type { StrategyPlugin, UsageProvider } from '../disclosure/strategy.ts'
import type { CallTracer } from '../dispatch/call-tracer.ts'
import type { CommandEvent } from '../dispatch/dispatch.ts'
import type { CallGate } from '../dispatch/limits/call-limits.ts'
import type { ResultLimit } from '../dispatch/result-limit/result-limit.ts'
import type { Ranker } from '../search/ranker.ts'
import type { ToolSource } from '../sources/source.ts'
import type { Store } from '../storage/store.ts'
import type { Recorder } from './recorders.ts'

/** The identity of the server, as clients see it. */
export interface CribAbout {
  readonly name: string
  readonly version: string
  /** The display name for people, instead of the name. */
  readonly title?: string | undefined
  readonly description?: string | undefined
  /** Instructions that clients get when they connect. The strategy's guide is appended if its listing needs one. */
  readonly instructions?: string | undefined
}

/** The tools of the sources. */
interface CribCatalog {
  /** The rules. Without them every tool is enabled. */
  readonly decide?: Decide | undefined
  /** With one source, list tools under their original names, even names that some clients refuse. */
  readonly keepNames?: boolean | undefined
  /** How long a listing or a search waits for sources with unknown tools, counted from their first start. */
  readonly listWaitMs?: number | undefined
  /** The reason why there are no sources, if it is known. */
  whyNoSources?(): string | undefined
}

/** How tools are found. */
export interface CribSearch {
  readonly ranker?: Ranker | undefined
  /** The number of calls of each tool, for the ranking of searches. Undefined if searches should not use it. */
  learned?(): ReadonlyMap<ToolId, number> | undefined
  /** The most used tools, for strategies that show them first. */
  readonly usage?: UsageProvider | undefined
  /** Called before a search of a caller. */
  onSearch?(search: { readonly caller: Caller; readonly query: string }): void
  /** Called after a search with the number of hits. */
  readonly onFound?: ((found: number) => void) | undefined
}

/** The work around each call. */
export interface CribCalls {
  readonly middleware?: readonly Middleware[] | undefined
  /** The limits for calls. Read for each call. */
  gate?(): CallGate | undefined
  readonly recorder?: Recorder | undefined
  /** Makes a span for each call. */
  readonly tracer?: CallTracer | undefined
  /** Cuts results that are too long to send at once. */
  readonly results?: Pick<ResultLimit, 'limit' | 'read'> | undefined
  /** Adds stack traces to failures. */
  readonly devMode?: boolean
  onCommand?(event: CommandEvent): void
  onThrown?(thrown: unknown, command: string): void
}

/** The state of callers, such as selected tools and contexts. */
interface CribState {
  /** Stays open when the crib is closed. Default: kept in memory. */
  readonly store?: Store | undefined
  /** Separates the state of programs that share a store but serve different tools. */
  readonly scope?: string | undefined
}

export interface CribOptions {
  readonly about: CribAbout
  readonly sources: readonly ToolSource[]
  /** The name of a built-in strategy, or a strategy itself. */
  readonly strategy: string | StrategyPlugin
  readonly strategyOptions?: unknown
  /** The prefix of the server's own tools. */
  readonly prefix?: string
  /**
   * Whether this is a command server. The command tools (`afd-call` …) then answer under every strategy. `individual`
   * and `grouped` also list some of them, unless the options of the strategy exclude them.
   */
  readonly builtins?: boolean
  readonly contexts?: readonly ContextDefinition[]
  readonly catalog?: CribCatalog
  readonly search?: CribSearch
  readonly calls?: CribCalls
  readonly state?: CribState
  /** Called once for each listing that a strategy chose, with a line for the log. */
  onChoice?(line: string): void
}
