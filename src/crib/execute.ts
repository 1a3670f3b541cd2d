// Runs commands from this process, without a protocol.

import type { Caller, CommandContext } from '../core/call.ts'
import type { CommandResult, FailureResult } from '../core/result.ts'
import type { BatchRequest, BatchResult } from '../dispatch/batch.ts'
import type { PipeRequest, PipeResult } from '../dispatch/pipe/pipe.ts'
import type { Command } from '../sources/commands/define.ts'
import type { Crib } from './crib.ts'
import type { Request } from './request.ts'

/** Values for the handler; all of them are optional. */
export interface ExecuteOptions extends Partial<Pick<CommandContext, 'traceId' | 'signal' | 'progress' | 'log'>> {
  /** The context to act in. */
  readonly context?: string
  readonly [key: string]: unknown
}

declare const commandTypes: unique symbol

/** Anything that can run commands: a registry or a server. `C` is the type of its commands. */
export interface Executor<C extends Command = Command> {
  /** Only for the compiler, which infers the types of `createDirectClient` from it. It is never set. */
  readonly [commandTypes]?: C
  /** Runs one command, with the same checks and middleware as over MCP. Never rejects. */
  execute<T = unknown>(name: string, input?: unknown, options?: ExecuteOptions): Promise<CommandResult<T>>
  /** Runs several commands. A failure stops the others only with `stopOnError`. */
  executeBatch(request: BatchRequest, options?: ExecuteOptions): Promise<BatchOutcome>
  /** Runs commands in order. A step can use the data of earlier steps. */
  executePipeline(request: PipeRequest, options?: ExecuteOptions): Promise<PipeOutcome>
}

/** The outcome of a batch. A request that cannot be run has no results, only the reason. */
export type BatchOutcome =
  | BatchResult
  | (FailureResult & { readonly results?: undefined; readonly summary?: undefined; readonly timing?: undefined })
/** The outcome of a pipe. A request that cannot be run has no steps, only the reason. */
export type PipeOutcome = PipeResult | (FailureResult & { readonly steps?: undefined })

const DIRECT: Caller = { principal: 'direct', era: 'direct', transport: 'direct' }

export function createExecutor<C extends Command = Command>(crib: () => Crib): Executor<C> {
  return {
    // The author defines the type of the data and the caller repeats it. This code cannot check that they agree.
    execute: <T>(name: string, input?: unknown, options?: ExecuteOptions) =>
      crib().execute(name, input, toRequest(options)) as Promise<CommandResult<T>>,
    // The crib returns what runBatch and runPipe return.
    executeBatch: (request, options) => crib().batch(request, toRequest(options)) as Promise<BatchOutcome>,
    executePipeline: (request, options) => crib().pipe(request, toRequest(options)) as Promise<PipeOutcome>,
  }
}

function toRequest(options: ExecuteOptions = {}): Request {
  const { signal = new AbortController().signal, traceId, progress, log, context, ...extra } = options
  const request = { caller: DIRECT, signal, extra, traceId, progress, log }
  return context === undefined ? request : { ...request, context }
}
