// The faults of a chaos run. The seed decides which fault comes next, and which server it affects.

import { readFileSync, writeFileSync } from 'node:fs'

export type FaultName = 'kill' | 'hang' | 'garbage' | 'slow' | 'notifications' | 'config' | 'badConfig' | 'disconnect'

interface FaultOptions {
  readonly folder: string
  readonly servers: readonly string[]
  readonly configFile: string
  configWith(edit: number): object
  disconnect(): void
  random(): number
}

const HANG_MS = 250
/** How often each fault is chosen. `kill` is not the most frequent one, because a killed server must start again. */
const WEIGHTS: Readonly<Record<FaultName, number>> = {
  kill: 3,
  hang: 2,
  garbage: 4,
  slow: 4,
  notifications: 2,
  config: 1,
  badConfig: 1,
  disconnect: 2,
}
const SIGNALS = { kill: 'SIGKILL', garbage: 'SIGUSR2', slow: 'SIGWINCH', notifications: 'SIGHUP' } as const

/** `next` causes one fault. `counts` includes the faults that had no effect because their server did not run. */
export function createFaults(options: FaultOptions) {
  const { folder, servers, random } = options
  const counts = new Map<FaultName, number>()
  const stopped = new Set<number>()
  let edits = 0
  const names = (Object.keys(WEIGHTS) as FaultName[]).flatMap((name) => Array<FaultName>(WEIGHTS[name]).fill(name))
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)]

  const pidOf = (server: string): number | undefined => {
    try {
      return Number(readFileSync(`${folder}/${server}.pid`, 'utf8')) || undefined
    } catch {
      return undefined
    }
  }
  /** Sends the signal only to a server of this run: its process id may belong to another program by now. */
  const signal = (pid: number, server: string, name: NodeJS.Signals) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      if (words.includes(folder) && words.includes(server)) process.kill(pid, name)
    } catch {
      // The process has ended already.
    }
  }
  const cause = (name: FaultName) => {
    const server = pick(servers) ?? ''
    const pid = pidOf(server)
    switch (name) {
      case 'config':
        return writeFileSync(options.configFile, JSON.stringify(options.configWith(++edits)))
      case 'badConfig':
        return writeFileSync(options.configFile, '{ "discovery": { "servers": {')
      case 'disconnect':
        return options.disconnect()
      case 'hang': {
        if (pid === undefined) return
        signal(pid, server, 'SIGSTOP')
        stopped.add(pid)
        setTimeout(() => {
          signal(pid, server, 'SIGCONT')
          stopped.delete(pid)
        }, HANG_MS)
        return
      }
      default:
        if (pid !== undefined) signal(pid, server, SIGNALS[name])
    }
  }
  return {
    counts,
    next() {
      const name = pick(names) ?? 'slow'
      counts.set(name, (counts.get(name) ?? 0) + 1)
      cause(name)
    },
    /** Restores a valid config, and waits until no server is stopped. */
    async end() {
      writeFileSync(options.configFile, JSON.stringify(options.configWith(++edits)))
      while (stopped.size > 0) await new Promise((resolve) => setTimeout(resolve, 20))
    },
  }
}
