// Ends a process and its child processes: on POSIX the process group, on Windows the process tree.

import type { ChildProcess } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { killOrphans, killTree } from './windows/process-tree.ts'

interface ProcessGroup {
  /** Returns false if all processes have ended. */
  signal(signal: NodeJS.Signals): boolean
  /** Ends the remaining processes after the leader has ended: SIGTERM first, then SIGKILL. */
  end(graceMs: number): Promise<void>
}

interface GroupOptions {
  readonly leader: ChildProcess
  /** The environment of the leader. */
  readonly env: Readonly<Record<string, string>>
}

const POLL_MS = 20
/** How long a killed process may take to end. */
const KILLED_MS = 500

export function createProcessGroup(pid: number, options: GroupOptions): ProcessGroup {
  if (process.platform === 'win32') return createProcessTree(pid, options)
  const signal = (name: NodeJS.Signals | 0) => {
    try {
      return process.kill(-pid, name)
    } catch {
      return false
    }
  }
  const isGone = async (waitMs: number) => {
    const deadline = performance.now() + waitMs
    while (signal(0) && (await hasLiving(pid))) {
      if (performance.now() > deadline) return false
      await delay(POLL_MS)
    }
    return true
  }
  return {
    signal,
    async end(graceMs) {
      if (!signal('SIGTERM') || (await isGone(graceMs))) return
      signal('SIGKILL')
      await isGone(KILLED_MS)
    },
  }
}

/** Windows has no signals that a server could handle, so the first one kills the tree. */
function createProcessTree(pid: number, { leader, env }: GroupOptions): ProcessGroup {
  let killing: Promise<void> | undefined
  return {
    signal() {
      // A second signal means that the first one had no effect in time.
      if (killing !== undefined) return leader.kill('SIGKILL')
      killing = killTree(leader, env)
      return true
    },
    async end() {
      // Listing all processes takes a second. It is needed only if the leader failed, because then it may leave others
      // behind.
      if (killing !== undefined) await killing
      else if (leader.exitCode !== 0) await killOrphans([pid], env)
    },
  }
}

/**
 * True if a process of the group is still running. A signal also reaches zombies, and in a container no process may
 * ever reap them.
 */
async function hasLiving(groupId: number): Promise<boolean> {
  try {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
    const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')))
    return stats.some((stat) => {
      const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return Number(group) === groupId && state !== 'Z' && state !== 'X'
    })
  } catch {
    // No /proc on this platform: only the signal can be used.
    return true
  }
}
