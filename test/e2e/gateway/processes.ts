// Finds the child processes of a process, ends a process, and checks that processes have ended.

import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, vi } from 'vitest'
import { DEADLINE_MS, isAlive } from '../../../src/sources/upstream/upstream.fixture.ts'

/** All descendants of a process that still belong to its process tree. */
export function startedBy(pid: number): readonly number[] {
  const all = existsSync('/proc/self/stat') ? listFromProc() : listFromPs()
  const found: number[] = []
  const walk = (parent: number) => {
    for (const [child, childParent] of all) {
      if (childParent !== parent || found.includes(child)) continue
      found.push(child)
      walk(child)
    }
  }
  walk(pid)
  return found
}

/** Sends the signal unless the process has ended already, and waits for its end. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

export async function expectGone(pids: readonly number[]): Promise<void> {
  // `expect.poll` does not work in hooks, so this waits with vi.waitUntil.
  await vi.waitUntil(() => !pids.some(isAlive), { timeout: DEADLINE_MS, interval: 20 }).catch(() => {})
  expect(pids.filter(isAlive)).toEqual([])
}

/** Pairs of a process and its parent. */
type Processes = readonly (readonly [number, number])[]

function listFromProc(): Processes {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        // The program name may contain any character. After it come the state and the parent.
        return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])] as const]
      } catch {
        // The process ended after it was listed.
        return []
      }
    })
}

function listFromPs(): Processes {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  return lines.map((line) => {
    const [pid, parent] = line.trim().split(/\s+/).map(Number)
    return [pid ?? 0, parent ?? 0] as const
  })
}
