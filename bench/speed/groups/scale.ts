// Measures how the time of list, search and details grows from 10 to 100,000 tools, and draws a plot of it.

import { mkdirSync, writeFileSync } from 'node:fs'
import { serversOf, syntheticCatalog } from '../../known-servers.ts'
import { openStored } from '../../open-stored.ts'
import { growthExponent, measureRuns } from '../figures.ts'
import type { BenchGroup, Figures } from '../group.ts'
import { type PlotLine, plotSvg } from '../plot.ts'

const PLOT = 'build/bench/scale.svg'
const SIZES = [10, 100, 1_000, 3_000, 10_000, 30_000, 100_000] as const
/** The fit leaves smaller catalogs out, because a fixed cost is most of their time. */
const FIT_FROM = 1_000
const TOOLS_PER_SERVER = 100
const RUNS = 21

/** The shortest of several runs, because other programs on the machine can only make a run longer. */
async function leastMs(runs: number, work: (run: number) => Promise<unknown>): Promise<number> {
  return Math.min(...(await measureRuns(runs, work)))
}

async function timesAt(size: number): Promise<Readonly<Record<string, number>>> {
  const servers = serversOf(syntheticCatalog(size, Math.ceil(size / TOOLS_PER_SERVER)))
  const opened = await openStored(servers)
  const ask = async (name: string, args: unknown) => {
    const text = await opened.ask(name, args)
    if (text.includes('"error"')) throw new Error(`${name} failed: ${text}`)
  }
  const { name: server, tools } = servers[0] ?? { name: '', tools: [] }
  try {
    // The first list reads the catalog, and the first search builds the index.
    const firstList = await leastMs(1, () => ask('list_mcp_servers', {}))
    const firstSearch = await leastMs(1, () => ask('search_tools', { query: 'create issue' }))
    return {
      'first list': firstList,
      'first search': firstSearch,
      list: await leastMs(RUNS, () => ask('list_mcp_servers', {})),
      search: await leastMs(RUNS, (run) => ask('search_tools', { query: `create report ${run}` })),
      details: await leastMs(RUNS, (run) => ask('get_tool_details', { server, tool: tools[run % tools.length]?.name })),
    }
  } finally {
    await opened.close()
  }
}

const OPERATIONS = ['first list', 'first search', 'list', 'search', 'details']

export const scale: BenchGroup = {
  name: 'scale',
  rounds: { short: 1, full: 5 },
  rows: OPERATIONS.map((operation) => ({
    id: `scale-${operation.replace(' ', '-')}`,
    what: `${operation}, from 1,000 to 100,000 tools (short form: 30,000): the exponent e of time = (n log n) ^ e`,
    unit: '',
    ours: operation,
    as: 'value',
  })),
  async round(isShort) {
    const lines = new Map<string, [number, number][]>(OPERATIONS.map((name) => [name, []]))
    // These times do not count: they include the compilation of the hot code.
    await timesAt(FIT_FROM)
    for (const size of isShort ? SIZES.slice(0, -1) : SIZES) {
      const times = await timesAt(size)
      for (const name of OPERATIONS) lines.get(name)?.push([size, times[name] ?? Number.NaN])
    }
    mkdirSync('build/bench', { recursive: true })
    const drawn: PlotLine[] = [...lines].map(([name, points]) => ({ name, points }))
    writeFileSync(PLOT, plotSvg('Time of a request by number of tools', drawn))
    console.log(`The plot is in ${PLOT}.`)
    const figures: Figures = {}
    for (const { name, points } of drawn) {
      figures[name] = growthExponent(points.filter(([size]) => size >= FIT_FROM))
      for (const [size, ms] of points) figures[`${name} at ${size}, ms`] = ms
    }
    return figures
  },
}
