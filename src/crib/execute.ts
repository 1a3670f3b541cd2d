// Running commands from this process, without a protocol in between.

import type { Caller, CommandContext } from '../core/call.ts'
import type { CommandResult } from '../core/result.ts'
import type { BatchRequest, BatchResult } from '../dispatch/batch.ts'
import type { PipeRequest, PipeResult } from '../dispatch/pipe.ts'
import type { Crib } from './crib.ts'
import type { Request } from './request.ts'

/** What the caller knows and the handler should; all of it may be left out. */
export interface ExecuteOptions extends Partial<Pick<CommandContext, 'traceId' | 'signal' | 'progress' | 'log'>> {
  /** The context to act in. */
  readonly context?: string
  readonly [key: string]: unknown
}

/** Whatever can run commands: a registry, a server, a client of either. */
export interface Executor {
  execute(name: string, input?: unknown, options?: ExecuteOptions): Promise<CommandResult>
  executeBatch(request: BatchRequest, options?: ExecuteOptions): Promise<BatchResult | CommandResult>
  executePipeline(request: PipeRequest, options?: ExecuteOptions): Promise<PipeResult | CommandResult>
}

const DIRECT: Caller = { principal: 'direct', era: 'direct', transport: 'direct' }

export function createExecutor(crib: () => Crib): Executor {
  return {
    execute: (name, input, options) => crib().execute(name, input, toRequest(options)),
    executeBatch: (request, options) => crib().batch(request, toRequest(options)),
    executePipeline: (request, options) => crib().pipe(request, toRequest(options)),
  }
}

function toRequest(options: ExecuteOptions = {}): Request {
  const { signal = new AbortController().signal, traceId, progress, log, context, ...extra } = options
  return {
    caller: DIRECT,
    signal,
    extra,
    ...(traceId === undefined ? {} : { traceId }),
    ...(progress === undefined ? {} : { progress }),
    ...(log === undefined ? {} : { log }),
    ...(context === undefined ? {} : { context }),
  }
}
