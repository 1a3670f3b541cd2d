// Checks whether a process runs on this machine.

import { readFileSync } from 'node:fs'
import { errorCode } from '../core/text.ts'

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    // Signals to a process of another user are refused, but that process runs.
    return errorCode(error) !== 'ESRCH'
  }
}

/** True if the process has ended, but its parent has not read its exit code. Always false outside of Linux. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
