// Runs commands from this process, without a protocol.

import type { Caller, CommandContext } from '../core/call.ts'
import type { DEFAULT_PREFIX } from '../core/names.ts'
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

/** A client in the same process. `C` is the type of the commands that it can call. */
export interface DirectClient<C extends Command = Command> {
  /** Calls a command by its name. For an unknown name, the result is an error with the most similar names. */
  readonly call: DirectCall<C>
  /** Runs commands in order. A step can use the data of earlier steps. */
  pipe(request: PipeRequest, options?: ExecuteOptions): Promise<PipeOutcome>
  /** Runs several commands, and returns all of their results. */
  batch(request: BatchRequest, options?: ExecuteOptions): Promise<BatchOutcome>
}

/** Any name if the compiler does not know the commands, else the names of the commands with their inputs and data. */
type DirectCall<C extends Command> = [C] extends [never]
  ? AnyCall
  : string extends C['name']
    ? AnyCall
    : <Name extends C['name'] | OwnTool>(
        name: Name,
        ...rest: CallArguments<Extract<C, { readonly name: Name }>>
      ) => Promise<CommandResult<DataOfCall<Extract<C, { readonly name: Name }>>>>

type AnyCall = <T = unknown>(name: string, input?: unknown, options?: ExecuteOptions) => Promise<CommandResult<T>>

/** The names of meta-tools with the default prefix, such as `afd-call`. Names of commands cannot start with it. */
type OwnTool = `${typeof DEFAULT_PREFIX}-${string}`

/** The input can be left out if all of its fields can. */
type CallArguments<C extends Command> = [C] extends [never]
  ? [input?: unknown, options?: ExecuteOptions]
  : C extends Command<string, infer Input>
    ? Record<never, never> extends Input
      ? [input?: Input, options?: ExecuteOptions]
      : [input: Input, options?: ExecuteOptions]
    : never

type DataOfCall<C extends Command> = [C] extends [never]
  ? unknown
  : C extends Command<string, unknown, infer Data>
    ? Data
    : never

/**
 * Calls commands in the same process, with the same middleware and checks as over MCP. Names, inputs and results are
 * typed if the compiler knows the commands. `createDirectClient<Command>(target)` accepts every name.
 *
 * @example
 * ```ts
 * const client = createDirectClient(createCommandRegistry({ commands: [add] }))
 * const result = await client.call('todo-add', { text: 'Buy milk' })
 * if (result.success) console.log(result.data.id)
 * else console.error(result.error.message)
 * ```
 */
export function createDirectClient<C extends Command = Command>(target: Executor<C>): DirectClient<C> {
  const call: AnyCall = (name, input, options) => target.execute(name, input, options)
  return {
    call: call as DirectCall<C>, // the same function with narrower types
    pipe: (request, options) => target.executePipeline(request, options),
    batch: (request, options) => target.executeBatch(request, options),
  }
}
