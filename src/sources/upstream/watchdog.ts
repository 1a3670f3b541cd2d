// Ends the servers of this process even if this process is killed: a small process, the watchdog, ends them.

import { type ChildProcess, spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Watchdog {
  /** Ends this process group when our process ends. */
  watch(groupId: number): void
  unwatch(groupId: number): void
  readonly pid: number | undefined
}

/** How many times a watchdog that ended too early is replaced. */
const MAX_RESTARTS = 3

/** One watchdog for all servers of this process. It runs only while there are processes to watch. */
export function createWatchdog(): Watchdog {
  const groups = new Set<number>()
  let running: ChildProcess | undefined
  let restarts = 0

  const start = (): ChildProcess => {
    const { command, args, cwd } = watchdogCommand()
    // The watchdog has its own group, so that a signal to the group of our terminal does not end it. On Windows, a
    // process that is not detached ends with us.
    const child = spawn(command, args, {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: {},
      cwd,
      windowsHide: true,
    })
    // The watchdog must not keep us alive. If it cannot start, we continue without it: servers still notice that their
    // input closes.
    child.unref()
    for (const part of [child, child.stdin]) part?.on('error', () => {})
    if (child.stdin !== null && 'unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
    child.once('exit', () => {
      if (running !== child) return
      running = undefined
      if (groups.size > 0 && restarts++ < MAX_RESTARTS) send([...groups].map((id) => `+ ${id}`))
    })
    return child
  }
  const send = (lines: readonly string[]) => {
    running ??= start()
    running.stdin?.write(lines.map((line) => `${line}\n`).join(''))
  }

  return {
    get pid() {
      return running?.pid
    },
    watch(groupId) {
      if (groups.has(groupId)) return
      groups.add(groupId)
      send([`+ ${groupId}`])
    },
    unwatch(groupId) {
      if (!groups.delete(groupId)) return
      if (groups.size > 0) return send([`- ${groupId}`])
      // The group is removed before the input ends, because the watchdog then kills all groups that it knows.
      running?.stdin?.end(`- ${groupId}\n`)
      running = undefined
    },
  }
}

function watchdogCommand() {
  if (process.platform !== 'win32') return { command: '/bin/sh', args: ['-c', WATCHDOG_SCRIPT], cwd: '/' }
  const script = fileURLToPath(new URL('./windows/watchdog-entry.js', import.meta.url))
  return { command: process.execPath, args: [script], cwd: dirname(process.execPath) }
}

/**
 * The watchdog on POSIX. Reads `+ group` and `- group`, one per line, until the input ends. Then it ends the groups. A
 * group is stored with the start time of its leader: a process with the same id and another start time is a different
 * one and is not killed. If the leader is gone, its id cannot be reused while processes of its group exist. Tests send
 * another start time after the group.
 */
export const WATCHDOG_SCRIPT = `
trap '' HUP INT TERM
started() {
  if [ -d /proc/self ]; then
    IFS= read -r stat 2>/dev/null < "/proc/$1/stat" || return 0
    set -- \${stat##*) }
    shift 19
    echo "$1"
  else
    ps -o lstart= -p "$1" 2>/dev/null | tr -s ' ' _
  fi
}
signal() {
  for group in $groups; do
    now=$(started "\${group%%:*}")
    if [ -z "$now" ] || [ "$now" = "\${group#*:}" ]; then kill -s "$1" -- "-\${group%%:*}" 2>/dev/null; fi
  done
}
groups=
while read -r verb id start; do
  rest=
  for group in $groups; do
    if [ "\${group%%:*}" != "$id" ]; then rest="$rest $group"; fi
  done
  groups=$rest
  if [ "$verb" = + ]; then groups="$groups $id:\${start:-$(started "$id")}"; fi
done
[ -n "$groups" ] || exit 0
signal TERM
sleep 1
signal KILL
`
