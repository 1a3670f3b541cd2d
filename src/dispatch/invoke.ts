// The functions that batch and pipe use to run one command by name, with all rules and middleware.

import type { CommandResult } from '../core/result.ts'
import type { StopSignal } from '../core/stop-signal.ts'
import type { ReportProgress } from './shared-progress.ts'

export interface Invocation {
  /** Never rejects: every error of a command becomes a failure. */
  invoke(name: string, input: unknown, signal: StopSignal, progress?: ReportProgress): Promise<CommandResult>
  /** Reports the progress of the whole batch or pipe. Absent if the caller does not ask for progress. */
  readonly progress?: ReportProgress
  /** Whether the name is one of the server's own tools, which never run inside a batch or a pipe. */
  isBuiltin(name: string): boolean
  /** Aborts when the caller cancels the whole batch or pipe. */
  readonly signal: StopSignal
}
