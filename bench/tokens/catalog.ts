// Counts the tokens of real servers under each strategy: their list of tools, and a typical task.

import { groupBy } from '../../src/core/collections.ts'
import { loadTokenCounter } from '../../src/core/tokens.ts'
import type { ToolId } from '../../src/core/tool.ts'
import { createStrategy, measuredListings } from '../../src/disclosure/strategies/create-strategy.ts'
import { type CatalogTool, readCatalog } from '../catalog-data.ts'
import { request } from '../open-stored.ts'
import { type Row, report } from '../report.ts'
import { median } from '../speed/figures.ts'
import { catalogCrib } from './catalog-crib.ts'
import { countTask, typicalTool } from './typical-task.ts'

interface Cost {
  readonly list: number
  readonly task: number
}

const LARGEST = 20
/** The same values as in `catalogCrib`. */
const STRATEGY_ENVIRONMENT = { hasContexts: false, server: { name: 'bench', version: '1.0.0' } }

export async function reportCatalog(): Promise<void> {
  const catalog = readCatalog()
  if (catalog === undefined) return
  const servers = [...groupBy(catalog, ({ server }) => server)].toSorted(
    ([a, tools], [b, others]) => others.length - tools.length || (a < b ? -1 : 1),
  )
  const sets: readonly (readonly [string, readonly CatalogTool[]])[] = [
    [`all ${servers.length} servers`, catalog],
    ...servers.slice(0, LARGEST),
  ]
  const costs = new Map<string, ReadonlyMap<string, Cost>>()
  for (const [name, tools] of sets) costs.set(name, await costsOf(tools))

  const table = (value: (cost: Cost) => number): readonly Row[] =>
    sets.map(([name, tools]) => {
      const row = [...(costs.get(name) ?? [])].map(([strategy, cost]) => [strategy, value(cost)] as const)
      return { server: name, tools: tools.length, ...Object.fromEntries(row) }
    })
  report(
    'tokens-catalog-list',
    `Tokens of tools/list, the whole catalog and its ${LARGEST} largest servers`,
    table(({ list }) => list),
  )
  report(
    'tokens-catalog-task',
    'Tokens of a typical task in addition to the list (find, inspect, call)',
    table(({ task }) => task),
  )

  const [whole = '', ...largest] = [...costs.keys()]
  const middle = (strategy: string, value: (cost: Cost) => number) =>
    Math.round(median(largest.flatMap((name) => costs.get(name)?.get(strategy) ?? []).map(value)))
  const summary = measuredListings.map(({ name: strategy }) => {
    const { list = 0, task = 0 } = costs.get(whole)?.get(strategy) ?? {}
    return {
      strategy,
      'list, all servers': list,
      'task, all servers': task,
      [`list, median of ${LARGEST}`]: middle(strategy, (cost) => cost.list),
      [`task, median of ${LARGEST}`]: middle(strategy, (cost) => cost.task),
    }
  })
  const figure = (strategy: string) => costs.get(whole)?.get(strategy)?.list ?? 0
  report('tokens-strategies', 'Summary by strategy (o200k)', summary, [
    { what: 'gateway tools/list over the whole catalog', value: figure('gateway'), max: 600 },
    { what: 'lazy tools/list over the whole catalog', value: figure('lazy'), max: 1_000 },
    { what: 'manage tools/list over the whole catalog', value: figure('manage'), max: 250 },
    {
      what: 'categories hidden invoke tools/list over the whole catalog',
      value: figure('categories hidden invoke'),
      max: 500,
    },
  ])
}

async function costsOf(tools: readonly CatalogTool[]): Promise<ReadonlyMap<string, Cost>> {
  const count = await loadTokenCounter()
  const used = await usedMost(tools)
  const costs = new Map<string, Cost>()
  for (const { name, strategy, options: strategyOptions } of measuredListings) {
    // Only a hybrid core depends on usage; the other strategies are measured for a user without past calls.
    const isLearned = name.includes('hybrid')
    await using crib = catalogCrib(tools, { strategy, strategyOptions, used: isLearned ? used : [] })
    const list = count(JSON.stringify(await crib.list(request)))
    const { task } = createStrategy(strategy, strategyOptions, STRATEGY_ENVIRONMENT).strategy
    if (task === undefined) throw new Error(`The strategy ${strategy} has no task`)
    costs.set(name, { list, task: await countTask(crib, task, used[0] ?? '', count) })
  }
  return costs
}

/** The usage of a user who calls the typical tool most, then all others: enough tools to fill a learned core. */
async function usedMost(tools: readonly CatalogTool[]): Promise<readonly ToolId[]> {
  await using crib = catalogCrib(tools, { strategy: 'individual', strategyOptions: {} })
  const view = await crib.inspect(request.signal)
  const typical = await typicalTool(view)
  return [typical.id, ...view.visible.tools.map(({ id }) => id).filter((id) => id !== typical.id)]
}
