// Closing the HTTP door: calls in flight finish, and calls that hang do not keep it open.

import { Agent, request } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { success } from '../core/result.ts'
import { createMcpServer } from './create-mcp-server.ts'
import { createHolding, openDoor, within } from './door.fixture.ts'
import { ask, connectRaw, follow, modern, open, startSession, toolCall } from './raw-client.fixture.ts'
import { connectHttp, eras } from './sdk-client.fixture.ts'

const LONG_MS = 60_000

describe.each(eras)('a call in flight, %s', (era) => {
  async function held(options: { meta?: object } = {}) {
    const holding = createHolding()
    const door = await openDoor({ commands: [holding.command] })
    const message = toolCall('job-hold', {}, 7, options.meta)
    const answer = era === 'modern' ? ask(door.port, modern(message)) : (await startSession(door.port)).ask(message)
    answer.catch(() => {})
    return { door, answer, call: await holding.next() }
  }

  it('finishes a call in flight and delivers its answer before the door closes', async () => {
    const { door, answer, call } = await held()
    const closed = door.close(LONG_MS)
    call.finish(success('done'))
    expect((await answer).messages.at(-1)?.result?.structuredContent?.data).toBe('done')
    await within(2_000, 'the door closes once the call has ended', closed)
    expect(call.context.signal.aborted).toBe(false)
  })

  it('delivers a large answer completely while the door closes', async () => {
    const { door, answer, call } = await held()
    const closed = door.close(LONG_MS)
    const length = 16 * 1024 * 1024
    call.finish(success('x'.repeat(length)))
    const [message] = (await answer).messages.slice(-1)
    expect(String(message?.result?.structuredContent?.data).length).toBe(length)
    await closed
  })

  it('delivers the remaining progress of a call in flight while the door closes', async () => {
    const { door, answer, call } = await held({ meta: { progressToken: 'p' } })
    const closed = door.close(LONG_MS)
    for (let step = 1; step <= 200; step++) call.context.progress(step, 200)
    call.finish(success('done'))
    const { messages } = await answer
    expect(messages.slice(0, -1).at(-1)?.params?.progress).toBe(200)
    expect(messages).toHaveLength(201)
    expect(messages.at(-1)?.result?.structuredContent?.data).toBe('done')
    await closed
  })

  it('cancels a call that still runs after the grace period with CANCELLED, and closes', async () => {
    const { door, answer, call } = await held()
    await within(3_000, 'the door closes after the grace', door.close(20))
    await within(1_000, 'the signal aborts', call.aborted)
    const { messages } = await within(1_000, 'the client has its answer', answer)
    expect(messages.at(-1)).toMatchObject({ id: 7, result: { structuredContent: { error: { code: 'CANCELLED' } } } })
    expect(door.front.activity.active).toBe(0)
  })
})

describe('while it closes', () => {
  it.each(eras)(
    'answers new calls with 503 and retry-after, /ready with 503 and /health with 200 (%s)',
    async (era) => {
      const holding = createHolding()
      const door = await openDoor({ commands: [holding.command] })
      const session = await startSession(door.port)
      const pending = ask(door.port, modern(toolCall('job-hold')))
      const call = await holding.next()
      const closed = door.close(LONG_MS)
      const late = toolCall('text-echo', {}, 'late')
      const { status, headers, text } = await (era === 'modern' ? ask(door.port, modern(late)) : session.ask(late))
      expect([status, headers['retry-after']]).toEqual([503, '1'])
      expect(text).toContain('SHUTTING_DOWN')
      expect(text).toContain('The request did not run.')
      const ready = await ask(door.port, { method: 'GET', path: '/ready' })
      expect([ready.status, ready.text]).toEqual([503, '{"status":"stopping"}'])
      expect((await ask(door.port, { method: 'GET', path: '/health' })).status).toBe(200)
      call.finish(success('done'))
      expect((await pending).messages.at(-1)?.result?.structuredContent?.data).toBe('done')
      await within(2_000, 'the door closes', closed)
      await expect(ask(door.port, { method: 'GET', path: '/health' })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    },
  )

  it('lets a legacy client cancel its call while the door closes', async () => {
    const holding = createHolding()
    const door = await openDoor({ commands: [holding.command] })
    const session = await startSession(door.port)
    const answer = session.ask(toolCall('job-hold', {}, 'hold'))
    const call = await holding.next()
    const closed = door.close(LONG_MS)
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'hold' } }
    expect((await session.ask(cancel)).status).toBe(202)
    await within(1_000, 'the signal aborts', call.aborted)
    await within(2_000, 'the door closes', closed)
    expect((await answer).messages.at(-1)).toMatchObject({ id: 'hold', error: { message: 'Cancelled' } })
  })

  it('cancels the calls that the first stop waits for when a second stop is in a hurry', async () => {
    const holding = createHolding()
    const server = serverOver(holding)
    await server.start()
    const pending = ask(Number(new URL(server.getUrl()).port), modern(toolCall('job-hold')))
    await holding.next()
    const stopped = server.stop()
    await within(3_000, 'it stops', server.stop({ signal: AbortSignal.abort() }))
    await stopped
    expect((await pending).messages.at(-1)?.result?.structuredContent?.error?.code).toBe('CANCELLED')
  })
})

describe('a door that closes', () => {
  it('closes the door while an idle keep-alive connection is open', async () => {
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const door = await openDoor()
    const outgoing = request({ port: door.port, host: '127.0.0.1', path: '/health', agent })
    const answer = follow(outgoing)
    outgoing.end()
    await answer.ended
    await within(2_000, 'the door closes', door.close(LONG_MS))
  })

  it('closes the door while a silent connection and one with half a request are open', async () => {
    const door = await openDoor()
    const [silent, half] = [await connectRaw(door.port), await connectRaw(door.port)]
    half.socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{')
    await within(2_000, 'the door closes', door.close(LONG_MS))
    await within(2_000, 'both connections are closed', Promise.all([silent.closed, half.closed]))
  })

  it('closes the door while the event stream of a session is open', async () => {
    const door = await openDoor()
    const stream = await (await startSession(door.port)).stream()
    await within(2_000, 'the door closes', door.close(LONG_MS))
    await within(2_000, 'the stream ends', stream.ended)
    expect(door.front.listeners).toBe(0)
  })

  it('closes the door while a modern subscription is open, and completes the subscription', async () => {
    const door = await openDoor()
    const message = {
      jsonrpc: '2.0',
      id: 5,
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true } },
    }
    const stream = await open(door.port, modern(message))
    await stream.find(({ method }) => method === 'notifications/subscriptions/acknowledged')
    await within(2_000, 'the door closes', door.close(LONG_MS))
    await within(2_000, 'the stream ends', stream.ended)
    expect(stream.messages.at(-1)).toMatchObject({ id: 5, result: { resultType: 'complete' } })
  })

  it.each(eras)('closes the door while an official client stays connected (%s)', async (era) => {
    const door = await openDoor()
    const { call } = await connectHttp(door.port, era)
    await call('text-echo', { a: 1 })
    await within(2_000, 'the door closes', door.close(LONG_MS))
  })
})

describe('stop', () => {
  it('ends every session and its state, and leaves no listener', async () => {
    const door = await openDoor()
    const sessions = await Promise.all([startSession(door.port), startSession(door.port), startSession(door.port)])
    await door.close(LONG_MS)
    expect([...door.front.ended].sort()).toEqual(sessions.map(({ id }) => id).sort())
    expect(door.front.listeners).toBe(0)
  })

  it('stops a server twice, and both calls wait until it is closed', async () => {
    const holding = createHolding()
    const server = serverOver(holding)
    onTestFinished(() => server.stop())
    await server.start()
    const pending = ask(Number(new URL(server.getUrl()).port), modern(toolCall('job-hold')))
    const call = await holding.next()
    const order: string[] = []
    const first = server.stop().then(() => order.push('stopped'))
    await new Promise((resolve) => setImmediate(resolve))
    const second = server.stop().then(() => order.push('stopped'))
    await new Promise((resolve) => setImmediate(resolve))
    order.push('finished')
    call.finish()
    await pending.catch(() => {})
    await Promise.all([first, second])
    await server.stop()
    expect(order).toEqual(['finished', 'stopped', 'stopped'])
  })

  it('stops a server before it starts and while it starts', async () => {
    const server = createMcpServer({ name: 'test', version: '1.0.0', commands: [], transport: 'http', port: 0 })
    await server.stop()
    const starting = server.start()
    const port = () => Number(new URL(server.getUrl()).port)
    await Promise.all([starting, server.stop()])
    await expect(ask(port(), { method: 'GET', path: '/health' })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('closes a door several times without an error', async () => {
    const door = await openDoor()
    await Promise.all([door.close(), door.close()])
    await door.close()
  })
})

function serverOver(holding: ReturnType<typeof createHolding>) {
  return createMcpServer({
    name: 'test',
    version: '1.0.0',
    commands: [holding.command],
    toolStrategy: 'individual',
    transport: 'http',
    port: 0,
  })
}
