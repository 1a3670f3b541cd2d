// A lock between processes: a file that only one of them can make, with who made it inside.

import { open, readFile, rm, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from './problem.ts'
import { removeIf } from './remove-if.ts'

/** One who holds it for longer is stuck, or on another machine and gone. */
const STALE_LOCK_MS = 60_000
const RETRY_MS = 20

export interface LockOptions {
  /** How long to wait for who has it. */
  readonly waitMs: number
  readonly signal?: AbortSignal
}

export class LockHeld extends Error {
  constructor(lock: string) {
    super(`${lock} is held by another process`)
    this.name = 'LockHeld'
  }
}

/** Rejects with LockHeld where it was not to be had in time; who held it and is gone holds it no more. */
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

/** Whether it is ours now. `isStale` says of a lock that is there that nobody holds it any more. */
export async function takeLock(lock: string, isStale: (path: string) => Promise<boolean>): Promise<boolean> {
  if (await createLock(lock)) return true
  const isLeftover = await isStale(lock).catch(() => false)
  return isLeftover && (await removeIf(lock, isStale)) && createLock(lock)
}

async function createLock(lock: string): Promise<boolean> {
  try {
    const handle = await open(lock, 'wx', 0o600)
    // On a disk that is full it says of nobody: then only its age tells.
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
  // Empty: made a moment ago, and not written yet.
  return pid > 0 && !isRunning(pid)
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) !== 'ESRCH'
  }
}
