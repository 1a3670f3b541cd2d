// Finds all processes that a gateway has started, by a variable in their environment. A process keeps this variable
// when its parent ends.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** The variable that marks the gateway and all processes that it starts. */
export const MARK = 'FAULTS_MARK'

/** The running processes with this mark. Zombies have no environment and do not count. */
export function markedProcesses(mark: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => environmentOf(pid).includes(`${MARK}=${mark}`))
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    // The process has ended since it was listed, or belongs to another user.
    return []
  }
}

/** The resident memory of a process, or its peak, in megabytes. */
export function megabytesOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

/** Returns a function that measures how far the peak of resident memory has risen since this call, in megabytes. */
export function watchMemory(pid: number): () => number {
  const before = megabytesOf(pid, 'VmRSS')
  // Resets the peak to the current resident memory.
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  return () => megabytesOf(pid, 'VmHWM') - before
}

/** The CPU time that a process has used, in milliseconds. */
export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The program name may contain spaces. `utime` and `stime` are the 12th and 13th field after it, in 1/100 s.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
