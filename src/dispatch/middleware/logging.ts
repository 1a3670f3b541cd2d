// One log record per call: the command, the outcome and the duration. It never contains the input or the result.

import type { LogLevel, Middleware } from '../../core/call.ts'
import { checkNumber } from './check-number.ts'
import { type ObservedOutcome, observe } from './observe.ts'

/** One call in the log, without its input and its result. */
export interface CallLogRecord {
  /** `error` for a failure, `warning` for a slow success, else `info`. */
  readonly level: LogLevel
  /** The name of the command. */
  readonly commandName: string
  /** The trace id of the call. */
  readonly traceId: string
  /** Whether the call succeeded. */
  readonly success: boolean
  /** The duration in milliseconds. */
  readonly durationMs: number
  /** Absent on success, and if the rest of the middleware chain threw. */
  readonly errorCode?: string
}

/** Receives the record of each call. */
export type CallLogSink = (record: CallLogRecord) => void

/** The options of `logging`. */
export interface LoggingOptions {
  /** Default: one JSON line on stderr. An error that the sink throws is ignored. */
  readonly sink?: CallLogSink
  /** Records below this level are not written. Default: `info`, which writes all records. */
  readonly level?: LogLevel
  /** A success that took at least this long is logged as a `warning`. By default, a success is never a `warning`. */
  readonly slowMs?: number
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/**
 * Middleware that logs one record per call: the command, the outcome and the duration, but no input and no result.
 *
 * @example
 * ```ts
 * createMcpServer({
 *   name: 'todos',
 *   version: '1.0.0',
 *   commands: [add],
 *   middleware: [...defaultMiddleware(), logging({ slowMs: 1_000 })],
 * })
 * ```
 */
export function logging({
  sink = writeToStderr,
  level: lowest = 'info',
  slowMs = Number.POSITIVE_INFINITY,
}: LoggingOptions = {}): Middleware {
  checkNumber('logging', 'slowMs', slowMs, { min: 0, max: Number.POSITIVE_INFINITY })
  return async (commandName, _input, context, next) =>
    observe(next, (outcome) => {
      const level = levelOf(outcome, slowMs)
      if (LEVELS.indexOf(level) < LEVELS.indexOf(lowest)) return
      const { success, durationMs, errorCode } = outcome
      return sink({
        level,
        commandName,
        traceId: context.traceId,
        success,
        durationMs,
        ...(errorCode === undefined ? {} : { errorCode }),
      })
    })
}

function levelOf({ success, durationMs }: ObservedOutcome, slowMs: number): LogLevel {
  if (!success) return 'error'
  return durationMs >= slowMs ? 'warning' : 'info'
}

// Never stdout: over stdio it carries the protocol.
function writeToStderr(record: CallLogRecord): void {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...record })}\n`)
}
