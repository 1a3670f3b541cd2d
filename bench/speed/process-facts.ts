// CPU time, memory, descriptors and children of a running process, from /proc or `ps`. Also the time of an empty process.

import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks of /proc are 10 ms on every Linux that Node runs on. */
const MS_PER_TICK = 10

/** CPU time so far. It is NaN without a process id, and on systems without /proc. */
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

/** Open files and sockets; 0 on systems without /proc. */
export function openDescriptors(pid: number): number {
  return process.platform === 'linux' ? readdirSync(`/proc/${pid}/fd`).length : 0
}

/** The time of `node -e 0`. Benchmarks compare the start of a program with it. */
export function emptyNodeMs(): number {
  const before = performance.now()
  spawnSync(process.execPath, ['-e', '0'])
  return performance.now() - before
}

export interface ProcessLine {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

/** All processes of this machine. */
export function allProcesses(): readonly ProcessLine[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    .split('\n')
    .flatMap((line): readonly ProcessLine[] => {
      const [, own, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
      return own === undefined ? [] : [{ pid: Number(own), parent: Number(parent), command }]
    })
}

/** The children of the process, their children, and so on. */
export function descendantsOf(pid: number): readonly ProcessLine[] {
  const all = allProcesses()
  const below = (parent: number): readonly ProcessLine[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)])
  return below(pid)
}
