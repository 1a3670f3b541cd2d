// Writes an audit record for each attempt to call a tool. A strict audit refuses a call that it cannot record.

import { toolId } from '../catalog/tool-id.ts'
import type { Audit } from '../dispatch/audit.ts'
import type { Recorder } from './recorder.ts'
import type { Usage } from './usage.ts'

export function auditRecorder(audit: Audit, usage: Pick<Usage, 'note'>): Recorder {
  return async (attempt, run) => {
    // A lenient audit returns no promise. Then the call does not wait.
    const admitted = audit.admit(attempt)
    const refused = admitted === undefined ? undefined : await admitted
    if (refused !== undefined) return refused
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
