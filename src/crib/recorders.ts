// The recorders of calls: each runs an attempt to call a tool, and records it in the audit log, usage or metrics.

import { toolId } from '../catalog/tool-set.ts'
import type { Caller } from '../core/call.ts'
import type { CommandResult } from '../core/result.ts'
import type { Audit } from '../dispatch/audit.ts'
import type { ServerState } from '../sources/upstream/lifecycle.ts'
import type { Usage } from './usage.ts'

/** A call before the visibility check. */
export interface CallAttempt {
  readonly caller: Caller
  /** Empty if the caller named no server and no tool was found. */
  readonly server: string
  readonly tool: string
  readonly input: unknown
}

/** Runs an attempt and records its outcome. May refuse to run an attempt that it cannot record. */
export type Recorder = (attempt: CallAttempt, run: () => Promise<CommandResult>) => Promise<CommandResult>

/** Counts the successful calls of each tool. */
export function usageRecorder(usage: Pick<Usage, 'note'>): Recorder {
  return async ({ server, tool }, run) => {
    const result = await run()
    if (result.success) usage.note(toolId(server, tool))
    return result
  }
}

/** Records each attempt in the audit log, unless the audit refuses it, and counts the successful calls of each tool. */
export function auditRecorder(audit: Audit, usage: Pick<Usage, 'note'>): Recorder {
  return async (attempt, run) => {
    // A strict audit refuses a call that it cannot record. A lenient audit returns no promise: the call does not wait.
    const admission = audit.admit(attempt)
    const refusal = admission === undefined ? undefined : await admission
    if (refusal !== undefined) return refusal
    const startedAt = Date.now()
    const before = performance.now()
    const result = await run()
    const { caller, server, tool, input } = attempt
    if (result.success) usage.note(toolId(server, tool))
    const durationMs = performance.now() - before
    const written = audit.record({ caller, server, tool, input, result, startedAt, durationMs })
    if (written !== undefined) await written
    return result
  }
}

/** Observes a gateway for metrics. Each function must return quickly and must not throw. */
export interface GatewayObserver {
  onCall(call: ObservedCall): void
  /** `found` is the number of hits of a search. */
  onFound(found: number): void
  onServerState(server: string, state: ServerState['state']): void
}

/** A call that has ended, or was refused. */
export interface ObservedCall {
  readonly server: string
  readonly tool: string
  readonly result: CommandResult
  readonly durationMs: number
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
