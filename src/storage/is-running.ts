// Checks whether a process of this machine runs.

import { readFileSync } from 'node:fs'
import { errorCode } from './problem.ts'

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    // A process of another user runs, but takes no signal from this one.
    return errorCode(error) !== 'ESRCH'
  }
}

/** A process that has ended, but its parent has not read its exit code. Known on Linux only. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
