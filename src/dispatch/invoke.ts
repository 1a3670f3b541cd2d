// What batch and pipe need of the dispatcher: run one command by name, with every rule and middleware applied.

import type { CommandResult } from '../core/result.ts'
import type { StopSignal } from '../core/stop-signal.ts'
import type { Progress } from './shared-progress.ts'

export interface Invocation {
  /** Resolves with a failure, never rejects, for anything that can go wrong with one command. */
  invoke(name: string, input: unknown, signal: StopSignal, progress?: Progress): Promise<CommandResult>
  /** Tells the caller how far the whole has come; absent where the caller does not ask. */
  readonly progress?: Progress
  /** The server's own tools never run inside a batch or a pipe. */
  isBuiltin(name: string): boolean
  /** Aborts when the caller cancels the whole batch or pipe. */
  readonly signal: StopSignal
}
