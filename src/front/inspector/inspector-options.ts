// The options of the inspector: the gateway, and reports from the program that serves the gateway.

import type { Gateway } from '../../crib/from-config.ts'
import type { KnownTools } from '../../rules/rule-findings.ts'
import type { InspectorConfig } from './api.ts'

export interface InspectorOptions {
  readonly gateway: Pick<Gateway, 'crib' | 'loaded' | 'redact' | 'strategy' | 'pinOf' | 'auditFile'>
  /** Called when the first request for data arrives, and again only if this call failed. */
  reports(): Promise<InspectorReports>
}

/** The reports of the program that serves the gateway. */
export interface InspectorReports {
  /** The configuration without its rules. `known` are the tools that the rules are compared with, to find problems. */
  describeConfig(known: KnownTools): Pick<InspectorConfig, 'files' | 'sources' | 'problems'>
  /** The tokens that clients have saved since a time, in milliseconds since 1970. Absent if savings are not recorded. */
  savings?(since: number, costs: MeasuredCosts): Promise<readonly Saving[]>
}

/** Token counts of the present tools, to convert the bytes in the usage log. */
export interface MeasuredCosts {
  /** The tokens of each server's tools in the full list. */
  readonly listTokens: ReadonlyMap<string, number>
  /** The tokens per byte of the list that clients get, and of texts about the tools. Undefined without tools. */
  readonly tokensPerByte: { readonly lists: number | undefined; readonly answers: number | undefined }
}

/** The tokens that one answer saved: a list is shorter than the full list, but a search costs tokens. */
export interface Saving {
  /** In milliseconds since 1970. */
  readonly time: number
  /** Negative for an answer to a search, and for a list that is longer than the full list. */
  readonly tokens: number
}
