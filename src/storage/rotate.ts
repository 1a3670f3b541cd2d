// Moves a full log aside as `<file>.1`, in one process at a time. Nobody waits: who does not get the lock writes on.

import { rename, rm, stat } from 'node:fs/promises'
import { takeLock } from './file-lock.ts'
import { errorCode } from './problem.ts'

/** A rotation takes milliseconds; a lock this old was left by a process that is gone. */
const STALE_LOCK_MS = 10_000

export async function rotate(file: string, isFull: (bytes: number) => boolean, now: () => number): Promise<void> {
  const lock = `${file}.lock`
  const isStale = async (path: string) => now() - (await stat(path)).mtimeMs > STALE_LOCK_MS
  if (!(await takeLock(lock, isStale))) return
  try {
    // Looked at again under the lock: two renames in a row would throw away a generation that is still young.
    const { size } = await stat(file)
    if (isFull(size)) await rename(file, `${file}.1`)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  } finally {
    await rm(lock, { force: true })
  }
}
