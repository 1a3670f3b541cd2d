// One telemetry event per call. It never contains input or result values.

import type { Caller, Middleware } from '../../core/call.ts'
import { type ObservedOutcome, observe } from './observe.ts'

export interface TelemetryEvent extends ObservedOutcome {
  readonly name: string
  readonly category: string
  readonly traceId: string
  readonly principal: Caller['principal']
  readonly transport: Caller['transport']
  readonly era: Caller['era']
  /** ISO 8601. */
  readonly startedAt: string
}

export interface TelemetrySink {
  /** Called once after each call. An error that it throws is ignored. */
  record(event: TelemetryEvent): void
}

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
