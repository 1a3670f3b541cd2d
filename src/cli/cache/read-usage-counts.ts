// Reads the call counts that a gateway stores, which improve the ranking of searches.

import { readFileSync } from 'node:fs'
import type { ToolId } from '../../core/tool.ts'
import { countsIn } from '../../crib/usage.ts'

/** `file` is the entry in the gateway's store. */
export function readUsageCounts(file: string): ReadonlyMap<ToolId, number> | undefined {
  try {
    return countsIn(JSON.parse(readFileSync(file, 'utf8')).value, Date.now())
  } catch {
    // The file is missing before the first call.
    return undefined
  }
}
