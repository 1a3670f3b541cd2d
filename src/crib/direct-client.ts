// createDirectClient: calls commands in the same process, with the same calls as over MCP.

import type { CommandResult } from '../core/result.ts'
import type { BatchRequest } from '../dispatch/batch.ts'
import type { PipeRequest } from '../dispatch/pipe/pipe.ts'
import type { BatchOutcome, ExecuteOptions, Executor, PipeOutcome } from './execute.ts'

export interface DirectClient {
  /** For an unknown name the result lists the most similar names. */
  call<T = unknown>(name: string, input?: unknown, options?: ExecuteOptions): Promise<CommandResult<T>>
  pipe(request: PipeRequest, options?: ExecuteOptions): Promise<PipeOutcome>
  batch(request: BatchRequest, options?: ExecuteOptions): Promise<BatchOutcome>
}

export function createDirectClient(target: Executor): DirectClient {
  return {
    call: (name, input, options) => target.execute(name, input, options),
    pipe: (request, options) => target.executePipeline(request, options),
    batch: (request, options) => target.executeBatch(request, options),
  }
}
