// A gateway with audit, rules, validation and limits against a gateway without them.

import type { BenchGroup } from '../group.ts'
import { measure, warmUp } from '../load.ts'
import { openCrib, programFile } from '../targets.ts'

/** A hundred rules with globs, regular expressions and tags; the last rule enables the tools of the benchmark. */
const toolRules = [
  ...Array.from({ length: 99 }, (_, at) => ({
    pattern: at % 2 === 0 ? [`*_report_${at}`, `!draft_*`] : [`/^(drop|erase)_${at}$/`],
    enabled: at % 3 !== 0,
    tags: [`tag-${at % 7}`],
  })),
  { pattern: ['*'], enabled: true },
]
const limits = { maxResultTokens: 20_000, callTimeoutMs: 30_000, maxHandles: 100, maxQuestions: 4, idleMs: 300_000 }

export const guards: BenchGroup = {
  name: 'guards',
  rows: [
    {
      id: 'guards-on-32-vs-off',
      what: 'execute_tool with audit, rules, validation and limits against none of them, 32 at once, requests per second',
      unit: '1/s',
      ours: 'on.32.rps',
      base: 'off.32.rps',
      as: 'ratio',
    },
    {
      id: 'guards-on-cpu-vs-off',
      what: 'execute_tool with audit, rules, validation and limits against none of them, 32 at once, CPU of the gateway process per call',
      unit: 'ms',
      ours: 'on.32.cpu',
      base: 'off.32.cpu',
      as: 'ratio',
    },
  ],
  async round(isShort) {
    const on = await openCrib({ name: 'on', discovery: { toolRules }, config: { audit: { mode: 'lenient' }, limits } })
    const off = await openCrib({ name: 'off', program: programFile('bare-gateway'), upstreamArgs: ['plain'] })
    try {
      await warmUp([on, off], isShort ? 300 : 1_000)
      return await measure([on, off], { atOnce: 32, block: isShort ? 320 : 512, blocks: isShort ? 3 : 10 })
    } finally {
      await on.close()
      await off.close()
    }
  },
}
