// A process and all that it started, as far as it stayed in its group.

import type { ChildProcess } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { killOrphans, killTree } from './windows/process-tree.ts'

export interface ProcessGroup {
  /** False where there is nobody left to signal. */
  signal(signal: NodeJS.Signals): boolean
  /** What is left of it once its leader is gone: asked to end, then killed. */
  end(graceMs: number): Promise<void>
}

export interface GroupOptions {
  readonly leader: ChildProcess
  /** The environment of the leader. */
  readonly env: Readonly<Record<string, string>>
}

const POLL_MS = 20
/** Nobody refuses to be killed; this is how long it may take. */
const KILLED_MS = 500

export function processGroup(pid: number, options: GroupOptions): ProcessGroup {
  if (process.platform === 'win32') return processTree(pid, options)
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

/** Windows has no signals that a server could answer: the first one kills the tree. */
function processTree(pid: number, { leader, env }: GroupOptions): ProcessGroup {
  let killing: Promise<void> | undefined
  return {
    signal() {
      // A second signal means that the first one had no effect in time.
      if (killing !== undefined) return leader.kill('SIGKILL')
      killing = killTree(leader, env)
      return true
    },
    async end() {
      // Listing all processes takes a second: only a leader that failed leaves others behind.
      if (killing !== undefined) await killing
      else if (leader.exitCode !== 0) await killOrphans([pid], env)
    },
  }
}

/**
 * Whether any of the group still runs. A signal reaches those too that have ended and were not collected, and in a
 * container nobody may ever collect them.
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
    // No such folder here: the signal is all there is to go by.
    return true
  }
}
