// Observes a gateway for metrics: calls, searches and states of servers. Nothing is counted without an observer.

import type { CommandResult } from '../core/result.ts'
import type { ServerState } from '../sources/upstream/lifecycle.ts'
import type { Recorder } from './recorder.ts'

/** A call that has ended, or was refused. */
export interface ObservedCall {
  readonly server: string
  readonly tool: string
  readonly result: CommandResult
  readonly durationMs: number
}

/** Each function must return quickly and must not throw. */
export interface GatewayObserver {
  onCall(call: ObservedCall): void
  /** `found` is the number of hits. */
  onFound(found: number): void
  onServerState(server: string, state: ServerState['state']): void
}

/** Returns a recorder that also reports each attempt to the observer. */
export function observedRecorder(record: Recorder, observer: GatewayObserver | undefined): Recorder {
  if (observer === undefined) return record
  return async (attempt, run) => {
    const startedAt = performance.now()
    const result = await record(attempt, run)
    const { server, tool } = attempt
    observer.onCall({ server, tool, result, durationMs: performance.now() - startedAt })
    return result
  }
}
