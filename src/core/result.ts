// CommandResult: the one type in which every call reports its outcome.

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import { isRecord } from './is-record.ts'

/** The key in the `_meta` of a response. Its value says how to read the rest of a result that was cut. */
export const RESULT_META = 'toolcrib/result'

/** The error of a failed command. Write `suggestion` for the model, which has no other hint about what to do next. */
export interface CommandError {
  /** An upper-case code such as `ORDER_SHIPPED`, for programs. */
  readonly code: string
  /** The failure in one sentence. */
  readonly message: string
  /** The next step of the caller. */
  readonly suggestion?: string
  /** True if the same call can succeed later. Default: false. */
  readonly retryable?: boolean
  /** Further facts for the caller, as JSON. */
  readonly details?: Readonly<Record<string, unknown>>
  /** The error that led to this one. */
  readonly cause?: unknown
  /** The server that the error is about, if there are several servers. */
  readonly server?: string
  /** The tool that the error is about, if there are several servers. */
  readonly tool?: string
}

/** A document or a record that the data of a result comes from. */
export interface ResultSource {
  /** The kind of source, such as `document`. */
  readonly type?: string
  /** The id of the source in its own system. */
  readonly id?: string
  /** A name for people. */
  readonly title?: string
  /** Where the source can be read. */
  readonly url?: string
  readonly [key: string]: unknown
}

/** One step of the plan of a command that does its work in several steps. */
export interface PlanStep {
  /** Identifies the step in the plan. */
  readonly id?: string
  /** The action, as one word or the name of a command. */
  readonly action?: string
  /** The action, as a sentence. */
  readonly description?: string
  /** How far the step is. */
  readonly status?: 'pending' | 'in_progress' | 'complete' | 'failed' | 'skipped'
  readonly [key: string]: unknown
}

/** Other data that the command could have returned, and the reason. */
export interface Alternative<T = unknown> {
  /** The other data. */
  readonly data: T
  /** Why the command did not return it. */
  readonly reason: string
  /** From 0 to 1. */
  readonly confidence?: number
  readonly [key: string]: unknown
}

/** A problem that did not prevent the result. */
export interface ResultWarning {
  /** An upper-case code, for programs. */
  readonly code: string
  /** The problem, as a sentence. */
  readonly message: string
  /** How important the warning is. */
  readonly severity?: 'info' | 'warning' | 'caution'
  readonly [key: string]: unknown
}

/** Facts about the run of a command. Middleware adds the trace id and the duration. */
export interface ResultMetadata {
  /** The duration of the call in milliseconds. */
  readonly executionTimeMs?: number
  /** The version of the command. */
  readonly commandVersion?: string
  /** Identifies the call in logs. */
  readonly traceId?: string
  /** When the call started, in ISO 8601. */
  readonly timestamp?: string
  readonly [key: string]: unknown
}

/** Optional information that a command can return next to its data or its error. */
export interface ResultExtras {
  /** From 0 to 1. */
  readonly confidence?: number
  /** Why the data is as it is. */
  readonly reasoning?: string
  /** Where the data comes from. */
  readonly sources?: readonly ResultSource[]
  /** The steps of the work. */
  readonly plan?: readonly PlanStep[]
  /** Other data that the command could have returned. */
  readonly alternatives?: readonly Alternative[]
  /** Problems that did not prevent the result. */
  readonly warnings?: readonly ResultWarning[]
  /** Facts about the run. */
  readonly metadata?: ResultMetadata
  /** MCP blocks (image, audio, resource, link) that are sent to the client next to the JSON, never inside it. */
  readonly content?: readonly ContentBlock[]
}

/** Adds the field `wire`, which only Toolcrib sets. It is removed if the handler of a command returns it. */
export interface ProxiedExtras extends ResultExtras {
  /** The complete MCP result, for example the answer of an upstream server. A front door sends it instead of building one. */
  readonly wire?: CallToolResult
}

/** The result of a command with data. */
export interface SuccessResult<T = unknown> extends ProxiedExtras {
  /** True: the result has data. */
  readonly success: true
  /** The data of the command. */
  readonly data: T
  /** Always absent. It is declared so that code can read `error` of any result without a type error. */
  readonly error?: undefined
}

/** The result of a command that failed. */
export interface FailureResult extends ProxiedExtras {
  /** False: the result has an error. */
  readonly success: false
  /** The reason for the failure. */
  readonly error: CommandError
  /** Always absent. It is declared so that code can read `data` of any result without a type error. */
  readonly data?: undefined
}

/** The outcome of a call. `if (result.success)` narrows it to its data, and `else` to its error. */
export type CommandResult<T = unknown> = SuccessResult<T> | FailureResult

/**
 * The result of a command with data.
 *
 * @example
 * ```ts
 * success({ id: 7 })
 * success({ id: 7 }, { confidence: 0.8, reasoning: 'The only order of today.' })
 * ```
 */
export function success<T>(data: T, extras: ProxiedExtras = {}): SuccessResult<T> {
  return { success: true, data, ...extras }
}

/**
 * The result of a command that failed. From an Error it keeps the message, and the `code`, `suggestion`, `retryable`,
 * `details` and `cause` if it has them.
 *
 * @example
 * ```ts
 * failure({ code: 'TODO_NOT_FOUND', message: 'No todo 7', suggestion: 'Call todo-list for the ids.' })
 * failure(new Error('The disk is full'))
 * ```
 */
export function failure(error: CommandError | Error, extras: ProxiedExtras = {}): FailureResult {
  return { success: false, error: error instanceof Error ? toCommandError(error) : error, ...extras }
}

/** Copies the known fields: JSON would drop the message, which is not enumerable, and other fields may be secret. */
export function toCommandError(error: Error): CommandError {
  const { name, message, cause } = error
  const { code, suggestion, retryable, details }: Partial<Record<keyof CommandError, unknown>> = { ...error }
  return {
    code: typeof code === 'string' && code !== '' ? code : 'COMMAND_EXECUTION_ERROR',
    message: message || name,
    ...(typeof suggestion === 'string' ? { suggestion } : {}),
    ...(typeof retryable === 'boolean' ? { retryable } : {}),
    ...(isRecord(details) ? { details } : {}),
    ...(cause === undefined ? {} : { cause }),
  }
}

/**
 * Whether a result has data.
 *
 * @example
 * ```ts
 * const results = [success(1), failure(new Error('The disk is full'))]
 * results.filter(isSuccess).map((result) => result.data)
 * ```
 */
export function isSuccess<T>(result: CommandResult<T>): result is SuccessResult<T> {
  return result.success === true
}

/**
 * Whether a result has an error.
 *
 * @example
 * ```ts
 * const results = [success(1), failure(new Error('The disk is full'))]
 * results.filter(isFailure).map((result) => result.error.message)
 * ```
 */
export function isFailure(result: CommandResult): result is FailureResult {
  return result.success === false
}

/** Whether a value is a CommandResult: a success, or a failure with an error code and a message. */
export function isCommandResult(value: unknown): value is CommandResult {
  if (!isRecord(value)) return false
  const { success, error } = value
  if (success !== false || !isRecord(error)) return success === true
  return typeof error.code === 'string' && typeof error.message === 'string'
}

/** A copy of the result with more metadata. The metadata that the result already has takes precedence. */
export function withMetadata(result: CommandResult, metadata: ResultMetadata): CommandResult {
  return { ...result, metadata: { ...metadata, ...result.metadata } }
}
