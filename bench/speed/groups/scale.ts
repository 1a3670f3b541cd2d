// How the time of list, search and details grows from 10 to 100,000 tools, and a plot of it.

import { mkdirSync, writeFileSync } from 'node:fs'
import { serversOf, syntheticCatalog } from '../../known-servers.ts'
import { openStored } from '../../open-stored.ts'
import { growthExponent, median } from '../figures.ts'
import type { Figures, Group } from '../group.ts'
import { type Line, plotSvg } from '../plot.ts'

const PLOT = 'build/bench/scale.svg'
const SIZES = [10, 100, 1_000, 10_000, 100_000] as const
/** Below it a fixed cost is most of the time: the fit is made where the number of tools counts. */
const FIT_FROM = 1_000
const TOOLS_PER_SERVER = 100

async function medianMs(times: number, work: (time: number) => Promise<unknown>): Promise<number> {
  const taken: number[] = []
  for (let time = 0; time < times; time++) {
    const before = performance.now()
    await work(time)
    taken.push(performance.now() - before)
  }
  return median(taken)
}

async function timesAt(size: number, times: number): Promise<Readonly<Record<string, number>>> {
  const servers = serversOf(syntheticCatalog(size, Math.ceil(size / TOOLS_PER_SERVER)))
  const opened = await openStored(servers)
  const answered = async (name: string, args: unknown) => {
    const text = await opened.ask(name, args)
    if (text.includes('"error"')) throw new Error(`${name} failed: ${text}`)
  }
  const { name: server, tools } = servers[0] ?? { name: '', tools: [] }
  try {
    // Before it the catalog is read, after it the index is built.
    const firstList = await medianMs(1, () => answered('list_mcp_servers', {}))
    const firstSearch = await medianMs(1, () => answered('search_tools', { query: 'create issue' }))
    return {
      'first list': firstList,
      'first search': firstSearch,
      list: await medianMs(times, () => answered('list_mcp_servers', {})),
      search: await medianMs(times, (time) => answered('search_tools', { query: `create report ${time}` })),
      details: await medianMs(times, (time) =>
        answered('get_tool_details', { server, tool: tools[time % tools.length]?.name }),
      ),
    }
  } finally {
    await opened.close()
  }
}

const OPERATIONS = ['first list', 'first search', 'list', 'search', 'details']

export const scale: Group = {
  name: 'scale',
  rounds: { short: 1, full: 5 },
  rows: OPERATIONS.map((operation) => ({
    id: `scale-${operation.replace(' ', '-')}`,
    what: `${operation}, from 10 to 100,000 tools: time as (n log n) to the power of`,
    unit: '',
    ours: operation,
    as: 'value',
  })),
  async round() {
    const lines = new Map<string, [number, number][]>(OPERATIONS.map((name) => [name, []]))
    for (const size of SIZES) {
      const times = await timesAt(size, size >= 100_000 ? 7 : 21)
      for (const name of OPERATIONS) lines.get(name)?.push([size, times[name] ?? Number.NaN])
    }
    mkdirSync('build/bench', { recursive: true })
    const drawn: Line[] = [...lines].map(([name, points]) => ({ name, points }))
    writeFileSync(PLOT, plotSvg('Time of a request by number of tools', drawn))
    console.log(`${PLOT} shows it.`)
    const figures: Figures = {}
    for (const { name, points } of drawn) {
      figures[name] = growthExponent(points.filter(([size]) => size >= FIT_FROM))
      for (const [size, ms] of points) figures[`${name} at ${size}, ms`] = ms
    }
    return figures
  },
}
