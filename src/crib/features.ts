// The features seam: what a server offers besides tools (prompts, resources, completions), as its clients may use it.

import type { LogLevel } from '../core/call.ts'
import type { Request } from './request.ts'

/** What can be listed; the names of the fields in which the protocol lists it. */
export type FeatureKind = 'prompts' | 'resources' | 'resourceTemplates'

export const FEATURE_KINDS: readonly FeatureKind[] = ['prompts', 'resources', 'resourceTemplates']

export type FeatureMethod = 'prompts/get' | 'resources/read' | 'completion/complete'

/** What a server may say that it has, in the protocol's words. */
export type Offer = 'tools' | 'prompts' | 'resources' | 'completions' | 'logging'

export type Fields = Readonly<Record<string, unknown>>

export interface Features {
  /** Entries as the protocol has them; a source that fails leaves out only its own. */
  list(kind: FeatureKind, signal: AbortSignal): Promise<readonly Fields[]>
  /**
   * The answer of whoever has it, or why there is none. Rejects only when the signal aborts. With the client's request
   * the server that answers may ask and tell that client meanwhile.
   */
  answer(method: FeatureMethod, params: Fields, signal: AbortSignal, request?: Request): Promise<FeatureAnswer>
  /** What was listed before is listed differently from now on. */
  onChange(listener: (kind: FeatureKind) => void): () => void
  /** Only where there is one server behind: what that has, where it is not all of it. */
  readonly offers?: ReadonlySet<Offer>
  readonly updates?: Updates
  readonly logs?: Logs
  readonly roots?: Roots
}

export type FeatureAnswer =
  | { readonly ok: true; readonly result: Fields }
  | { readonly ok: false; readonly rpcCode: number; readonly message: string; readonly data?: Fields }

/** Resources that clients watch. Whoever watches says so once, and once that it no longer does. */
export interface Updates {
  watch(uri: string): Promise<FeatureAnswer>
  unwatch(uri: string): Promise<void>
  onUpdate(listener: (uri: string) => void): () => void
}

export interface LogMessage {
  readonly level: LogLevel
  readonly data: unknown
  readonly logger?: string
}

/** What the server says when nobody has called it. */
export interface Logs {
  /** The least that a client wants to be told of; undefined when it is gone. */
  setLevel(client: object, level: LogLevel | undefined): void
  /** Told to the only client there is: where there are two, nobody knows for whom it was meant. */
  onMessage(listener: (message: LogMessage) => void): () => void
}

/** The folders that the one client works in, for a server that asks when it likes. */
export interface Roots {
  /** The client is there, and says which they are where it can be asked; until the function it gives back is called. */
  attach(ask?: (signal: AbortSignal) => Promise<Fields>): () => void
  /** They are others now. */
  changed(): void
}
