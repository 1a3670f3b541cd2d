// Servers that never answer: only requests that need such a server wait, and only once per server.

import { describe, expect, it } from 'vitest'
import { eras } from './client.ts'
import { covers, gatewayForTest } from './harness.ts'
import { fixtureServer } from './servers.ts'

const LIST_WAIT_MS = 2_000
const MODES: readonly string[][] = [[], ['list'], ['drip'], ['pages']]
const HANGING = MODES.map((_, at) => `hang-${at}`)

/** One server that answers and four that do not. */
function configWith(discovery: object) {
  const hanging = MODES.map((mode, at) => [`hang-${at}`, fixtureServer('hang', ...mode)])
  return {
    discovery: {
      listWaitMs: LIST_WAIT_MS,
      servers: { good: fixtureServer('changing-list'), ...Object.fromEntries(hanging) },
      ...discovery,
    },
    limits: { startTimeoutMs: 60_000 },
  }
}

/** The fastest of three runs as a share of the wait time, because a busy machine delays some runs. */
async function shareOfWait(work: () => Promise<unknown>): Promise<number> {
  const once = async () => {
    const startedAt = performance.now()
    await work()
    return (performance.now() - startedAt) / LIST_WAIT_MS
  }
  return Math.min(await once(), await once(), await once())
}

async function expectNoWait(work: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const one of work) expect(await shareOfWait(one)).toBeLessThan(0.5)
}

/** Starts a gateway and connects a client of each era. */
async function open(discovery: object) {
  const gateway = await gatewayForTest({ door: 'http', config: configWith(discovery) })
  return Promise.all(eras.map((era) => gateway.connect({ era })))
}

const numbers = { a: 1, b: 2 }

describe('beside servers that never answer', () => {
  it.each(eras)('only the first search waits for servers that never answer, in the %s era', async (era) => {
    covers('LC-13')
    const gateway = await gatewayForTest({ config: configWith({}) })
    const client = await gateway.connect({ era })
    const search = () => client.ask('search_tools', { query: 'the tool to add' })
    expect(await search()).toMatchObject({ results: [{ tool: 'add' }, { tool: 'grow' }], starting: HANGING })
    await expectNoWait(Array.from({ length: 10 }, () => search))
  })

  it.each(eras)(
    'a request that names another server or a known tool does not wait for servers that never answer, in the %s era',
    async (era) => {
      // Much longer than a start, so that all requests below happen during the wait.
      const gateway = await gatewayForTest({ config: configWith({ listWaitMs: 60_000 }) })
      const client = await gateway.connect({ era })
      expect(await client.ask('list_tools', { server: 'good' })).toMatchObject({ total: 2 })
      expect(await client.ask('search_tools', { query: 'grow', server: 'good' })).not.toHaveProperty('starting')
      expect(await client.ask('search_tools', { query: 'add' })).toMatchObject({ starting: HANGING })
      expect(await client.ask('get_tool_details', { tool: ['add', 'good:add'] })).toMatchObject({ tools: [{}, {}] })
      expect(await client.run({ tool: 'add', arguments: numbers })).not.toHaveProperty('isError')
      expect(await client.run({ server: 'good', tool: 'add', arguments: numbers })).not.toHaveProperty('isError')
      for (const name of ['add', 'good:add', 'good__add', 'good:unknown', 'good__unknown']) {
        await client.client.callTool({ name, arguments: numbers })
      }
    },
  )

  it.each([
    ['individual', {}, [['no-such-tool', {}]]],
    ['grouped', {}, [['good', { action: 'add', params: numbers }]]],
    [
      'lazy',
      {},
      [
        ['afd-discover', { search: 'add' }],
        ['afd-detail', { command: 'no-such-tool' }],
        ['afd-call', { command: 'no-such-tool' }],
        ['afd-batch', { commands: [{ command: 'no-such-tool' }] }],
        ['afd-pipe', { steps: [{ command: 'no-such-tool' }] }],
      ],
    ],
    ['gateway', {}, [['execute_tool', { tool: 'no-such-tool' }]]],
    ['manage', {}, [['manage_tools', { action: 'list' }]]],
    [
      'categories',
      { listing: 'stripped' },
      [
        ['list_tool_categories', {}],
        ['get_category_tools', { category: 'good' }],
        ['get_tool_schema', { toolName: 'no-such-tool' }],
      ],
    ],
    ['capabilities', { prefix: 'crib' }, [['crib_capabilities', {}]]],
    ['auto', {}, [['search_tools', { query: 'add things' }]]],
  ] as const)(
    'with the strategy %s and the options %j, only the first requests wait for servers that never answer',
    async (strategy, strategyOptions, calls) => {
      const clients = await open({ strategy, strategyOptions })
      const work = clients.flatMap((client) => [
        () => client.list(),
        ...calls.map(
          ([name, args]) =>
            () =>
              client.client.callTool({ name, arguments: args }),
        ),
      ])
      await Promise.all(work.map((one) => one()))
      await expectNoWait(work)
    },
  )

  it('requests wait once for a server that an edit of the config adds', async () => {
    // Longer than the start of a server on a busy machine.
    const { discovery, ...rest } = configWith({ listWaitMs: 6_000 })
    const gateway = await gatewayForTest({ config: { discovery, ...rest } })
    const client = await gateway.connect()
    const search = () => client.ask('search_tools', { query: 'add' })
    await search()
    gateway.edit({
      ...rest,
      discovery: { ...discovery, servers: { ...discovery.servers, new: fixtureServer('notes') } },
    })
    await expect
      .poll(async () => JSON.stringify(await client.ask('list_mcp_servers')), { interval: 5, timeout: 10_000 })
      .toContain('"new"')
    // The edit starts the server. A request that needs it waits until it has listed its tools.
    expect(await client.ask('list_tools', { server: 'new' })).toMatchObject({ total: 2 })
    await expectNoWait([search])
  })

  it('the lists of prompts and resources wait once together for servers that never answer', async () => {
    const clients = await open({ passthrough: true })
    const work = clients.flatMap(({ client }) => [
      () => client.listPrompts(undefined, { cacheMode: 'bypass' }),
      () => client.listResources(undefined, { cacheMode: 'bypass' }),
      () => client.listResourceTemplates(undefined, { cacheMode: 'bypass' }),
    ])
    const startedAt = performance.now()
    for (const one of work) await one()
    // Six lists, two of each kind: only the first waits.
    expect((performance.now() - startedAt) / LIST_WAIT_MS).toBeLessThan(2)
    await expectNoWait(work)
  })
})
