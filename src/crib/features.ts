// The features of a server: everything that it offers besides tools (prompts, resources, completions).

import type { LogLevel } from '../core/call.ts'
import type { Rights } from '../core/rights.ts'
import type { Request } from './request.ts'

/** The lists, named like the fields of the protocol. */
export type FeatureKind = 'prompts' | 'resources' | 'resourceTemplates'

export type FeatureMethod = 'prompts/get' | 'resources/read' | 'completion/complete'

/** The capabilities that a server can declare, in the words of the protocol. */
export type Offer = 'tools' | 'prompts' | 'resources' | 'completions' | 'logging'

export type Fields = Readonly<Record<string, unknown>>

export interface Features {
  /** Entries in the form of the protocol. If a source fails, only its own entries are missing. */
  list(kind: FeatureKind, signal: AbortSignal): Promise<readonly Fields[]>
  /**
   * The answer of the server that owns the prompt or resource, or an error. Rejects only when the signal aborts. If the
   * client's request is given, the server can send requests and notifications to that client while it answers.
   */
  answer(method: FeatureMethod, params: Fields, signal: AbortSignal, request?: Request): Promise<FeatureAnswer>
  /** Calls the listener when a list differs from the one returned before, or when its server reports a change. */
  onChange(listener: (kind: FeatureKind) => void): () => void
  /**
   * The features of the servers that exist for a caller with these rights. Absent if they cannot be divided by server.
   */
  within?(rights: Rights): Features
  /** The capabilities that the server declares. Set only for a wrapped server; otherwise all are offered. */
  readonly offers?: ReadonlySet<Offer>
  readonly updates?: Updates
  readonly logs?: Logs
  readonly roots?: Roots
}

export type FeatureAnswer =
  | { readonly ok: true; readonly result: Fields }
  | { readonly ok: false; readonly rpcCode: number; readonly message: string; readonly data?: Fields }

/** Subscriptions to resources. Call `watch` and `unwatch` once for each client and URI: the calls are counted. */
export interface Updates {
  watch(uri: string): Promise<FeatureAnswer>
  unwatch(uri: string): Promise<void>
  onUpdate(listener: (uri: string) => void): () => void
}

/** The log levels of the protocol, from the least severe to the most severe. */
export const LOG_LEVELS: readonly LogLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

interface LogMessage {
  readonly level: LogLevel
  readonly data: unknown
  readonly logger?: string
}

/** Log messages that the server sends outside of a call. */
export interface Logs {
  /** Sets the lowest level that a client asked for; undefined when the client disconnects. */
  setLevel(client: object, level: LogLevel | undefined): void
  /** Delivered only if there is a single client: with several, the receiver is unknown. */
  onMessage(listener: (message: LogMessage) => void): () => void
}

/** The root folders of the single client, for a server that asks at any time. */
export interface Roots {
  /**
   * Called when the client connects. `ask` requests its roots; absent if the client cannot be asked. Call the returned
   * function when the client disconnects.
   */
  attach(ask?: (signal: AbortSignal) => Promise<Fields>): () => void
  /** Called when the roots have changed. */
  changed(): void
}
