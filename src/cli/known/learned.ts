// What searches have learned from calls, from where a gateway keeps it.

import { readFileSync } from 'node:fs'
import type { ToolId } from '../../core/tool.ts'
import { countsIn } from '../../crib/usage.ts'

/** `file`: the entry of the store. */
export function learnedFrom(file: string): ReadonlyMap<ToolId, number> | undefined {
  try {
    return countsIn(JSON.parse(readFileSync(file, 'utf8')).value, Date.now())
  } catch {
    // Nothing was called yet.
    return undefined
  }
}
