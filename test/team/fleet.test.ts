// Three replicas behind nginx with a real Redis: a client can send each request to any of them.

import { type IncomingMessage, request } from 'node:http'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fleet, startFleet, tokenOf } from '../fixtures/fleet/fleet.ts'
import { createFleetClient, type FleetClient, messagesIn } from '../fixtures/fleet/raw-client.ts'
import { hasProgram } from '../fixtures/fleet/redis-server.ts'
import { visit } from '../fixtures/fleet/visitors.ts'

const isInstalled = hasProgram('redis-server') && hasProgram('nginx')
const PEOPLE = ['anna', 'ben', 'cleo', 'dina'] as const

let fleet: Fleet
const client = (era: 'legacy' | 'modern', name: string, at?: number, capabilities = {}) =>
  createFleetClient(at === undefined ? fleet.url : (fleet.replicas[at]?.url ?? ''), era, tokenOf(name), capabilities)

async function connected(name: string, at?: number, capabilities = {}): Promise<FleetClient> {
  const made = client('legacy', name, at, capabilities)
  await made.connect()
  return made
}

interface Stream {
  readonly status: number
  readonly methods: () => readonly unknown[]
  close(): void
}

/** Opens the event stream of a legacy session. */
function listen(url: string, headers: Readonly<Record<string, string>>): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/mcp`, { method: 'GET', headers }, (incoming: IncomingMessage) => {
      let text = ''
      incoming.setEncoding('utf8')
      incoming.on('data', (chunk: string) => {
        text += chunk
      })
      incoming.on('error', () => {})
      resolve({
        status: incoming.statusCode ?? 0,
        methods: () => messagesIn({ headers: incoming.headers, text }).map((message) => message.method),
        close: () => outgoing.destroy(),
      })
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** The headers of a client, to send a request of its session to another replica. */
function headersOf({ headers }: FleetClient): Readonly<Record<string, string>> {
  return { ...headers() }
}

describe.runIf(isInstalled)('three replicas', () => {
  beforeAll(async () => {
    fleet = await startFleet({ replicas: 3, principals: PEOPLE })
  })
  afterAll(() => fleet?.[Symbol.asyncDispose]())

  it('replicas that start at the same time list each server once', async () => {
    const all = [0, 1, 2].map((at) => client('modern', 'anna', at))
    await Promise.all(all.map((one) => one.ask('tools/call', { name: 'search_tools', arguments: { query: 'echo' } })))
    expect((await fleet.serverEvents()).filter((line) => line === 'list')).toHaveLength(1)
    expect(await Promise.all(all.map((one, at) => one.execute('echo', { text: `at ${at}` })))).toEqual([
      expect.stringContaining('at 0'),
      expect.stringContaining('at 1'),
      expect.stringContaining('at 2'),
    ])
    expect((await fleet.serverEvents()).filter((line) => line === 'list')).toHaveLength(1)
  })

  it('a session continues at any replica, only for the principal that opened it', async () => {
    const anna = await connected('anna', 0)
    for (const at of [1, 2, 0]) {
      const other = createFleetClient(fleet.replicas[at]?.url ?? '', 'legacy', tokenOf('anna'))
      const body = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'execute_tool', arguments: { server: 'hub', tool: 'echo', arguments: { text: `here ${at}` } } },
      }
      const answer = await other.post(body, headersOf(anna))
      expect(answer.status).toBe(200)
      expect(answer.text).toContain(`here ${at}`)
      const stolen = await other.post(body, { ...headersOf(anna), authorization: `Bearer ${tokenOf('ben')}` })
      expect(stolen.status).toBe(404)
    }
    const started = performance.now()
    const unknown = await anna.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': 'no-such-session' })
    expect(unknown.status).toBe(404)
    expect(performance.now() - started).toBeLessThan(500)
  })

  it('a session ends everywhere when the client ends it at one replica', async () => {
    const anna = await connected('anna', 0)
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const at = (index: number) => createFleetClient(fleet.replicas[index]?.url ?? '', 'legacy', tokenOf('anna'))
    expect((await at(1).post(ping, headersOf(anna))).status).toBe(200)
    const ended = await fetch(`${fleet.replicas[2]?.url}/mcp`, { method: 'DELETE', headers: headersOf(anna) })
    expect(ended.status).toBe(200)
    for (const index of [0, 1, 2])
      await expect.poll(async () => (await at(index).post(ping, headersOf(anna))).status).toBe(404)
  })

  it('a client reads more of a long result at another replica, and only its own', async () => {
    const long = await client('modern', 'anna', 0).execute('long', { text: 'mark' })
    const [, handle, offset] = /"handle": "([\w-]+)", "offset": (\d+)/.exec(long) ?? []
    const params = { name: 'execute_tool', arguments: { handle, offset: Number(offset) } }
    expect(JSON.stringify(await client('modern', 'anna', 1).ask('tools/call', params))).toContain('mark line')
    expect(JSON.stringify(await client('modern', 'ben', 2).ask('tools/call', params))).not.toContain('mark line')
  })

  it('the answer of a client reaches the replica that asked', async () => {
    const anna = await connected('anna', 0, { elicitation: {} })
    let isAsked = false
    const body = {
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: { name: 'execute_tool', arguments: { server: 'hub', tool: 'ask', arguments: { text: 'Which word?' } } },
    }
    const answer = await anna.post(body, {}, (text) => {
      const [question] = messagesIn({ headers: { 'content-type': 'text/event-stream' }, text: `${text}\n` }).filter(
        ({ method }) => method === 'elicitation/create',
      )
      if (question === undefined || isAsked) return
      isAsked = true
      const other = createFleetClient(fleet.replicas[1]?.url ?? '', 'legacy', tokenOf('anna'))
      void other.post(
        { jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { word: 'apple' } } },
        headersOf(anna),
      )
    })
    expect(isAsked).toBe(true)
    expect(answer.text).toContain('apple')
  })

  it('replicas report that they are degraded while Redis is away, answer from the last known state, and recover', {
    timeout: 60_000,
  }, async () => {
    const anna = await connected('anna')
    await anna.execute('echo', { text: 'before' })
    await fleet.redis.stop('SIGKILL')
    await expect
      .poll(async () => (await fleet.replicas[0]?.ready())?.body)
      .toEqual({ status: 'ready', degraded: ['store'] })
    const ben = client('modern', 'ben')
    for (let n = 0; n < 6; n++) {
      const started = performance.now()
      expect(await ben.execute('echo', { text: `during ${n}` })).toContain(`during ${n}`)
      expect(performance.now() - started).toBeLessThan(2_000)
    }
    await fleet.redis.start()
    await expect.poll(async () => (await fleet.replicas[0]?.ready())?.body).toEqual({ status: 'ready' })
    expect(await anna.execute('echo', { text: 'after' })).toContain('after')
  })

  it('replicas answer every request while one is killed, one restarts and Redis restarts', {
    timeout: 120_000,
  }, async () => {
    const [first, second] = fleet.replicas
    // Read before the test adds its own load. With three runnable tasks per core, everything takes three times as long.
    const maxMs = 2_000 * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism())
    const steps = new Map<number, () => Promise<unknown>>([
      [300, async () => first?.end('SIGKILL').then(() => first.start())],
      [900, async () => second?.end('SIGTERM').then(() => second.start())],
      [1_500, async () => fleet.redis.stop().then(() => fleet.redis.start())],
    ])
    const working: Promise<unknown>[] = []
    const report = await visit({
      url: fleet.url,
      clients: 10,
      principals: PEOPLE,
      calls: 2_000,
      onCall: (done) => {
        const step = steps.get(done)
        if (step !== undefined) working.push(step())
      },
    })
    await Promise.all(working)
    expect(report).toMatchObject({ calls: 2_000, wrong: 0, foreign: 0, failed: 0, failures: [] })
    expect(report.renewed).toBe(0)
    expect(report.requests.filter(({ ms }) => ms > maxMs)).toEqual([])
  })
})

describe.runIf(isInstalled)('replicas with a tool list that changes', () => {
  it('replicas notify the clients of other replicas once of a changed list, within a second', {
    timeout: 60_000,
  }, async () => {
    await using made = await startFleet({ replicas: 3, principals: PEOPLE, discovery: { strategy: 'individual' } })
    fleet = made
    const clients = await Promise.all([0, 1, 2].map((at) => connected('anna', at)))
    await Promise.all(clients.map((one) => one.ask('tools/list')))
    const streams = await Promise.all(clients.map((one, at) => listen(fleet.replicas[at]?.url ?? '', headersOf(one))))
    await sleep(300)
    await fleet.changeList()
    const told = () =>
      streams.map((stream) => stream.methods().filter((method) => method === 'notifications/tools/list_changed').length)
    await expect.poll(told, { timeout: 1_000, interval: 20 }).toEqual([1, 1, 1])
    await sleep(500)
    expect(told()).toEqual([1, 1, 1])
    for (const one of clients) expect(JSON.stringify(await one.ask('tools/list'))).toContain('added')
    for (const stream of streams) stream.close()
  })

  it('replicas share the tools that a person has enabled, and notify each other', { timeout: 60_000 }, async () => {
    await using made = await startFleet({ replicas: 2, principals: PEOPLE, discovery: { strategy: 'manage' } })
    fleet = made
    const anna = await connected('anna', 0)
    await anna.ask('tools/list')
    const stream = await listen(fleet.replicas[1]?.url ?? '', headersOf(anna))
    expect(stream.status).toBe(200)
    await sleep(300)
    const enabled = await anna.ask('tools/call', {
      name: 'manage_tools',
      arguments: { action: 'enable', tools: ['echo'] },
    })
    expect(JSON.stringify(enabled)).toContain('echo')
    await expect.poll(() => stream.methods(), { timeout: 1_000 }).toEqual(['notifications/tools/list_changed'])
    const other = createFleetClient(fleet.replicas[1]?.url ?? '', 'legacy', tokenOf('anna'))
    const list = await other.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, headersOf(anna))
    expect(list.text).toContain('echo')
    stream.close()
  })
})
