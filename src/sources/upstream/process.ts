// One server process in its own process group, so that its child processes end with it.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { errorCode } from '../../core/text.ts'
import { atMost } from '../../core/waiting.ts'
import type { StderrRing } from './server-output.ts'
import type { Watchdog } from './watchdog.ts'
import { prepareLaunch } from './windows/prepare-launch.ts'
import { killOrphans, killTree, signalProcess } from './windows/process-tree.ts'

export interface ProcessOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd?: string
  readonly env: Readonly<Record<string, string>>
  readonly watchdog: Watchdog
  readonly stderr: StderrRing
  /** How long the process may take to end after its input is closed, and then after SIGTERM (default 1,000). */
  readonly graceMs?: number | undefined
}

export interface ServerProcess {
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  /** Resolves with how the process ended, after the rest of its group was ended. Never rejects. */
  readonly ended: Promise<string>
  /** Ends it and its child processes. Can be called twice. */
  end(): Promise<void>
}

/** A process that is started while the code of the connection is still being loaded. */
export interface BegunProcess {
  readonly stderr: StderrRing
  readonly process: Promise<ServerProcess>
}

const GRACE_MS = 1_000
/** How long to wait for output in the pipes of a process that has ended. */
const DRAIN_MS = 500

export function beginProcess(options: ProcessOptions): BegunProcess {
  const process = startProcess(options)
  // The error is reported when the transport waits for the process.
  process.catch(() => {})
  return { stderr: options.stderr, process }
}

/** Rejects with the reason if the process cannot be started. */
export async function startProcess(options: ProcessOptions): Promise<ServerProcess> {
  const { command, cwd, watchdog, stderr, graceMs = GRACE_MS } = options
  const { env, ...launch } = await launchOf(options)
  const child = spawn(launch.command, launch.args, {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    // On POSIX this creates a process group. On Windows it would open a window.
    detached: process.platform !== 'win32',
    windowsHide: true,
    windowsVerbatimArguments: launch.isVerbatim,
    ...(launch.cwd === undefined ? {} : { cwd: launch.cwd }),
  })
  await waitForSpawn(child, command, cwd)
  const { pid } = child
  if (pid === undefined) throw new Error(`'${command}' has no process id`)
  const group = createProcessGroup(pid, child, env)
  watchdog.watch(pid)
  child.stderr.on('data', (chunk: Buffer) => stderr.write(chunk))
  // A broken pipe means that the process ends, which is reported separately.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {})

  const exited = new Promise<string>((resolve) =>
    child.once('exit', (code, signal) => resolve(describeExit(code, signal))),
  )
  const drained = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const ended = (async () => {
    const how = await exited
    await group.end(graceMs)
    watchdog.unwatch(pid)
    await atMost(DRAIN_MS, drained)
    // A process that left the group may still hold the other ends of the pipes.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    return how
  })()

  let ending: Promise<void> | undefined
  const end = async () => {
    child.stdin.end()
    if (await atMost(graceMs, exited)) return void (await ended)
    group.signal('SIGTERM')
    if (!(await atMost(graceMs, exited))) group.signal('SIGKILL')
    await ended
  }
  return {
    pid,
    stdin: child.stdin,
    stdout: child.stdout,
    ended,
    end() {
      ending ??= end()
      return ending
    },
  }
}

async function launchOf({ command, args, cwd, env }: ProcessOptions) {
  if ([command, ...args, ...Object.entries(env).flat()].some((text) => text.includes('\0'))) {
    throw new Error('its command line or environment contains a NUL character, which is not allowed')
  }
  if (process.platform !== 'win32') return { command, args, cwd, env, isVerbatim: false }
  if (cwd !== undefined && !(await isFolder(cwd))) throw new Error(noFolder(cwd))
  return prepareLaunch({ command, args, cwd: cwd ?? process.cwd(), env })
}

async function waitForSpawn(child: ChildProcess, command: string, cwd: string | undefined): Promise<void> {
  try {
    await once(child, 'spawn')
  } catch (error) {
    const code = errorCode(error)
    // Node reports ENOENT for the command even if the folder is missing.
    if (cwd !== undefined && !(await isFolder(cwd))) throw new Error(noFolder(cwd))
    if (code === 'ENOENT') throw new Error(`the command '${command}' was not found`)
    if (code === 'EACCES') throw new Error(`the command '${command}' cannot be run: permission denied`)
    throw new Error(`the command '${command}' could not be started (${code ?? String(error)})`)
  }
}

function noFolder(cwd: string): string {
  return `the folder '${cwd}' does not exist`
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`
}

/** A process and its child processes: on POSIX the process group, on Windows the process tree. */
interface ProcessGroup {
  /** Returns false if all processes have ended. */
  signal(signal: NodeJS.Signals): boolean
  /** Ends the remaining processes after the leader has ended. On POSIX: SIGTERM first, then SIGKILL. */
  end(graceMs: number): Promise<void>
}

const POLL_MS = 20
/** How long a killed process may take to end. */
const KILLED_MS = 500

/** `env` is the environment of the leader. */
function createProcessGroup(pid: number, leader: ChildProcess, env: ProcessOptions['env']): ProcessGroup {
  if (process.platform === 'win32') return createProcessTree(pid, leader, env)
  const signal = (name: NodeJS.Signals | 0) => signalProcess(-pid, name)
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

/** Windows has no signals that a server could handle, so the first call of `signal` kills the tree. */
function createProcessTree(pid: number, leader: ChildProcess, env: ProcessOptions['env']): ProcessGroup {
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
 * True if a process of the group is still running. A signal also reaches zombies, and a container may have no process
 * that reaps them.
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
