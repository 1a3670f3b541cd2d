// A lock between processes: a file that only one process can create. It contains the id of that process.

import { open, readFile, rm, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../core/text.ts'
import { removeIf } from './atomic-file.ts'
import { isRunning } from './is-running.ts'

/** A process that holds a lock for longer than this is stuck, or ran on another machine and has ended. */
const STALE_LOCK_MS = 60_000
const RETRY_MS = 20

interface LockOptions {
  /** How long to wait for a process that holds the lock. */
  readonly waitMs: number
  readonly signal?: AbortSignal
}

export class LockHeld extends Error {
  constructor(lock: string) {
    super(`${lock} is held by another process`)
    this.name = 'LockHeld'
  }
}

/**
 * Runs `work` while this process holds the lock. Rejects with LockHeld if the lock is not free in time. Takes over a
 * lock if its process has ended or if it is older than a minute.
 */
export async function withLock<T>(lock: string, { waitMs, signal }: LockOptions, work: () => Promise<T>): Promise<T> {
  const until = Date.now() + waitMs
  while (!(await takeLock(lock, isAbandoned))) {
    if (Date.now() >= until) throw new LockHeld(lock)
    await sleep(RETRY_MS, undefined, signal === undefined ? {} : { signal })
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

/** Returns whether this process has the lock now. `isStale` checks whether the holder of an existing lock is gone. */
export async function takeLock(lock: string, isStale: (path: string) => Promise<boolean>): Promise<boolean> {
  if (await createLock(lock)) return true
  const isAbandonedLock = await isStale(lock).catch(() => false)
  return isAbandonedLock && (await removeIf(lock, isStale)) && createLock(lock)
}

async function createLock(lock: string): Promise<boolean> {
  try {
    const handle = await open(lock, 'wx', 0o600)
    // If the disk is full, the lock file stays empty.
    await handle.writeFile(String(process.pid)).catch(() => {})
    await handle.close()
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

async function isAbandoned(lock: string): Promise<boolean> {
  const { mtimeMs } = await stat(lock)
  if (Date.now() - mtimeMs > STALE_LOCK_MS) return true
  const pid = Number(await readFile(lock, 'utf8'))
  // An empty file may be new: its process writes the id next. So only the age of an empty file shows that it is stale.
  return pid > 0 && !isRunning(pid)
}
