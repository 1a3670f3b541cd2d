// Kills a process on Windows and its descendants. Windows has no process groups, only the parent id of each process.

import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { systemProgram } from './prepare-launch.ts'

interface ListedProcess {
  readonly pid: number
  readonly parent: number
  /** Milliseconds since the epoch, if the list contains it. */
  readonly startedAt?: number
}

type Env = Readonly<Record<string, string | undefined>>

/** PowerShell takes a second on an idle machine, and many seconds if memory is short. */
const TOOL_WAIT_MS = 30_000
const GONE_WAIT_MS = 2_000
const POLL_MS = 20

/** Kills the leader and its descendants, even if `taskkill` is missing, denied or too old for trees. */
export async function killTree(leader: Pick<ChildProcess, 'pid' | 'kill'>, env: Env): Promise<void> {
  const { pid } = leader
  if (pid === undefined) return
  const { code } = await runTool('taskkill.exe', ['/pid', String(pid), '/t', '/f'], env)
  if (code === 0) return
  // Descendants keep the parent id after the parent has ended.
  leader.kill('SIGKILL')
  await killOrphans([pid], env)
}

/** Kills the remaining descendants of processes that have ended. */
export async function killOrphans(leaders: readonly number[], env: Env): Promise<void> {
  // A process that is just being killed would be mistaken for a new process with its id.
  const deadline = performance.now() + GONE_WAIT_MS
  while (leaders.some((pid) => signalProcess(pid, 0)) && performance.now() < deadline) await delay(POLL_MS)
  const listed = await listProcesses(env)
  for (const pid of leaders.flatMap((leader) => descendantsOf(leader, listed))) signalProcess(pid, 'SIGKILL')
}

/** The descendants of an ended process. If the list has a process with its id, that is a different process. */
export function descendantsOf(leader: number, listed: readonly ListedProcess[]): readonly number[] {
  const successor = listed.find(({ pid }) => pid === leader)
  const found: ListedProcess[] = listed.filter(
    ({ pid, parent, startedAt }) =>
      parent === leader && pid !== leader && (successor === undefined || isOlder(startedAt, successor.startedAt)),
  )
  for (const one of found) {
    const isChild = ({ pid, parent, startedAt }: ListedProcess) =>
      // A process that is older than its parent is the child of an earlier process with the same id.
      parent === one.pid && pid !== leader && !isOlder(startedAt, one.startedAt)
    found.push(...listed.filter((other) => isChild(other) && !found.includes(other)))
  }
  return found.map(({ pid }) => pid)
}

/** Sends a signal. Returns false if the process has ended or may not be signalled. Signal 0 only checks this. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

function isOlder(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && one < other
}

async function listProcesses(env: Env): Promise<readonly ListedProcess[]> {
  const shell = await runTool('WindowsPowerShell\\v1.0\\powershell.exe', POWERSHELL_LIST, env)
  const listed = parseList(shell.output)
  if (listed.length > 0) return listed
  // wmic works on older systems, and on systems without PowerShell.
  const { output } = await runTool('wbem\\wmic.exe', ['process', 'get', 'ParentProcessId,ProcessId'], env)
  return parseList(output)
}

const POWERSHELL_LIST = [
  '-NoProfile',
  '-NonInteractive',
  '-Command',
  "Get-CimInstance Win32_Process | ForEach-Object { '{0} {1} {2}' -f $_.ParentProcessId, $_.ProcessId, $(if ($_.CreationDate) { ([DateTimeOffset]$_.CreationDate).ToUnixTimeMilliseconds() }) }",
]

/** Parses lines of `parent pid [start]`. wmic prints a header, and two bytes per character. */
export function parseList(output: Buffer): readonly ListedProcess[] {
  const lines = output
    .toString('latin1')
    .replace(/[^\d\s]/g, '')
    .split(/[\r\n]+/)
  return lines.flatMap((line) => {
    const [parent, pid, startedAt] = line.trim().split(/\s+/).map(Number)
    if (parent === undefined || pid === undefined) return []
    return [{ parent, pid, ...(startedAt === undefined ? {} : { startedAt }) }]
  })
}

/** Never rejects. The code is null if the tool cannot be started or does not end. */
export function runTool(
  name: string,
  args: readonly string[],
  env: Env,
): Promise<{ readonly code: number | null; readonly output: Buffer }> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const finish = (code: number | null) => resolve({ code, output: Buffer.concat(chunks) })
    const tool = spawn(systemProgram(name, env), args, {
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
      timeout: TOOL_WAIT_MS,
    })
    tool.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    tool.once('error', () => finish(null)).once('close', finish)
  })
}
