// What a crib leaves to others around a call: a record of the attempt, and keeping what is too long to send.

import type { Caller } from '../core/call.ts'
import type { CommandResult } from '../core/result.ts'

/** What is known of a call before anyone has looked whether it may be made. */
export interface Attempt {
  readonly caller: Caller
  /** Empty where none was named and none was found. */
  readonly server: string
  readonly tool: string
  readonly input: unknown
}

/** A caller looked for tools. */
export interface Search {
  readonly caller: Caller
  readonly query: string
}

/** Runs an attempt and records how it ended; may refuse to run what it could not record. */
export type Recorder = (attempt: Attempt, run: () => Promise<CommandResult>) => Promise<CommandResult>

export interface ResultKeeper {
  /** The result itself, or as much of it as may be sent at once. */
  limit(result: CommandResult, owner: string, readTool?: string): Promise<CommandResult>
  /** `readTool` is what the caller is told to read on with. */
  read(handle: string, offset: number, owner: string, readTool?: string): Promise<CommandResult>
}
