// One telemetry event per call. It never contains the input or the result.

import type { Caller, Middleware } from '../../core/call.ts'
import { type ObservedOutcome, observe } from './observe.ts'

/** One call for a telemetry system, without its input and its result. */
export interface TelemetryEvent extends ObservedOutcome {
  /** The name of the command. */
  readonly name: string
  /** The category of the command. */
  readonly category: string
  /** The trace id of the call. */
  readonly traceId: string
  /** The name of the caller. */
  readonly principal: Caller['principal']
  /** How the caller is connected. */
  readonly transport: Caller['transport']
  /** The protocol generation of the caller. */
  readonly era: Caller['era']
  /** ISO 8601. */
  readonly startedAt: string
}

/** Receives the event of each call. */
export interface TelemetrySink {
  /** Called once after each call. An error that it throws is ignored. */
  record(event: TelemetryEvent): void
}

/**
 * Middleware that passes one event per call to a sink. The event contains no input and no result.
 *
 * @example
 * ```ts
 * telemetry({ record: ({ name, durationMs, success }) => console.error(name, durationMs, success) })
 * ```
 */
export function telemetry(sink: TelemetrySink): Middleware {
  return async (commandName, _input, context, next) => {
    const { principal, transport, era } = context.caller
    const startedAt = new Date().toISOString()
    return observe(next, (outcome) =>
      sink.record({
        name: commandName,
        category: context.command.category,
        traceId: context.traceId,
        principal,
        transport,
        era,
        startedAt,
        ...outcome,
      }),
    )
  }
}
