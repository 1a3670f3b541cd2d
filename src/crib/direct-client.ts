// createDirectClient: an agent's way to commands in its own process, with the calls it would make over MCP.

import type { CommandResult } from '../core/result.ts'
import type { BatchRequest, BatchResult } from '../dispatch/batch.ts'
import type { PipeRequest, PipeResult } from '../dispatch/pipe.ts'
import type { ExecuteOptions, Executor } from './execute.ts'

export interface DirectClient {
  /** An unknown name answers with the names most like it. */
  call(name: string, input?: unknown, options?: ExecuteOptions): Promise<CommandResult>
  pipe(request: PipeRequest, options?: ExecuteOptions): Promise<PipeResult | CommandResult>
  batch(request: BatchRequest, options?: ExecuteOptions): Promise<BatchResult | CommandResult>
}

export function createDirectClient(target: Executor): DirectClient {
  return {
    call: (name, input, options) => target.execute(name, input, options),
    pipe: (request, options) => target.executePipeline(request, options),
    batch: (request, options) => target.executeBatch(request, options),
  }
}
