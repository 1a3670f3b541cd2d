// Asks the running gateways of this user to end, and waits for them.

import { setTimeout as wait } from 'node:timers/promises'
import { askGateways } from '../../gateway/ask-gateways.ts'
import { isGone } from '../../gateway/registration.ts'
import type { Work } from '../../output/work.ts'

interface EndedGateways {
  readonly ended: readonly number[]
  /** The gateways that still run. The user must end them. */
  readonly running: readonly number[]
}

const MAX_ANSWER_MS = 3_000
/** A gateway first finishes the calls in flight. */
const MAX_END_MS = 15_000
const CHECK_EVERY_MS = 100

export async function endGateways({ environment, signal }: Work): Promise<EndedGateways> {
  const { stateDir, platform } = environment
  // A process that answers is a gateway, so its process id has not been reused by another program.
  const answers = await askGateways(stateDir, 'status', signal, MAX_ANSWER_MS)
  const all = answers.map(({ pid }) => pid)
  const asked = answers.filter(({ reply }) => !('error' in reply)).map(({ pid }) => pid)
  // On Windows a signal ends a process at once, and its servers would keep running.
  if (platform === 'win32') return { ended: [], running: all }
  for (const pid of asked) sendEnd(pid)
  let running = all
  const deadline = Date.now() + MAX_END_MS
  while (running.some((pid) => asked.includes(pid)) && Date.now() < deadline) {
    await wait(CHECK_EVERY_MS, undefined, { signal })
    // Waits for the end of the process, not of its registration, because a gateway writes to its log until it ends.
    running = all.filter((pid) => !isGone({ pid }))
  }
  return { ended: all.filter((pid) => !running.includes(pid)), running }
}

function sendEnd(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch {
    // It has ended meanwhile.
  }
}
