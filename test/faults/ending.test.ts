// Row 20 of docs/security.md: a gateway that gets a signal, loses its stdin or is killed while 100 calls are in flight.

import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { initialize, toolCall } from '../../src/front/raw-client.fixture.ts'
import { startProgram } from '../../src/front/stdio-child.fixture.ts'
import { mainPath } from '../e2e/gateway/harness.ts'
import { homeForTest } from '../e2e/gateway/home.ts'
import { faultGateway, hostile, report } from './harness.ts'
import { MARK, markedProcesses } from './processes.ts'

/** One call to each of the six servers, so that all of them run. */
const FIRST_CALLS = 6
const CALLS = 100

/** Starts a gateway over stdio, and returns when 100 calls that take 1 s each are in flight. */
async function startWithCalls(mark: string, mode = 'plain') {
  const home = homeForTest()
  // Here the harness only writes the config: it starts a process when a client connects, and no client does. `child` is the
  // process under test, in the same home. After the test the harness counts the audit records of `child`, and checks that a
  // new gateway can use the files that `child` has left.
  const checks = await faultGateway({
    home,
    servers: { hostile: hostile(mode, { HOSTILE_LOG: home.at('hostile.log') }) },
  })
  const child = startProgram([mainPath(), 'serve', '--config', home.config], {
    env: { ...home.env, [MARK]: mark },
    cwd: home.path,
  })
  child.send(initialize())
  child.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  for (const server of ['healthy-one', 'healthy-two', 'healthy-three', 'healthy-four', 'healthy-five']) {
    child.send(toolCall('execute_tool', { server, tool: 'pid' }, server))
  }
  child.send(toolCall('execute_tool', { server: 'hostile', tool: 'fine' }, 'fine'))
  await child.find(({ id }) => id === 'fine')
  await child.find(({ id }) => id === 'healthy-five')
  // These records are on the disk before the gateway ends, so they must not be lost even after kill -9.
  await vi.waitUntil(() => checks.records().length === FIRST_CALLS, { timeout: 20_000, interval: 10 })
  for (let id = 0; id < CALLS; id++) {
    child.send(toolCall('execute_tool', { server: 'hostile', tool: 'wait', arguments: { ms: 1_000 } }, id))
  }
  const arrived = () => home.lines('hostile.log').filter((line) => line.startsWith('call wait')).length
  await vi.waitUntil(() => arrived() === CALLS, { timeout: 20_000, interval: 10 })
  checks.attempted(FIRST_CALLS + CALLS)
  return { checks, child }
}

describe('row 20', () => {
  it.each([
    ['SIGTERM', 0],
    ['SIGINT', 130],
    ['a closed stdin', 0],
  ] as const)(
    'row 20: %s with 100 calls in flight loses no answer and no record, leaves no process, and the exit code is %i',
    async (how, code) => {
      const mark = `ending-${how}-${Date.now()}`
      const { checks, child } = await startWithCalls(mark)
      const before = performance.now()
      if (how === 'a closed stdin') child.process.stdin.end()
      else child.process.kill(how)
      expect(await child.exited).toEqual({ code, signal: null })
      report(`row 20: after ${how} the gateway ended in ${Math.round(performance.now() - before)} ms`)
      const answers = child.messages.filter(({ id }) => typeof id === 'number')
      expect(new Set(answers.map(({ id }) => id)).size).toBe(CALLS)
      expect(answers).toHaveLength(CALLS)
      for (const { result } of answers) expect(result?.structuredContent).toMatchObject({ success: true })
      await vi.waitUntil(() => markedProcesses(mark).length === 0, { timeout: 5_000 }).catch(() => {})
      expect(markedProcesses(mark)).toEqual([])
      checks.markEnded()
    },
  )

  it('row 20: after kill -9 of the gateway, no server and no grandchild runs 5 s later, even if a server ignores SIGTERM', async () => {
    const mark = `killed-${Date.now()}`
    const { checks, child } = await startWithCalls(mark, 'stubborn')
    expect(markedProcesses(mark).length).toBeGreaterThan(7)
    child.process.kill('SIGKILL')
    await child.exited
    const before = performance.now()
    while (markedProcesses(mark).length > 0 && performance.now() - before < 5_000) await pause(50)
    report(
      `row 20: ${Math.round(performance.now() - before)} ms after kill -9, ${markedProcesses(mark).length} processes run`,
    )
    expect(markedProcesses(mark)).toEqual([])
    // A call has its record when it ends, so the calls in flight may have none.
    checks.markEnded(CALLS)
  })
})
