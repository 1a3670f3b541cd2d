// What the system says of a running process.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Clock ticks of /proc are 10 ms on every Linux that Node runs on. */
const MS_PER_TICK = 10

/** CPU time that it has used so far; NaN where the system has no /proc or there is no process. */
export function cpuMsOf(pid: number | undefined): number {
  if (pid === undefined || process.platform !== 'linux') return Number.NaN
  // The second field is the name, which may contain spaces; the fields after it start with the state.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
}

export function residentMegabytes(pid: number): number {
  if (process.platform !== 'linux') return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)])) / 1024
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}
