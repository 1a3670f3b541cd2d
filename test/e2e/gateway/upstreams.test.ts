// All kinds of servers behind the gateway: over stdio, HTTP and SSE, of both eras, with invalid and changing lists.

import { describe, expect, it } from 'vitest'
import { modernOverHttp } from '../../../src/sources/upstream/http.fixture.ts'
import { toolNamesOf } from './client.ts'
import { covers, gatewayForTest, useClient } from './harness.ts'
import { useHome } from './home.ts'
import { everythingAt, fixtureServer, withEnv } from './servers.ts'

const soon = { interval: 20, timeout: 10_000 }

describe('servers at an address', () => {
  const servers = { http: everythingAt('streamableHttp'), sse: everythingAt('sse') }
  const { client } = useClient(() => ({
    config: {
      discovery: {
        listWaitMs: 30_000,
        servers: Object.fromEntries(
          Object.entries(servers).map(([type, { url }]) => [type, { connection: { type, url } }]),
        ),
      },
    },
  }))

  it.each(['http', 'sse'])(
    'the gateway lists and calls the tools of a server over %s, and passes on its progress',
    async (server) => {
      covers('UP-1')
      expect(await toolNamesOf(client(), server)).toContain('get-sum')
      const sum = await client().run({ server, tool: 'get-sum', arguments: { a: 40, b: 2 } })
      expect(sum).toMatchObject({ content: [{ text: expect.stringContaining('42') }] })
      const image = await client().run({ server, tool: 'get-tiny-image' })
      expect(image.content.map(({ type }) => type)).toEqual(['text', 'image', 'text'])
      const from = client().notifications.length
      const long = { server, tool: 'trigger-long-running-operation', arguments: { duration: 0.1, steps: 4 } }
      await client().run(long, { progressToken: server })
      expect(client().notifications.slice(from)).toEqual([1, 2, 3, 4].map((step) => `progress ${step}`))
    },
  )

  it('a call to a stopped HTTP server fails with SERVER_UNAVAILABLE or SERVER_LOST, and works again after its restart', async () => {
    covers('RS-7', 'LC-7')
    const server = 'http'
    await servers.http.kill()
    const echo = { server, tool: 'echo', arguments: { message: 'there?' } }
    expect(await client().ask('execute_tool', echo)).toMatchObject({
      error: { code: expect.stringMatching(/^SERVER_(UNAVAILABLE|LOST)$/), server, tool: 'echo' },
    })
    expect(await client().run({ ...echo, server: 'sse' })).toMatchObject({ content: [{ text: 'Echo: there?' }] })
    await servers.http.start()
    await expect.poll(() => client().run(echo), soon).toMatchObject({ content: [{ text: 'Echo: there?' }] })
  })
})

describe('a list', () => {
  const home = useHome()
  const counted = (name: string) => withEnv(fixtureServer('toolbox'), { STARTS_FILE: home.at(name) })
  const { gateway, client } = useClient({
    home,
    config: {
      discovery: {
        listWaitMs: 30_000,
        servers: {
          odd: fixtureServer('odd-list'),
          'odd-modern': fixtureServer('odd-list', 'modern'),
          grows: fixtureServer('changing-list'),
          modern: fixtureServer('modern'),
          box: counted('box-starts'),
        },
      },
    },
  })
  const lists = (file: string) => home.lines(file).filter((line) => line.startsWith('list')).length

  it.each(['odd', 'odd-modern'])(
    'the gateway reads all pages of a list and skips malformed tools: %s',
    async (server) => {
      covers('UP-2', 'UP-3')
      expect(await toolNamesOf(client(), server)).toEqual(['good-one', 'good-two', 'good-three'])
      expect(await client().run({ server, tool: 'good-three' })).toMatchObject({
        content: [{ text: 'called good-three' }],
      })
      const said = () =>
        gateway()
          .stderr.split('\n')
          .filter((line) => line.startsWith(`toolcrib: ${server}: `))
      await expect.poll(() => said().length, soon).toBe(5)
      expect(said().filter((line) => line.includes('inputSchema'))).toHaveLength(2)
    },
  )

  it.each([
    ['grows', 'grown-2'],
    ['modern', 'grown-7'],
  ])('the gateway requests only the changed list again: %s', async (server, grown) => {
    covers('UP-4', 'CA-2', 'CA-3')
    await client().ask('search_tools', { query: 'anything' })
    const before = lists('box-starts')
    expect(await toolNamesOf(client(), server)).not.toContain(grown)
    await client().run({ server, tool: 'grow' })
    await expect.poll(() => toolNamesOf(client(), server), soon).toContain(grown)
    expect(await client().ask('search_tools', { query: grown, server, limit: 1 })).toMatchObject({
      results: [{ tool: grown, relevance: 1 }],
    })
    expect(await client().ask('get_tool_details', { server, tool: grown })).toMatchObject({ tool: grown })
    expect(lists('box-starts')).toBe(before)
  })

  it('the gateway uses a list until its TTL is over, then requests it again', async () => {
    covers('CA-1')
    const before = lists('box-starts')
    for (const query of ['one', 'two', 'three']) await client().ask('search_tools', { query })
    expect(lists('box-starts')).toBe(before)
    const impatient = await gatewayForTest({
      config: { discovery: { cache: { ttl: 0 }, servers: { box: counted('stale-starts') } } },
    })
    const other = await impatient.connect()
    const searchAndCount = async () => {
      await other.ask('search_tools', { query: 'one' })
      return lists('stale-starts')
    }
    const first = await searchAndCount()
    expect(first).toBeGreaterThan(0)
    await expect.poll(searchAndCount, soon).toBeGreaterThan(first + 1)
  })

  it('the gateway requests the list of a modern server over HTTP again after a list_changed notification', async () => {
    covers('UP-4', 'UP-1')
    const server = await modernOverHttp()
    const remote = await gatewayForTest({
      config: { discovery: { servers: { remote: { connection: { type: 'http', url: server.url } } } } },
    })
    const other = await remote.connect()
    expect(await toolNamesOf(other, 'remote')).toEqual(['where'])
    await expect.poll(() => server.headers.map((one) => one['mcp-method']), soon).toContain('subscriptions/listen')
    server.grow()
    await expect.poll(() => toolNamesOf(other, 'remote'), soon).toEqual(['where', 'grown-1'])
  })
})
