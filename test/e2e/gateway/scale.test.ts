// Many servers and many tools: the tokens and the time of an answer.

import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadTokenCounter } from '../../../src/core/tokens.ts'
import { manyCommands } from '../../fixtures/many-commands.ts'
import { type StoredGateway, type StoredServer, storeGateway } from '../../fixtures/stored-gateway.ts'
import type { GatewayClient, MetaToolAnswer } from './client.ts'
import { covers, openGateway, type RunningGateway } from './harness.ts'
import { createHome } from './home.ts'

/** 500 tools of a business system. Several servers have tools with the same names. */
const commands = manyCommands(500).map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))

function serversOf(count: number, toolsEach: number): readonly StoredServer[] {
  return Array.from({ length: count }, (_, server) => ({
    name: `department-${server}`,
    tools: Array.from({ length: toolsEach }, (_, at) => {
      const number = server * toolsEach + at
      const command = commands[number % commands.length]
      if (command === undefined) throw new Error('There are no commands.')
      // A server with more than 500 tools repeats the commands with other names.
      const round = Math.floor(at / commands.length)
      return round === 0 ? command : { ...command, name: `${command.name}-${round}` }
    }),
  }))
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

describe.each([
  [1_000, 10],
  [10, 1_000],
])('%i servers with %i tools each', (count, toolsEach) => {
  const home = createHome()
  let stored: StoredGateway
  let gateway: RunningGateway
  let client: GatewayClient
  beforeAll(async () => {
    stored = await storeGateway(home.path, serversOf(count, toolsEach))
    gateway = await openGateway({ home, args: ['serve', '--config', stored.config] })
    client = await gateway.connect()
    // The first search builds the index.
    await client.ask('search_tools', { query: 'anything' })
  })
  afterAll(async () => {
    await gateway.close()
    await home.remove()
  })

  /** Runs each request and returns its tokens and its time. */
  const measure = async (calls: readonly (() => Promise<MetaToolAnswer>)[]) => {
    const countTokens = await loadTokenCounter()
    const measured = []
    for (const call of calls) {
      const before = performance.now()
      const answer = await call()
      measured.push({ answer, ms: performance.now() - before, tokens: countTokens(JSON.stringify(answer)) })
    }
    return measured
  }
  // Every 23rd command, as a sample of all commands.
  const wanted = commands.filter((_, at) => at % 23 === 0)

  it('the listing costs less than 600 tokens', async () => {
    covers('MT-2', 'FT-7')
    const tools = await client.list()
    expect((await loadTokenCounter())(JSON.stringify(tools))).toBeLessThan(600)
  })

  it('servers are listed within 50 ms, in the median', async () => {
    covers('NU-3', 'NU-6')
    const measured = await measure(Array.from({ length: 11 }, () => () => client.ask('list_mcp_servers')))
    expect(measured[0]?.answer).toMatchObject({ total: count })
    expect(median(measured.map(({ ms }) => ms))).toBeLessThan(50)
  })

  it('tools are searched within 100 ms in the median, for at most 450 tokens', async () => {
    covers('NU-3', 'NU-6')
    const measured = await measure(
      wanted.map(
        ({ description }) =>
          () =>
            client.ask('search_tools', { query: description.split('.')[0] }),
      ),
    )
    const best = measured.map(({ answer }) => (answer.results as { tool: string }[])[0]?.tool)
    const isFound = best.map((tool, at) => tool === wanted[at]?.name || tool === `${wanted[at]?.name}-1`)
    expect(isFound.filter(Boolean).length).toBeGreaterThan(wanted.length * 0.8)
    expect(median(measured.map(({ ms }) => ms))).toBeLessThan(100)
    expect(Math.max(...measured.map(({ tokens }) => tokens))).toBeLessThanOrEqual(450)
  })

  it('tools are described within 50 ms and for at most 120 tokens, in the median', async () => {
    covers('NU-2', 'NU-3')
    const found = await measure(
      wanted.map(
        ({ name }) =>
          () =>
            client.ask('search_tools', { query: name, limit: 1 }),
      ),
    )
    const hits = found.flatMap(({ answer }) => answer.results as { server: string; tool: string }[])
    expect(hits).toHaveLength(wanted.length)
    const measured = await measure(
      hits.map(
        ({ server, tool }) =>
          () =>
            client.ask('get_tool_details', { server, tool }),
      ),
    )
    expect(measured.map(({ answer }) => answer.parameters)).not.toContain(undefined)
    expect(median(measured.map(({ ms }) => ms))).toBeLessThan(50)
    expect(median(measured.map(({ tokens }) => tokens))).toBeLessThanOrEqual(120)
  })

  it('list, search and details start no process', () => {
    covers('LC-1')
    expect(existsSync(stored.mark)).toBe(false)
    expect(gateway.started()).toEqual([])
  })
})
