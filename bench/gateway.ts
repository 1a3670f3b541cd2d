// npm run bench:gateway: the tokens of the five meta-tools, the tokens and recall of search answers, and the time of
// list, search, details and reload with 10,000 tools.

import { appendFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { groupBy } from '../src/core/collections.ts'
import { abortSignalOf } from '../src/core/stop-signal.ts'
import { loadTokenCounter } from '../src/core/tokens.ts'
import { bm25f } from '../src/search/bm25f/bm25f.ts'
import type { LabelledQuery } from '../src/search/evaluate.ts'
import { type CatalogTool, dataFolder, readCatalog, readLines } from './catalog-data.ts'
import { type OpenedGateway, openStored, request } from './open-stored.ts'
import { type Limit, type Row, report } from './report.ts'
import { measureRuns, quantile } from './speed/figures.ts'

const count = await loadTokenCounter()
const rows: Row[] = []
const limits: Limit[] = []

/** The tools of some labelled sets have no schema. */
type LooseTool = Omit<CatalogTool, 'inputSchema'> & Partial<Pick<CatalogTool, 'inputSchema'>>

function serversOf(tools: readonly LooseTool[]) {
  return [...groupBy(tools, ({ server }) => server)].map(([name, list]) => ({
    name,
    tools: list.map(({ name: own, description, inputSchema = { type: 'object' } }) => ({
      name: own,
      description,
      inputSchema,
    })),
  }))
}

const catalog = readCatalog()
if (catalog !== undefined) {
  const sets = readdirSync(join(dataFolder(), 'retrieval')).map((set) => ({
    set,
    queries: readLines<LabelledQuery>(`retrieval/${set}/queries.jsonl`),
    tools: readLines<LooseTool>(`retrieval/${set}/tools.jsonl`),
  }))
  const queries = sets.flatMap((set) => set.queries.map(({ query }) => query))

  const whole = await openStored(serversOf(catalog))
  const listed = count(JSON.stringify(await whole.gateway.crib.list(request)))
  limits.push({ what: 'tokens of the five tools over 168 servers', value: listed, max: 600 })
  const sizes: number[] = []
  for (const query of queries) sizes.push(count(await whole.ask('search_tools', { query })))
  limits.push({ what: 'tokens of a search answer over 168 servers, p50', value: quantile(sizes, 0.5), max: 250 })
  limits.push({ what: 'tokens of a search answer over 168 servers, p95', value: quantile(sizes, 0.95), max: 450 })
  await whole.close()

  let [found, shown] = [0, 0]
  const answered: number[] = []
  for (const { set, queries: asked, tools } of sets) {
    const opened = await openStored(serversOf(tools))
    const { ranker, answer, tokens } = await recallOf(opened, asked)
    await opened.close()
    found += ranker * asked.length
    shown += answer * asked.length
    answered.push(...tokens)
    rows.push({
      set,
      queries: asked.length,
      'R@5 of the ranker': percent(ranker),
      'recall of the answer': percent(answer),
      'tokens p50': quantile(tokens, 0.5),
      'tokens p95': quantile(tokens, 0.95),
    })
    limits.push({
      what: `share of the ranker's R@5 that the answer loses on ${set}, %`,
      value: lossOf(ranker, answer),
      max: 5,
    })
  }
  const pooled = lossOf(found, shown)
  limits.push({ what: "share of the ranker's R@5 that the answer loses, pooled, %", value: pooled, max: 5 })
  report('gateway-search', 'Search answers (o200k tokens)', rows, limits)
}

function percent(share: number): number {
  return Math.round(share * 1_000) / 10
}

/** The percentage of the tools found by the ranker that the answer does not show. */
function lossOf(found: number, shown: number): number {
  return Math.max(0, percent(1 - shown / found))
}

async function recallOf(opened: OpenedGateway, queries: readonly LabelledQuery[]) {
  const { signal } = request
  const view = await opened.gateway.crib.inspect(signal)
  const index = await bm25f(view.visible, abortSignalOf(signal))
  let [ranker, answer] = [0, 0]
  const tokens: number[] = []
  for (const { query, relevant } of queries) {
    const wanted = relevant.map(({ server, name }) => `${server}:${name}`)
    const share = (ids: readonly string[]) => wanted.filter((id) => ids.includes(id)).length / wanted.length
    ranker += share((await index.search(query, { limit: 5 })).map((hit) => hit.id))
    const text = await opened.ask('search_tools', { query })
    const { results } = JSON.parse(text) as { results: readonly { server: string; tool: string }[] } // the gateway's own answer
    answer += share(results.map((hit) => `${hit.server}:${hit.tool}`))
    tokens.push(count(text))
  }
  return { ranker: ranker / queries.length, answer: answer / queries.length, tokens }
}

await scale()

/** Checks the time limits with 10,000 tools. A gateway can have more tools. */
async function scale(): Promise<void> {
  const timings: Row[] = []
  const ceilings: Limit[] = []
  for (const [servers, each] of [
    [1_000, 10],
    [10, 1_000],
  ] as const) {
    const opened = await openStored(madeServers(servers, each))
    await opened.ask('search_tools', { query: 'warm up' })
    const time = async (rounds: number, work: (round: number) => Promise<unknown>) =>
      Math.round(quantile(await measureRuns(rounds, work), 0.5) * 100) / 100
    const list = await time(50, () => opened.ask('list_mcp_servers', {}))
    const search = await time(50, (round) => opened.ask('search_tools', { query: `create report ${round}` }))
    const details = await time(50, (round) =>
      opened.ask('get_tool_details', { server: 'server-1', tool: `create_report_${(round * 2) % each}` }),
    )
    const reload = await time(3, async (round) => {
      appendFileSync(opened.config, ' '.repeat(round + 1))
      await opened.gateway.reload()
      await opened.gateway.crib.inspect(request.signal)
    })
    await opened.close()
    const sizes = `${servers} servers x ${each} tools`
    timings.push({ catalog: sizes, 'list ms': list, 'search ms': search, 'details ms': details, 'reload ms': reload })
    ceilings.push(
      { what: `${sizes}: list_mcp_servers, ms`, value: list, max: 50 },
      { what: `${sizes}: search_tools, ms`, value: search, max: 100 },
      { what: `${sizes}: get_tool_details, ms`, value: details, max: 50 },
      { what: `${sizes}: reload, ms`, value: reload, max: 500 },
    )
  }
  report('gateway-scale', 'At 10,000 tools (median)', timings, ceilings)
}

function madeServers(servers: number, each: number) {
  const things = ['report', 'invoice', 'ticket', 'branch', 'contact', 'image', 'calendar', 'message']
  const verbs = ['create', 'list', 'delete', 'update', 'search']
  return Array.from({ length: servers }, (_, server) => ({
    name: `server-${server}`,
    tools: Array.from({ length: each }, (_, at) => {
      const [verb, thing] = [verbs[at % verbs.length] ?? '', things[(at + server) % things.length] ?? '']
      return {
        name: at % 2 === 0 ? `create_report_${at}` : `${verb}_${thing}_${at}`,
        description: `${verb} a ${thing} of department ${server}, number ${at}.`,
        inputSchema: {
          type: 'object',
          properties: { id: { type: 'string' }, note: { type: 'string' } },
          required: ['id'],
        },
      }
    }),
  }))
}
