// Sends calls in blocks. The targets take turns, so that other load on the machine slows all of them alike.

import { setTimeout as delay } from 'node:timers/promises'
import { quantile } from './figures.ts'
import type { Figures } from './group.ts'
import { cpuMsOf } from './process-facts.ts'
import type { Target } from './targets.ts'

export interface Load {
  /** Calls in flight. */
  readonly atOnce: number
  /** Calls before the next target has its turn. */
  readonly block: number
  readonly blocks: number
}

/** A gateway may write its log shortly after a call. The pause keeps this work out of the time of the next target. */
const PAUSE_MS = 60

/** Sends calls that are not measured, so that each program compiles its hot code. */
export async function warmUp(targets: readonly Target[], calls: number): Promise<void> {
  // One call to each server first, because a gateway may start servers on demand.
  for (const target of targets) for (let server = 0; server < 5; server++) await echo(target, server)
  for (const target of targets) {
    await runBlock(target, { atOnce: 1, block: Math.ceil(calls / 4), blocks: 1 })
    await runBlock(target, { atOnce: 32, block: calls, blocks: 1 })
  }
}

/** Sends calls without measuring them, for benchmarks that then measure the process. */
export async function callMany(target: Target, calls: number): Promise<void> {
  await runBlock(target, { atOnce: 32, block: calls, blocks: 1 })
}

/** Gives `NAME.AT_ONCE.p50`, `.p99` (ms), `.rps` and `.cpu` (ms per call; NaN if the target has no `pid`). */
export async function measure(targets: readonly Target[], load: Load): Promise<Figures> {
  const taken = new Map(targets.map(({ name }) => [name, { latencies: [] as number[], elapsedMs: 0, cpuMs: 0 }]))
  for (let block = 0; block < load.blocks; block++) {
    for (let turn = 0; turn < targets.length; turn++) {
      const target = targets[(block + turn) % targets.length]
      const sums = target === undefined ? undefined : taken.get(target.name)
      if (target === undefined || sums === undefined) continue
      const cpuBefore = cpuMsOf(target.pid)
      const { latencies, elapsedMs } = await runBlock(target, load)
      await delay(PAUSE_MS)
      sums.cpuMs += cpuMsOf(target.pid) - cpuBefore
      sums.elapsedMs += elapsedMs
      sums.latencies.push(...latencies)
    }
  }
  const figures: Figures = {}
  for (const [name, { latencies, elapsedMs, cpuMs }] of taken) {
    const key = `${name}.${load.atOnce}`
    figures[`${key}.p50`] = quantile(latencies, 0.5)
    figures[`${key}.p99`] = quantile(latencies, 0.99)
    figures[`${key}.rps`] = (latencies.length / elapsedMs) * 1_000
    figures[`${key}.cpu`] = cpuMs / latencies.length
  }
  return figures
}

let calls = 0

async function echo(target: Target, server: number): Promise<void> {
  const text = `This is call number ${++calls}, and it says a few words.`
  const answered = await target.call(server, 'echo', { text })
  if (answered !== text) throw new Error(`${target.name} answered another call: ${answered}`)
}

async function runBlock(target: Target, { atOnce, block }: Load) {
  const latencies: number[] = []
  let next = 0
  const worker = async () => {
    while (next < block) {
      const server = next++
      const before = performance.now()
      await echo(target, server)
      latencies.push(performance.now() - before)
    }
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: atOnce }, worker))
  return { latencies, elapsedMs: performance.now() - startedAt }
}
