// Compares `execute_tool` with the pass-through and a direct call for large results, which are not cut.

import { median } from '../figures.ts'
import type { BenchGroup, Figures } from '../group.ts'
import { openCrib, openDirect, openPassThrough, type Target } from '../targets.ts'

const KILOBYTE = 1024
const SIZES = { '256kb': 256 * KILOBYTE, '4mb': 4 * KILOBYTE * KILOBYTE } as const
/** Higher than the tokens of these results, so that they are not cut: the pass-through does not cut results. */
const NO_LIMIT = { limits: { maxResultTokens: 100_000_000 } }

async function timeCall(target: Target, bytes: number): Promise<number> {
  const before = performance.now()
  const text = await target.call(0, 'sized', { bytes })
  const ms = performance.now() - before
  if (text.length !== bytes) throw new Error(`${target.name} sent ${text.length} characters of ${bytes}.`)
  return ms
}

export const results: BenchGroup = {
  name: 'results',
  rows: Object.keys(SIZES).flatMap((size) =>
    ['pass-through', 'direct'].map((base) => ({
      id: `result-${size}-vs-${base}`,
      what: `execute_tool with a result of ${size.toUpperCase()}, p50 against ${base}`,
      unit: 'ms',
      ours: `toolcrib.${size}`,
      base: `${base}.${size}`,
      as: 'ratio' as const,
    })),
  ),
  async round(isShort) {
    const one = ['alpha']
    const targets = [
      await openDirect(one),
      await openPassThrough(one),
      await openCrib({ servers: one, config: NO_LIMIT }),
    ]
    const runs = { '256kb': isShort ? 20 : 100, '4mb': isShort ? 3 : 15 }
    try {
      const figures: Figures = {}
      for (const [size, bytes] of Object.entries(SIZES)) {
        const taken = new Map(targets.map(({ name }) => [name, [] as number[]]))
        for (const target of targets) for (let run = 0; run < 2; run++) await timeCall(target, bytes)
        for (let run = 0; run < runs[size as keyof typeof SIZES]; run++) {
          // One large result takes long enough to be measured alone, so the targets take turns after each call.
          for (const target of targets) taken.get(target.name)?.push(await timeCall(target, bytes))
        }
        for (const [name, ms] of taken) figures[`${name}.${size}`] = median(ms)
      }
      return figures
    } finally {
      for (const target of targets) await target.close()
    }
  },
}
