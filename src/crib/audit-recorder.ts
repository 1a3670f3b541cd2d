// Every attempt to call a tool leaves one record, whichever way it came and however it ended.

import { toolId } from '../catalog/tool-id.ts'
import type { Audit } from '../dispatch/audit.ts'
import type { Recorder } from './recorder.ts'
import type { Usage } from './usage.ts'

export function auditRecorder(audit: Audit, usage: Pick<Usage, 'note'>): Recorder {
  return async (attempt, run) => {
    const refused = await audit.admit(attempt)
    if (refused !== undefined) return refused
    const startedAt = Date.now()
    const before = performance.now()
    const result = await run()
    if (result.success) usage.note(toolId(attempt.server, attempt.tool))
    await audit.record({ ...attempt, result, startedAt, durationMs: performance.now() - before })
    return result
  }
}
