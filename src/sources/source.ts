// The source seam: a source lists and calls; it never filters, ranks or renames.

import type { CommandContext } from '../core/call.ts'
import type { FailureResult } from '../core/result.ts'
import type { StopSignal } from '../core/stop-signal.ts'
import type { ToolEntry, ToolResult } from '../core/tool.ts'

/** What can be said of a source apart from its tools. */
export interface SourceInfo {
  readonly title?: string
  readonly description?: string
  /** `known`: not running, and no reason why it could not. */
  readonly state: 'known' | 'starting' | 'connected' | 'failed'
  /** Why it failed. */
  readonly reason?: string
  /** What has to be done about it, where it will not start by itself another time. */
  readonly remedy?: string
  /** Its tools are not known: it was never asked, or has not answered. */
  readonly isUnknown?: boolean
  /** What its list left out, and why. */
  readonly problems?: readonly string[]
}

export interface ToolSource {
  readonly id: string
  /** Left out by a source that is always there. */
  info?(): SourceInfo
  /**
   * Resolves once it knows its list or has failed to find out; undefined where there is nothing to wait for.
   * `withSchemas`: names of tools whose schemas are not known are not enough.
   */
  settle?(withSchemas?: boolean): Promise<void> | undefined
  /** How much of a wait of this length is left, counted from its first start. Left out: all of it. */
  waitLeft?(waitMs: number): number
  /** Looks again, in the background, whether its list is still what it was, where that was found out too long ago. */
  revalidate?(): void
  list(signal: AbortSignal): Promise<readonly ToolEntry[]>
  /** The entry of a tool whose schema was not known, as the server describes it; or why it cannot be had. */
  describe?(name: string, context: CommandContext): Promise<ToolEntry | FailureResult>
  /**
   * `input` has passed the entry's own `validate`. `signal` aborts when `context.signal` does; to read that one makes an
   * AbortSignal, which costs more than many a call.
   */
  call(name: string, input: unknown, context: CommandContext, signal?: StopSignal): Promise<ToolResult>
  /** Its tools may answer with questions of the protocol's own kind, and take what a client brings for them. */
  readonly relaysInput?: boolean
  onChange?(listener: () => void): () => void
  [Symbol.asyncDispose](): Promise<void>
}
