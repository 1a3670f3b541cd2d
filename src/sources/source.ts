// The source seam: a source lists and calls; it never filters, ranks or renames.

import type { CommandContext } from '../core/call.ts'
import type { ToolEntry, ToolResult } from '../core/tool.ts'

export interface ToolSource {
  readonly id: string
  list(signal: AbortSignal): Promise<readonly ToolEntry[]>
  /** `input` has passed the entry's own `validate`. */
  call(name: string, input: unknown, context: CommandContext): Promise<ToolResult>
  onChange?(listener: () => void): () => void
  [Symbol.asyncDispose](): Promise<void>
}
