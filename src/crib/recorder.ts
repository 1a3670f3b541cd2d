// Interfaces for work around a call: recording the attempt, and keeping results that are too long to send.

import type { Caller } from '../core/call.ts'
import type { CommandResult } from '../core/result.ts'

/** A call before the visibility check. */
export interface CallAttempt {
  readonly caller: Caller
  /** Empty if the caller named no server and no tool was found. */
  readonly server: string
  readonly tool: string
  readonly input: unknown
}

/** A search of a caller for tools. */
export interface Search {
  readonly caller: Caller
  readonly query: string
}

/** Runs an attempt and records its outcome. May refuse to run an attempt that it cannot record. */
export type Recorder = (attempt: CallAttempt, run: () => Promise<CommandResult>) => Promise<CommandResult>

export interface ResultKeeper {
  /**
   * Returns the result itself, or the part of it that can be sent at once, with a note at the end. The note tells the
   * caller to read more with the tool `readTool`.
   */
  limit(result: CommandResult, owner: string, readTool?: string): CommandResult | Promise<CommandResult>
  /** Returns the next part of a kept result. */
  read(handle: string, offset: number, owner: string, readTool?: string): Promise<CommandResult>
}
