import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DEADLINE_MS, fixturePath, isAlive, until } from './upstream.fixture.ts'
import { createWatchdog, WATCHDOG_SCRIPT } from './watchdog.ts'

/** Starts a process with its own group that runs until it is killed. */
async function startSleeper(): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn('/bin/sh', ['-c', 'while :; do sleep 60; done'], { detached: true, stdio: 'ignore' })
  await once(child, 'spawn')
  const { pid } = child
  if (pid === undefined) throw new Error('The process was not started.')
  onTestFinished(() => {
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // It has already ended.
    }
  })
  return Object.assign(child, { pid })
}

/** Starts a gateway with these servers. */
async function startGateway(...servers: readonly string[]) {
  const child = spawn(process.execPath, [fixturePath('gateway'), ...servers], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer] // the first and only line of its output
  return { child, ...(JSON.parse(String(line)) as { watchdog: number; pids: number[] }) }
}

// On POSIX the watchdog is a shell script. `npm run test:windows` tests the version for Windows.
describe.skipIf(process.platform === 'win32')('the watchdog', () => {
  it('the watchdog runs only while there are processes to watch', async () => {
    const watchdog = createWatchdog()
    expect(watchdog.pid).toBeUndefined()
    const [one, two] = [await startSleeper(), await startSleeper()]
    watchdog.watch(one.pid)
    const { pid } = watchdog
    if (pid === undefined) throw new Error('The watchdog does not run.')
    watchdog.watch(two.pid)
    watchdog.watch(two.pid)
    expect(watchdog.pid).toBe(pid)
    watchdog.unwatch(one.pid)
    watchdog.unwatch(one.pid)
    expect(watchdog.pid).toBe(pid)
    watchdog.unwatch(two.pid)
    expect(watchdog.pid).toBeUndefined()
    await until(() => !isAlive(pid))
    expect([one, two].map((child) => isAlive(child.pid))).toEqual([true, true])
  })

  it('replaces a watchdog that is killed', async () => {
    const watchdog = createWatchdog()
    const child = await startSleeper()
    watchdog.watch(child.pid)
    const before = watchdog.pid
    if (before === undefined) throw new Error('The watchdog does not run.')
    process.kill(before, 'SIGKILL')
    await until(() => watchdog.pid !== undefined && watchdog.pid !== before)
    watchdog.unwatch(child.pid)
    expect(isAlive(child.pid)).toBe(true)
  })

  it('ends servers, their child processes and itself when the gateway is killed', async () => {
    const { child, watchdog, pids } = await startGateway(fixturePath('fork'), `${fixturePath('fork')} stubborn`)
    expect(pids).toHaveLength(4)
    expect([watchdog, ...pids].filter(isAlive)).toHaveLength(5)
    child.kill('SIGKILL')
    await expect.poll(() => [watchdog, ...pids].filter(isAlive), { timeout: DEADLINE_MS }).toEqual([])
  })

  it('does not end another process that got the id of a watched one', async () => {
    const [other, watched, unwatched] = [await startSleeper(), await startSleeper(), await startSleeper()]
    const shell = spawn('/bin/sh', ['-c', WATCHDOG_SCRIPT], { stdio: ['pipe', 'ignore', 'inherit'] })
    // The first line has another start time than the process.
    shell.stdin.end(`+ ${other.pid} 12345\n+ ${watched.pid}\n+ ${unwatched.pid}\n- ${unwatched.pid}\n`)
    await once(shell, 'exit')
    expect([other, watched, unwatched].map(({ pid }) => isAlive(pid))).toEqual([true, false, true])
  })
})
