// Records each attempt to call a tool in the audit log, and counts the successful calls of each tool.

import { toolId } from '../catalog/tool-id.ts'
import type { Audit } from '../dispatch/audit.ts'
import type { Recorder } from './recorder.ts'
import type { Usage } from './usage.ts'

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
