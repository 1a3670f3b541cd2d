// Moves a full log aside as `<file>.1`, in one process at a time. Nobody waits: who does not get the lock writes on.

import { open, rename, rm, stat } from 'node:fs/promises'
import { errorCode } from './problem.ts'
import { removeIf } from './remove-if.ts'

/** A rotation takes milliseconds; a lock this old was left by a process that is gone. */
const STALE_LOCK_MS = 10_000

export async function rotate(file: string, isFull: (bytes: number) => boolean, now: () => number): Promise<void> {
  const lock = `${file}.lock`
  if (!(await takeLock(lock, now))) return
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

async function takeLock(lock: string, now: () => number): Promise<boolean> {
  if (await createLock(lock)) return true
  const isStale = async (path: string) => now() - (await stat(path)).mtimeMs > STALE_LOCK_MS
  const isLeftover = await isStale(lock).catch(() => false)
  return isLeftover && (await removeIf(lock, isStale)) && createLock(lock)
}

async function createLock(lock: string): Promise<boolean> {
  try {
    const handle = await open(lock, 'wx', 0o600)
    await handle.close()
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}
