// The lifecycle of servers: started on demand, shared, stopped when idle, ended with the gateway.

import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isAlive } from '../../../src/sources/upstream/upstream.fixture.ts'
import { storeGateway } from '../../fixtures/stored-gateway.ts'
import { eras, type GatewayClient } from './client.ts'
import { covers, gatewayForTest, useClient, useGateway } from './harness.ts'
import { homeForTest, useHome } from './home.ts'
import { expectGone } from './processes.ts'
import { fixtureServer, missing, withEnv } from './servers.ts'

const soon = { interval: 20, timeout: 10_000 }
const pidOf = async (client: GatewayClient, server = 'box') => {
  const { structuredContent } = await client.run({ server, tool: 'pid' })
  const { result } = structuredContent as { result: { pid: number } }
  expect(result.pid).toBeGreaterThan(0)
  return result.pid
}
const stateOf = async (client: GatewayClient, server: string) => {
  const { servers } = await client.ask('list_mcp_servers', { search: server })
  return (servers as { state: string }[])[0]?.state
}

describe('manifests', () => {
  it('list, search and details start no server if the manifests are cached', async () => {
    covers('LC-1')
    const home = homeForTest()
    const servers = Array.from({ length: 100 }, (_, at) => ({
      name: `server-${at}`,
      tools: Array.from({ length: 10 }, (_, tool) => ({
        name: `tool-${tool}`,
        description: `Does number ${tool} of ${at}.`,
        inputSchema: { type: 'object' },
      })),
    }))
    const { config, mark } = await storeGateway(home.path, servers)
    const gateway = await gatewayForTest({
      home,
      door: 'http',
      args: ['serve', '--http', '--port', '0', '--config', config],
    })
    for (const era of eras) {
      const client = await gateway.connect({ era })
      expect(await client.ask('list_mcp_servers')).toMatchObject({ total: 100 })
      expect(await client.ask('search_tools', { query: 'number 7 of 42', limit: 1 })).toMatchObject({
        results: [{ tool: 'tool-7' }],
      })
      expect(await client.ask('list_tools', { server: 'server-3' })).toMatchObject({ total: 10 })
      expect(await client.ask('get_tool_details', { tool: 'server-9:tool-1' })).toMatchObject({ server: 'server-9' })
    }
    expect(existsSync(mark)).toBe(false)
    expect(gateway.started()).toEqual([])
    const client = await gateway.connect()
    await client.run({ tool: 'server-0:tool-0' })
    expect(home.lines('started')).toEqual(['started'])
  })

  it('a second gateway uses the manifests on disk, which only this user can read', async () => {
    covers('LC-2', 'CA-1')
    const home = homeForTest()
    const starts = home.at('starts')
    const config = { discovery: { servers: { box: withEnv(fixtureServer('toolbox'), { STARTS_FILE: starts }) } } }
    const first = await gatewayForTest({ home, config })
    await (await first.connect()).ask('search_tools', { query: 'box' })
    await first.close()
    const manifests = home.files(join(home.cache, 'manifests'))
    expect(manifests).toHaveLength(1)
    expect(manifests.map((file) => statSync(file).mode & 0o777)).toEqual([0o600])
    const before = home.lines('starts')
    const second = await gatewayForTest({ home, config })
    const client = await second.connect()
    expect(await client.ask('list_tools', { server: 'box' })).toMatchObject({ total: 6 })
    expect(await stateOf(client, 'box')).toBe('known')
    expect(home.lines('starts')).toEqual(before)
  })

  it('manifests are not written if the cache is disabled', async () => {
    covers('LC-2')
    const gateway = await gatewayForTest({
      config: { discovery: { cache: { enabled: false }, servers: { box: fixtureServer('toolbox') } } },
    })
    const client = await gateway.connect()
    expect(await client.ask('search_tools', { query: 'box' })).toMatchObject({ results: [{}, {}, {}, {}, {}, {}] })
    expect(gateway.home.files(gateway.home.cache)).toEqual([])
  })
})

describe('a server', () => {
  const home = useHome()
  const noting = (file: string) => withEnv(fixtureServer('toolbox'), { STARTS_FILE: home.at(file) })
  const failing = `require('node:fs').appendFileSync(${JSON.stringify(home.at('tries'))}, 'try\\n'); console.error('no licence'); process.exit(5)`
  const gateway = useGateway({
    door: 'http',
    home,
    config: {
      discovery: {
        listWaitMs: 30_000,
        servers: {
          shared: noting('shared-starts'),
          idle: { ...noting('idle-starts'), idleMs: 200 },
          dying: fixtureServer('toolbox'),
          notes: fixtureServer('notes'),
          fragile: withEnv(fixtureServer('crash-mid-call'), { CALLS_FILE: home.at('calls') }),
          failing: { command: process.execPath, args: ['-e', failing], tools: [{ name: 'x' }] },
          missing,
        },
      },
    },
  })
  const connect = () => gateway().connect()

  it('all sessions share one process of a server, even with parallel calls', async () => {
    covers('LC-4')
    const clients = await Promise.all([...eras, ...eras].map((era) => gateway().connect({ era })))
    const pids = await Promise.all(clients.flatMap((client) => [pidOf(client, 'shared'), pidOf(client, 'shared')]))
    expect(new Set(pids).size).toBe(1)
    expect(home.lines('shared-starts').filter((line) => line.startsWith('start'))).toEqual([`start ${pids[0]}`])
  })

  it('an idle server is stopped, and the next call starts it again', async () => {
    covers('LC-3', 'CA-2')
    const client = await connect()
    const first = await pidOf(client, 'idle')
    await expectGone([first])
    expect(await client.ask('list_mcp_servers', { search: 'idle' })).toMatchObject({
      servers: [{ state: 'known', status: 'connected' }],
    })
    const lists = () => home.lines('idle-starts').filter((line) => line.startsWith('list')).length
    const before = lists()
    const second = await pidOf(client, 'idle')
    expect(second).not.toBe(first)
    // The gateway lists the tools after every start, because the list may have changed.
    await expect.poll(lists, soon).toBe(before + 1)
  })

  it('only the call during which a server dies fails, and the next call starts the server again', async () => {
    covers('LC-7', 'LC-12')
    const client = await connect()
    const first = await pidOf(client, 'dying')
    const [died, other] = await Promise.all([
      client.ask('execute_tool', { server: 'dying', tool: 'die' }),
      client.run({ tool: 'notes:add', arguments: { text: 'meanwhile', waitMs: 100 } }),
    ])
    expect(died).toMatchObject({
      error: {
        code: 'SERVER_LOST',
        server: 'dying',
        tool: 'die',
        message: expect.stringContaining('code 9'),
        details: { stderr: expect.stringContaining('dying with') },
      },
    })
    expect(other).toMatchObject({ structuredContent: { success: true, result: ['meanwhile'] } })
    expect(isAlive(first)).toBe(false)
    expect(await pidOf(client, 'dying')).not.toBe(first)
  })

  it('a call is repeated only if its tool is marked as safe to repeat, and only once', async () => {
    covers('LC-8')
    const client = await connect()
    for (const tool of ['crash', 'crash-reading', 'crash-again']) {
      expect(await client.ask('execute_tool', { tool })).toMatchObject({ error: { code: 'SERVER_LOST' } })
    }
    expect(home.lines('calls')).toEqual(['crash', 'crash-reading', 'crash-reading', 'crash-again', 'crash-again'])
  })

  it('a server that fails to start is not started again for a while, and the error gives the time to wait', async () => {
    covers('LC-11', 'RS-7', 'ER-1', 'LC-12')
    const client = await connect()
    const call = () => client.ask('execute_tool', { server: 'failing', tool: 'x' })
    const tries = () => home.lines('tries').length
    const refusal = {
      code: 'SERVER_UNAVAILABLE',
      message: expect.stringMatching(/code 5.*no licence/s),
      suggestion: expect.stringMatching(/in \d+ s/),
      details: { retryAfterMs: expect.any(Number) },
    }
    let tried = 0
    for (let isWithin = false; !isWithin; ) {
      const refused = await call()
      expect(refused).toMatchObject({ error: refusal })
      const { retryAfterMs } = (refused.error as { details: { retryAfterMs: number } }).details // as just checked
      const since = performance.now()
      tried = tries()
      expect(await call()).toMatchObject({ error: refusal })
      // On a busy machine this pause may be over already; the next pause is twice as long.
      isWithin = performance.now() - since < retryAfterMs
    }
    expect(tries()).toBe(tried)
    // The gateway tries again after the pause.
    const callAndCount = async () => {
      await call()
      return tries()
    }
    await expect.poll(callAndCount, soon).toBeGreaterThan(tried)
  })

  it('a call to a server that cannot be started fails with SERVER_UNAVAILABLE, not TOOL_NOT_FOUND', async () => {
    covers('RS-7', 'SV-2')
    const client = await connect()
    expect(await client.ask('execute_tool', { server: 'missing', tool: 'anything' })).toMatchObject({
      error: { code: 'SERVER_UNAVAILABLE', message: expect.stringContaining('no-such-program-anywhere') },
    })
  })

  it.each([
    ['get_tool_details', { tool: 'notes:add' }, { server: 'notes', tool: 'add' }],
    [
      'get_tool_details',
      { tool: ['add', 'notes:list'] },
      { tools: [{ tool: 'add' }, { server: 'notes', tool: 'list' }] },
    ],
  ])('the gateway waits for a server without a cached list: %s %j', async (tool, args, expected) => {
    covers('LC-14')
    const config = { discovery: { listWaitMs: 30_000, servers: { notes: fixtureServer('notes') } } }
    const gateway = await gatewayForTest({ config })
    expect(await (await gateway.connect()).ask(tool, args)).toMatchObject(expected)
  })

  it('the protocol era of a server is detected once and cached', async () => {
    covers('LC-10')
    const home = homeForTest()
    const recorded = (name: string) => withEnv(fixtureServer(name), { STARTS_FILE: home.at(name) })
    const servers = { strict: recorded('dies-on-probe'), newest: recorded('modern') }
    const config = { discovery: { listWaitMs: 30_000, servers } }
    const startBoth = async () => {
      const gateway = await gatewayForTest({ home, config })
      const client = await gateway.connect()
      expect(await client.run({ tool: 'hello' })).toMatchObject({ content: [{ text: 'hello' }] })
      expect(await client.run({ tool: 'add', arguments: { a: 1, b: 2 } })).not.toHaveProperty('isError', true)
      await gateway.close()
    }
    await startBoth()
    // A legacy server is started once. A server that refuses `initialize` is started again.
    expect(home.lines('dies-on-probe')).toHaveLength(1)
    expect(home.lines('modern')).toHaveLength(2)
    await startBoth()
    expect(home.lines('dies-on-probe')).toHaveLength(2)
    expect(home.lines('modern')).toHaveLength(3)
  })

  it('no more servers than maxStarting start at the same time', async () => {
    covers('LC-9')
    const home = homeForTest()
    const servers = Object.fromEntries(
      Array.from({ length: 5 }, (_, at) => [`gated-${at}`, fixtureServer('gated', home.at('starts'), home.at('gate'))]),
    )
    const gateway = await gatewayForTest({
      home,
      config: { discovery: { servers, listWaitMs: 400 }, limits: { maxStarting: 2 } },
    })
    const client = await gateway.connect()
    // The search waits listWaitMs for servers without a known list.
    expect(await client.ask('search_tools', { query: 'enter' })).toMatchObject({
      results: [],
      reason: expect.stringMatching(/^Still starting: 'gated-0'/),
    })
    expect(home.lines('starts')).toHaveLength(2)
    home.write('gate', 'open')
    const found = async () => ((await client.ask('search_tools', { query: 'enter' })).results as []).length
    await expect.poll(found, soon).toBe(5)
  })

  it('a server that hangs does not delay the printed address', async () => {
    covers('LC-13', 'GO-3')
    const config = { discovery: { servers: { hangs: fixtureServer('hang'), box: fixtureServer('toolbox') } } }
    const gateway = await gatewayForTest({ door: 'http', config, startMs: 15_000 })
    expect(gateway.stdout).toContain('Listening on ')
  })
})

describe('a server that hangs', () => {
  const { gateway, client } = useClient({
    config: {
      discovery: { servers: { hangs: fixtureServer('hang'), box: fixtureServer('toolbox') }, listWaitMs: 300 },
    },
  })

  it('a server that hangs delays only requests that need it', async () => {
    covers('LC-13', 'FT-2')
    await expect.poll(() => stateOf(client(), 'box'), soon).toBe('connected')
    const before = performance.now()
    expect(await client().ask('search_tools', { query: 'pid of the box', limit: 1 })).toMatchObject({
      results: [{ server: 'box' }],
    })
    expect(await client().ask('get_tool_details', { tool: 'box:pid' })).toMatchObject({ tool: 'pid' })
    await pidOf(client())
    expect(performance.now() - before).toBeLessThan(5_000)
    expect(await stateOf(client(), 'hangs')).toBe('starting')
  })

  it('many searches can wait for a hanging server at once without a warning', async () => {
    covers('LC-13')
    const searches = Array.from({ length: 30 }, () => client().ask('search_tools', { query: 'hanging' }))
    expect(await Promise.all(searches)).toHaveLength(30)
    await expect.poll(() => stateOf(client(), 'hangs'), soon).toBe('starting')
    expect(gateway().stderr).toBe('')
  })
})

describe('when the gateway ends', () => {
  const stubborn = {
    stubborn: fixtureServer('fork', 'stubborn'),
    hanging: fixtureServer('hang', 'stubborn'),
    box: fixtureServer('toolbox'),
  }
  const start = async () => {
    const config = { discovery: { servers: stubborn, listWaitMs: 30_000 } }
    const gateway = await gatewayForTest({ config })
    const client = await gateway.connect()
    const { structuredContent } = await client.run({ server: 'stubborn', tool: 'pids' })
    const { result } = structuredContent as { result: { server: number; grandchild: number } }
    const pids = [result.server, result.grandchild, await pidOf(client)]
    expect(pids.every(isAlive)).toBe(true)
    // The three servers, the child process of one of them, and the watchdog. One server starts in the background.
    await expect.poll(() => gateway.started().length, soon).toBeGreaterThanOrEqual(5)
    return { gateway, client, pids: [...pids, ...gateway.started()] }
  }

  it('all processes that the gateway started end when it is killed with SIGKILL', async () => {
    covers('LC-5')
    const { gateway, pids } = await start()
    await gateway.kill()
    await expectGone(pids)
  })

  it('calls in flight finish before the gateway ends on SIGTERM', async () => {
    covers('LC-6')
    const config = {
      discovery: { listWaitMs: 30_000, servers: { box: fixtureServer('toolbox'), notes: fixtureServer('notes') } },
    }
    const gateway = await gatewayForTest({ door: 'http', config })
    const client = await gateway.connect()
    await pidOf(client)
    const slow = client.run({ server: 'notes', tool: 'add', arguments: { text: 'in time', waitMs: 500 } })
    await expect.poll(() => stateOf(client, 'notes'), soon).toBe('connected')
    const pids = gateway.started()
    process.kill(gateway.pid, 'SIGTERM')
    expect(await slow).toMatchObject({ structuredContent: { success: true, result: ['in time'] } })
    await expectGone([gateway.pid, ...pids])
  })

  it('all servers end when the client disconnects, even those that ignore SIGTERM', async () => {
    covers('LC-6')
    const { client, pids } = await start()
    await client.close()
    await expectGone(pids)
  })
})
