// Rows 16 to 18 of docs/security.md: clients that disconnect, many calls, slow readers, servers that crash or notify.

import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { begin, modern, startSession, toolCall } from '../../src/front/raw-client.fixture.ts'
import { useHome } from '../e2e/gateway/home.ts'
import { atMost, hostile, isLong, report, useFaultGateway } from './harness.ts'
import { cpuMsOf, megabytesOf } from './processes.ts'
import { rawCaller } from './raw-calls.ts'

const home = useHome()
const log = (name: string) => home.lines(`${name}.log`)
const logged = (mode: string, name: string) => hostile(mode, { HOSTILE_LOG: home.at(`${name}.log`) })
const CRASHING = Array.from({ length: 20 }, (_, at) => `crashing-${at}`)

const gateway = useFaultGateway({
  home,
  door: 'http',
  servers: {
    hostile: logged('plain', 'hostile'),
    stormy: logged('plain', 'stormy'),
  },
})

/** The median of three measurements: one pause of the machine changes the p99 of 300 calls. */
async function medianP99(): Promise<number> {
  const measured = [await measureP99(300), await measureP99(300), await measureP99(300)]
  return measured.sort((left, right) => left - right)[1] ?? 0
}

/** The time below which 99 of 100 calls of another client are answered. */
async function measureP99(calls: number): Promise<number> {
  const client = await gateway().connect()
  const times: number[] = []
  for (let call = 0; call < calls; call++) {
    const before = performance.now()
    await client.run({ server: 'healthy-one', tool: 'pid' })
    times.push(performance.now() - before)
  }
  await client.close()
  return times.sort((left, right) => left - right)[Math.ceil(calls * 0.99) - 1] ?? 0
}

describe('row 16', () => {
  it('row 16: when a client disconnects in a call, 200 times, each call is cancelled within 100 ms', async () => {
    const delays: number[] = []
    const leave = async (marker: string) => {
      const call = toolCall('execute_tool', { server: 'hostile', tool: 'silent', arguments: { marker } }, marker)
      const request = modern(call)
      const open = begin(gateway().port, { ...request, headers: { ...request.headers, ...gateway().headers } })
      gateway().attempted(1)
      const line = (start: string) => log('hostile').find((one) => one.startsWith(start))
      await expect.poll(() => line(`call silent {"marker":"${marker}"}`), { interval: 5 }).toBeDefined()
      const left = Date.now()
      open.hangUp()
      await expect.poll(() => line(`cancelled ${marker} `), { interval: 5 }).toBeDefined()
      delays.push(Number(line(`cancelled ${marker} `)?.split(' ')[2]) - left)
    }
    await gateway()
      .connect()
      .then((client) => client.run({ server: 'hostile', tool: 'fine' }))
    const lanes = Array.from({ length: 4 }, async (_, lane) => {
      for (let time = 0; time < 50; time++) await leave(`leaves-${lane}-${time}`)
    })
    await Promise.all(lanes)
    report(`row 16: ${delays.length} cancels, the slowest after ${Math.max(...delays)} ms`)
    expect(delays).toHaveLength(200)
    expect(Math.max(...delays)).toBeLessThan(atMost(100))
  })
})

describe('row 17', () => {
  it('row 17: each of 5,000 calls at the same time is answered or gets a retryable refusal, and the memory stays bounded', {
    timeout: 300_000,
  }, async () => {
    const session = await startSession(gateway().port, gateway().headers)
    const before = megabytesOf(gateway().pid, 'VmRSS')
    const caller = rawCaller(gateway().port, { ...gateway().headers, 'mcp-session-id': session.id }, 5_000)
    onTestFinished(() => caller.close())
    const started = performance.now()
    const outcomes = await Promise.all(
      Array.from({ length: 5_000 }, async (_, id) => {
        const { status, headers, messages } = await caller.send(
          toolCall('execute_tool', { server: 'hostile', tool: 'wait', arguments: { ms: 500 } }, id),
        )
        if (status !== 200) return headers['retry-after'] === undefined ? `${status}` : 'refused'
        gateway().attempted(1)
        const { structuredContent } = messages.at(-1)?.result ?? {}
        if (messages.at(-1)?.id !== id) return 'wrong id'
        if (structuredContent?.success === true) return 'answered'
        return structuredContent?.error?.retryable === true ? 'refused' : JSON.stringify(messages).slice(0, 200)
      }),
    )
    const counts = Object.fromEntries(
      [...new Set(outcomes)].map((kind) => [kind, outcomes.filter((one) => one === kind).length]),
    )
    const growth = megabytesOf(gateway().pid, 'VmHWM') - before
    report(
      `row 17: 5,000 calls in ${Math.round(performance.now() - started)} ms: ${JSON.stringify(counts)}, ${Math.round(growth)} MB more`,
    )
    expect(Object.keys(counts).filter((kind) => kind !== 'answered' && kind !== 'refused')).toEqual([])
    expect(growth).toBeLessThan(256)
  })

  it('row 17: 200 half-open connections, and a client that reads 1 byte a second, do not slow other clients down', async () => {
    const longCalls = () =>
      gateway()
        .records()
        .filter(({ tool }) => tool === 'long').length
    const longCallsBefore = longCalls()
    const p99Before = await medianP99()
    const sockets: Socket[] = []
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
    })
    // 200 connections that send the beginning of a request and then nothing.
    for (let at = 0; at < 200; at++) {
      const socket = connect(gateway().port, '127.0.0.1').on('error', () => {})
      socket.write(
        `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${gateway().headers.authorization}\r\nContent-Length: 1000\r\n\r\n{`,
      )
      sockets.push(socket)
    }
    const before = megabytesOf(gateway().pid, 'VmRSS')
    // A client that asks for long results and reads one byte a second.
    const session = await startSession(gateway().port, gateway().headers)
    const slow = connect(gateway().port, '127.0.0.1').on('error', () => {})
    sockets.push(slow)
    const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${gateway().headers.authorization}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Session-Id: ${session.id}\r\nMcp-Protocol-Version: 2025-11-25\r\n`
    for (let id = 0; id < 100; id++) {
      const body = JSON.stringify(
        toolCall('execute_tool', { server: 'hostile', tool: 'long', arguments: { marker: 'slow' } }, id),
      )
      slow.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)
    }
    slow.pause()
    const reading = setInterval(() => slow.read(1), 1_000)
    onTestFinished(() => clearInterval(reading))
    const p99During = await medianP99()
    const growth = megabytesOf(gateway().pid, 'VmRSS') - before
    for (const socket of sockets) socket.destroy()
    await session.end()
    // The audit log gives the number of these calls, because the client has read only a part of the answers.
    await pause(500)
    gateway().attempted(longCalls() - longCallsBefore)
    report(`row 17: p99 of other clients was ${p99Before.toFixed(1)} ms before and ${p99During.toFixed(1)} ms during`)
    expect(p99During).toBeLessThan(atMost(Math.max(2 * p99Before, 20)))
    expect(growth).toBeLessThan(128)
  })
})

describe('row 18', () => {
  it.each(['progress', 'requests', 'answers', 'junk'])(
    'row 18: a server that sends %s without a pause does not hold up the calls of other clients',
    async (kind) => {
      const session = await startSession(gateway().port, gateway().headers)
      const client = await gateway().connect()
      await client.run({ server: 'hostile', tool: 'fine' })
      const args = { server: 'hostile', tool: 'babble', arguments: { kind, ms: 2_000 } }
      gateway().attempted(1)
      let isOver = false
      const babbling = session
        .ask(toolCall('execute_tool', args, 1, { progressToken: 'p' }))
        .finally(() => (isOver = true))
      const times: number[] = []
      while (!isOver) {
        const before = performance.now()
        await client.run({ server: 'healthy-one', tool: 'pid' })
        times.push(performance.now() - before)
      }
      const { messages } = await babbling
      expect(messages.at(-1)?.result?.structuredContent).toMatchObject({ success: true, result: 'babbled' })
      const median = times.sort((left, right) => left - right)[Math.floor(times.length / 2)] ?? 0
      report(`row 18: during ${kind}, ${times.length} other calls took ${Math.round(median)} ms in the median`)
      expect(times.length).toBeGreaterThan(5)
      expect(median).toBeLessThan(atMost(250))
      await session.end()
    },
  )

  const SECONDS = isLong ? 60 : 15
  const MAX_STARTS = isLong ? 8 : 6
  it(`row 18: each of 20 servers that crash on start is started at most ${MAX_STARTS} times in ${SECONDS} s, with little CPU time`, {
    timeout: 120_000,
  }, async () => {
    const crashing = Object.fromEntries(
      CRASHING.map((name) => [name, { ...logged('crash', name), tools: [{ name: 'x' }] }]),
    )
    const servers = { hostile: logged('plain', 'hostile'), stormy: logged('plain', 'stormy') }
    gateway().edit(gateway().configWith({}, { ...servers, ...crashing }))
    const client = await gateway().connect()
    const known = async () => (await client.ask('list_mcp_servers', { search: 'crashing', limit: 50 })).total
    await expect.poll(known).toBe(20)
    const startsOf = (name: string) => log(name).filter((line) => line.startsWith('start')).length
    const startsBefore = new Map(CRASHING.map((name) => [name, startsOf(name)]))
    const cpu = cpuMsOf(gateway().pid)
    const end = performance.now() + SECONDS * 1_000
    while (performance.now() < end) {
      for (const server of CRASHING) {
        expect(await client.ask('execute_tool', { server, tool: 'x' })).toMatchObject({
          error: { code: 'SERVER_UNAVAILABLE' },
        })
      }
      await pause(500)
    }
    const starts = CRASHING.map((name) => startsOf(name) - (startsBefore.get(name) ?? 0))
    const share = (cpuMsOf(gateway().pid) - cpu) / (SECONDS * 1_000)
    report(`row 18: at most ${Math.max(...starts)} starts in ${SECONDS} s, ${Math.round(share * 100)} % of a core`)
    // The pause starts at 1 s and doubles each time, so most starts are in the first seconds.
    expect(Math.max(...starts)).toBeLessThanOrEqual(MAX_STARTS)
    expect(share).toBeLessThan(0.3)
    gateway().edit(gateway().configWith({}, servers))
    await expect.poll(known).toBe(0)
  })

  it('row 18: 1,000 list_changed notifications in a second cause at most 10 refreshes', async () => {
    const client = await gateway().connect()
    await client.run({ server: 'stormy', tool: 'fine' })
    const cpu = cpuMsOf(gateway().pid)
    const before = log('stormy').filter((line) => line === 'list').length
    await client.run({ server: 'stormy', tool: 'storm', arguments: { perSecond: 1_000 } })
    const lists = log('stormy').filter((line) => line === 'list').length - before
    const spent = cpuMsOf(gateway().pid) - cpu
    report(`row 18: 1,000 list_changed caused ${lists} refreshes and ${spent} ms of CPU time`)
    expect(lists).toBeGreaterThan(0)
    expect(lists).toBeLessThanOrEqual(10)
    expect(spent).toBeLessThan(700)
  })
})
