// A catalog of 10,000 tools: the inspector answers soon, and does not block the event loop while it counts tokens.

import { expect, it } from 'vitest'
import { tempFolder } from '../../config/temp-folder.fixture.ts'
import { BRACKET_TOKENS } from '../../disclosure/strategies/listing/tool-cost.ts'
import { fixture } from '../../sources/upstream/upstream.fixture.ts'
import { openInspected } from '../inspector.fixture.ts'
import type { InspectorOverview, InspectorTools } from './api.ts'

const TOOLS = 10_000

it('the inspector answers with 10,000 tools within 5 s, and never blocks for 150 ms while it counts', async () => {
  const tools = Array.from({ length: TOOLS }, (_, at) => ({
    name: `resource_${at}_update`,
    description: `Update resource ${at} with new values. Returns the resource as it is afterwards, with its history.`,
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'The identifier of the resource' },
        values: { type: 'object', description: `The values of kind ${at}`, additionalProperties: true },
        notify: { type: 'boolean', default: false },
      },
      required: ['id'],
    },
  }))
  const servers = { many: fixture('tools-from-file', tempFolder().write('tools.json', tools)) }
  const { get, gateway } = await openInspected({ config: { discovery: { servers } } })
  await expect
    .poll(async () => (await gateway.crib.inspect(new AbortController().signal)).visible.tools.length)
    .toBe(TOOLS + 1)
  const began = performance.now()
  const first = await get<InspectorTools>('tools')
  const firstMs = performance.now() - began
  expect(first.tools).toHaveLength(TOOLS + 1)
  const busy = watchTurns()
  await expect.poll(async () => (await get<InspectorOverview>('overview')).counting, { timeout: 60_000 }).toEqual([])
  // Processor time, which other programs on the machine do not change. A list of all tools at once takes 300 ms.
  expect(busy.longestMs()).toBeLessThan(150)
  const { tools: rows, isCounting } = await get<InspectorTools>('tools')
  expect([isCounting, rows.every(({ tokens }) => (tokens ?? 0) > 10)]).toEqual([false, true])
  const { costs, servers: shown } = await get<InspectorOverview>('overview')
  expect(costs.find(({ isEverything }) => isEverything)?.tokens).toBeGreaterThan(TOOLS * 50)
  const sum = rows.reduce((total, { tokens = 0 }) => total + tokens, 0)
  expect(shown[0]?.tokens).toBe(sum)
  expect(costs.find(({ isEverything }) => isEverything)?.tokens).toBe(sum + BRACKET_TOKENS)
  expect(firstMs).toBeLessThan(5_000)
}, 120_000)

/** Measures the processor time of each turn of the event loop. */
function watchTurns() {
  let longest = 0
  let isDone = false
  let before = process.cpuUsage()
  const turn = () => {
    const { user, system } = process.cpuUsage(before)
    before = process.cpuUsage()
    longest = Math.max(longest, (user + system) / 1_000)
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    longestMs() {
      isDone = true
      return longest
    },
  }
}
