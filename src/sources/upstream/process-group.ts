// A process and all that it started, as far as it stayed in its group.

import { spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

export interface ProcessGroup {
  /** False where there is nobody left to signal. */
  signal(signal: NodeJS.Signals): boolean
  /** What is left of it once its leader is gone: asked to end, then killed. */
  end(graceMs: number): Promise<void>
}

const POLL_MS = 20
/** Nobody refuses to be killed; this is how long it may take. */
const KILLED_MS = 500

export function processGroup(pid: number): ProcessGroup {
  if (process.platform === 'win32') return processTree(pid)
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

/** Windows has no groups; this ends the tree at once, whatever the signal. */
function processTree(pid: number): ProcessGroup {
  return {
    signal() {
      spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' }).on('error', () => {})
      return true
    },
    async end() {},
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
