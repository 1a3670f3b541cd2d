// `execute_tool` over stdio on both sides, with five servers: one call at a time, and many at once.

import type { BenchGroup, RowPlan } from '../group.ts'
import { type Load, measure, warmUp } from '../load.ts'
import { openCrib, openDirect, openPassThrough } from '../targets.ts'

const throughputRows = (atOnce: number): readonly RowPlan[] =>
  ['direct', 'pass-through', 'modern-pass-through'].map((base) => ({
    id: `stdio-${atOnce}-vs-${base}`,
    what: `execute_tool, stdio, ${atOnce} at once, requests per second against ${base}`,
    unit: '1/s',
    ours: `toolcrib.${atOnce}.rps`,
    base: `${base}.${atOnce}.rps`,
    as: 'ratio',
  }))

const latencyRow = (figure: string, base: string): RowPlan => ({
  id: `stdio-1-${figure}-vs-${base}`,
  what: `execute_tool, stdio, one at a time, ${figure} against ${base}`,
  unit: 'ms',
  ours: `toolcrib.1.${figure}`,
  base: `${base}.1.${figure}`,
  as: 'ratio',
})

export const stdio: BenchGroup = {
  name: 'stdio',
  rows: [
    latencyRow('p50', 'direct'),
    latencyRow('p99', 'direct'),
    latencyRow('p50', 'pass-through'),
    latencyRow('p50', 'modern-pass-through'),
    latencyRow('p99', 'pass-through'),
    ...throughputRows(32),
    ...throughputRows(256),
    {
      id: 'stdio-32-cpu-vs-pass-through',
      what: 'execute_tool, stdio, 32 at once, CPU of the gateway process per call against pass-through',
      unit: 'ms',
      ours: 'toolcrib.32.cpu',
      base: 'pass-through.32.cpu',
      as: 'ratio',
    },
    {
      id: 'pass-through-1-p50-vs-direct',
      what: 'for comparison: pass-through, one at a time, p50 against direct',
      unit: 'ms',
      ours: 'pass-through.1.p50',
      base: 'direct.1.p50',
      as: 'ratio',
    },
    {
      id: 'pass-through-32-vs-direct',
      what: 'for comparison: pass-through, 32 at once, requests per second against direct',
      unit: '1/s',
      ours: 'pass-through.32.rps',
      base: 'direct.32.rps',
      as: 'ratio',
    },
  ],
  async round(isShort) {
    const targets = [
      await openDirect(),
      await openPassThrough(),
      await openPassThrough(undefined, true),
      await openCrib(),
    ]
    const loads: readonly Load[] = [
      { atOnce: 1, block: 100, blocks: isShort ? 5 : 20 },
      { atOnce: 32, block: isShort ? 320 : 512, blocks: isShort ? 2 : 8 },
      { atOnce: 256, block: isShort ? 768 : 1_024, blocks: isShort ? 1 : 4 },
    ]
    try {
      await warmUp(targets, isShort ? 200 : 1_000)
      const figures = {}
      for (const load of loads) Object.assign(figures, await measure(targets, load))
      return figures
    } finally {
      for (const target of targets) await target.close()
    }
  },
}
