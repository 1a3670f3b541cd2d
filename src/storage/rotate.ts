// Renames a full log to `<file>.1`. One process at a time does it; a process that does not get the lock keeps writing.

import { rename, rm, stat } from 'node:fs/promises'
import { takeLock } from './file-lock.ts'
import { errorCode } from './problem.ts'

/** A rotation takes milliseconds. A lock of this age was left by a process that has ended. */
const STALE_LOCK_MS = 10_000

export async function rotate(file: string, isFull: (bytes: number) => boolean, now: () => number): Promise<void> {
  const lock = `${file}.lock`
  const isStale = async (path: string) => now() - (await stat(path)).mtimeMs > STALE_LOCK_MS
  if (!(await takeLock(lock, isStale))) return
  try {
    // Checks the size again under the lock: a second rename in a row would overwrite `<file>.1` with a new file.
    const { size } = await stat(file)
    if (isFull(size)) await rename(file, `${file}.1`)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  } finally {
    await rm(lock, { force: true })
  }
}
