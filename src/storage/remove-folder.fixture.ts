// Removes the temporary folder of a test.

import { rm } from 'node:fs/promises'

/**
 * Removes the folder even if a process that is ending still creates files in it. `rmSync` would fail, also with
 * `maxRetries`: in Node 20, its retries do not look for new files.
 */
export function removeFolder(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 5 })
}
