// The options of the inspector: the gateway, and reports of the program that serves it.

import type { Gateway } from '../../crib/from-config.ts'
import type { KnownTools } from '../../rules/rule-findings.ts'
import type { InspectorConfig } from './api.ts'

export interface InspectorOptions {
  readonly gateway: Pick<Gateway, 'crib' | 'loaded' | 'redact' | 'strategy' | 'pinOf' | 'auditFile'>
  /** Called with the first request for data. */
  reports(): Promise<InspectorReports>
}

/** The reports of the program that serves the gateway. */
export interface InspectorReports {
  /** The part of the configuration view that does not need the tools of a caller. */
  describeConfig(known: KnownTools): Pick<InspectorConfig, 'files' | 'sources' | 'problems'>
  /**
   * The tokens that clients did not pay since a time. `listTokens`: the tokens of each server's tools in the full list.
   * Default: none are known.
   */
  savings?(since: number, listTokens: ReadonlyMap<string, number>): Promise<readonly Saving[]>
}

/** A list that a client got costs less than the full list; an answer to a search costs something. */
export interface Saving {
  /** In milliseconds since 1970. */
  readonly time: number
  /** Negative for an answer to a search. */
  readonly tokens: number
}
