// One log record per call: what ran, how it ended, how long it took. Never what went in or came out.

import type { LogLevel, Middleware } from '../../core/call.ts'
import { checkNumber } from './check-number.ts'
import { type Outcome, observe } from './observe.ts'

export interface CallLogRecord {
  /** `error` for a failure, `warning` for a slow success, else `info`. */
  readonly level: LogLevel
  readonly commandName: string
  readonly traceId: string
  readonly success: boolean
  readonly durationMs: number
  /** Absent on success, and where another middleware threw. */
  readonly errorCode?: string
}

export type CallLogSink = (record: CallLogRecord) => void

export interface LoggingOptions {
  /** Without one, a line of JSON on stderr. What it throws is dropped. */
  readonly sink?: CallLogSink
  /** Records below this level are not written (default `info`: all of them). */
  readonly level?: LogLevel
  /** A success that took at least this long is a `warning`; without it none is. */
  readonly slowMs?: number
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

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

function levelOf({ success, durationMs }: Outcome, slowMs: number): LogLevel {
  if (!success) return 'error'
  return durationMs >= slowMs ? 'warning' : 'info'
}

// Never stdout: over stdio that is where the protocol runs.
function writeToStderr(record: CallLogRecord): void {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...record })}\n`)
}
