// `execute_tool` over Streamable HTTP (the servers behind it over stdio) against a server of the SDK over HTTP.

import type { BenchGroup } from '../group.ts'
import { type HttpEra, serveCrib, serveDirect } from '../http-targets.ts'
import { type Load, measure, warmUp } from '../load.ts'

const ERAS: readonly HttpEra[] = ['legacy', 'modern']

export const http: BenchGroup = {
  name: 'http',
  rows: ERAS.flatMap((era) =>
    [1, 32, 256].map((atOnce) => ({
      id: `http-${era}-${atOnce}-vs-direct`,
      what: `execute_tool, HTTP, ${era}, ${atOnce} at once, requests per second against direct`,
      unit: '1/s',
      ours: `toolcrib-${era}.${atOnce}.rps`,
      base: `direct-${era}.${atOnce}.rps`,
      as: 'ratio' as const,
    })),
  ),
  async round(isShort) {
    const [direct, crib] = [await serveDirect(ERAS), await serveCrib(ERAS)]
    const loads: readonly Load[] = [
      { atOnce: 1, block: 50, blocks: isShort ? 2 : 10 },
      { atOnce: 32, block: isShort ? 192 : 256, blocks: isShort ? 1 : 4 },
      { atOnce: 256, block: isShort ? 256 : 512, blocks: isShort ? 1 : 3 },
    ]
    // The two targets of an era are adjacent in the list, so that their blocks of calls alternate.
    const targets = ERAS.flatMap((_, at) => [direct, crib].flatMap((server) => server.targets[at] ?? []))
    try {
      await warmUp(targets, isShort ? 60 : 500)
      const figures = {}
      for (const load of loads) Object.assign(figures, await measure(targets, load))
      return figures
    } finally {
      for (const target of targets) await target.close()
      for (const server of [direct, crib]) await server.close()
    }
  },
}
