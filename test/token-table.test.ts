// Checks the token figures of specification 003 on a real server of about 114 tools, if the data is available.

import { describe, expect, it } from 'vitest'
import { readCatalog } from '../bench/catalog-data.ts'
import { request } from '../bench/open-stored.ts'
import { catalogCrib } from '../bench/tokens/catalog-crib.ts'
import { loadTokenCounter } from '../src/core/tokens.ts'

const TOOLS = 114
const catalog = readCatalog() ?? []
const nearest = nearestServer()
const tools = catalog.filter(({ server }) => server === nearest)

/** If the data is missing, the name of the skipped test states it. */
const title = nearest === undefined ? 'a real server (no data: see TOOLCRIB_DATA)' : `${nearest}, ${tools.length} tools`

describe.skipIf(nearest === undefined)(`under categories, ${title}`, () => {
  const listTokens = async (options: object) => {
    const count = await loadTokenCounter()
    await using crib = catalogCrib(tools, { strategy: 'categories', strategyOptions: options })
    return count(JSON.stringify({ tools: await crib.list(request) }))
  }

  it('the tool list costs at most 500 tokens with listing `hidden`, at most 8,000 with `stripped`, and more than 20,000 with `full`', async () => {
    expect(await listTokens({ listing: 'hidden' })).toBeLessThanOrEqual(500)
    expect(await listTokens({ listing: 'stripped' })).toBeLessThanOrEqual(8_000)
    expect(await listTokens({ listing: 'full' })).toBeGreaterThan(20_000)
  })

  it('more than 80 % of the answers of get_tool_schema cost 100 to 500 tokens each', async () => {
    const count = await loadTokenCounter()
    await using crib = catalogCrib(tools, { strategy: 'categories', strategyOptions: { listing: 'hidden' } })
    const costs: number[] = []
    for (const { name } of tools) {
      const { wire } = await crib.call('get_tool_schema', { toolName: name }, request)
      const [block] = wire?.content ?? []
      costs.push(count(block?.type === 'text' ? block.text : ''))
    }
    const typical = costs.filter((tokens) => tokens >= 100 && tokens <= 500)
    expect(typical.length / costs.length).toBeGreaterThan(0.8)
  })
})

function nearestServer(): string | undefined {
  const counts = new Map<string, number>()
  for (const { server } of catalog) counts.set(server, (counts.get(server) ?? 0) + 1)
  const [first] = [...counts].toSorted(([, a], [, b]) => Math.abs(a - TOOLS) - Math.abs(b - TOOLS))
  return first?.[0]
}
