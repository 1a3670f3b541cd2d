// CommandResult: the one type in which every call reports its outcome.

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import { isRecord } from './is-record.ts'

/** The key in the `_meta` of a response. Its value says how to read the rest of a result that was cut. */
export const RESULT_META = 'toolcrib/result'

/** The error of a failed command. Write `suggestion` for the model, which has no other hint about what to do next. */
export interface CommandError {
  readonly code: string
  readonly message: string
  readonly suggestion?: string
  readonly retryable?: boolean
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
  /** The server and the tool that the error is about, if there are several servers. */
  readonly server?: string
  readonly tool?: string
}

/** A document or a record that the data of a result comes from. */
export interface ResultSource {
  readonly type?: string
  readonly id?: string
  readonly title?: string
  readonly url?: string
  readonly [key: string]: unknown
}

/** One step of the plan of a command that does its work in several steps. */
export interface PlanStep {
  readonly id?: string
  readonly action?: string
  readonly description?: string
  readonly status?: 'pending' | 'in_progress' | 'complete' | 'failed' | 'skipped'
  readonly [key: string]: unknown
}

/** Other data that the command could have returned, and the reason. */
export interface Alternative<T = unknown> {
  readonly data: T
  readonly reason: string
  readonly confidence?: number
  readonly [key: string]: unknown
}

/** A problem that did not prevent the result. */
export interface ResultWarning {
  readonly code: string
  readonly message: string
  readonly severity?: 'info' | 'warning' | 'caution'
  readonly [key: string]: unknown
}

/** Facts about the run of a command. Middleware adds the trace id and the duration. */
export interface ResultMetadata {
  readonly executionTimeMs?: number
  readonly commandVersion?: string
  readonly traceId?: string
  readonly timestamp?: string
  readonly [key: string]: unknown
}

/** Optional information that a command can return next to its data or its error. */
export interface ResultExtras {
  /** From 0 to 1. */
  readonly confidence?: number
  readonly reasoning?: string
  readonly sources?: readonly ResultSource[]
  readonly plan?: readonly PlanStep[]
  readonly alternatives?: readonly Alternative[]
  readonly warnings?: readonly ResultWarning[]
  readonly metadata?: ResultMetadata
  /** MCP blocks (image, audio, resource, link) that are sent to the client next to the JSON, never inside it. */
  readonly content?: readonly ContentBlock[]
}

/** Fields that only a source for upstream servers sets. They are dropped from the result of a command. */
export interface ProxiedExtras extends ResultExtras {
  /** The answer of the upstream server, unchanged. A front door sends it instead of building its own. */
  readonly wire?: CallToolResult
}

/** The result of a command with data. */
export interface SuccessResult<T = unknown> extends ProxiedExtras {
  readonly success: true
  readonly data: T
  readonly error?: undefined
}

/** The result of a command that failed. */
export interface FailureResult extends ProxiedExtras {
  readonly success: false
  readonly error: CommandError
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
 * The result of a command that failed. From an Error it keeps the message, and the `code`, `suggestion`, `retryable`
 * and `details` if it has them.
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

/**
 * Copies the known fields. JSON drops the message of an Error, because it is not enumerable; other fields may be
 * secret.
 */
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { success, error } = value as { success?: unknown; error?: unknown } // every field is checked below
  if (success === true) return true
  if (success !== false || typeof error !== 'object' || error === null) return false
  const { code, message } = error as { code?: unknown; message?: unknown } // as above
  return typeof code === 'string' && typeof message === 'string'
}

/** The same result with more metadata. Existing metadata is kept. */
export function withMetadata(result: CommandResult, metadata: ResultMetadata): CommandResult {
  return { ...result, metadata: { ...metadata, ...result.metadata } }
}
