// A connection with one client: its caller, its notifications, and its cleanup.

import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { success } from '../core/result.ts'
import { serveConnection } from './connection.ts'
import { commandReturning, createFront, type FrontParts, until } from './door.fixture.ts'
import { initialize, type Message, MODERN, modern, toolCall } from './raw-client.fixture.ts'
import { connectClient, eras } from './sdk-client.fixture.ts'

const contexts = [{ name: 'sales' }, { name: 'support' }]
const whoami = commandReturning('who-am-i', ({ caller }) => success(caller))

function serve(parts: FrontParts = {}) {
  const front = createFront(parts)
  const [near, far] = InMemoryTransport.createLinkedPair()
  const { crib, activity, onError, onToolCall } = front
  const connection = serveConnection({ crib, activity, onError, onToolCall, transport: far, kind: 'memory' })
  onTestFinished(() => connection.close())
  return { front, near, connection }
}

/** The client's end of a connection, message by message. */
async function speak(near: InMemoryTransport) {
  const heard: Message[] = []
  near.onmessage = (message) => void heard.push(message as Message) // sent by the server under test; the tests check its content
  await near.start()
  return {
    heard,
    send: (message: object) => near.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage), // the test may send anything
    answer: async (id: string | number) => {
      await until(`an answer to ${id}`, () => heard.some((message) => message.id === id))
      return heard.find((message) => message.id === id)
    },
  }
}

function added(count: number) {
  return commandReturning(`added-${count}`, () => success(1))
}

describe.each(eras)('%s', (era) => {
  it('names the caller by its transport, with a session id only in the legacy era', async () => {
    const { near } = serve({ commands: [whoami] })
    const { call } = await connectClient(near, era)
    const { data } = await call('who-am-i')
    expect(data).toMatchObject({ principal: 'memory', era, transport: 'memory' })
    expect(Object.hasOwn(data as object, 'sessionId')).toBe(era === 'legacy') // checked in the line above
  })

  it('leaves no listener and no session behind when the client closes', async () => {
    const { near, front } = serve({ contexts })
    const { client, call } = await connectClient(near, era)
    await call('afd-context-enter', { context: 'sales' })
    expect(front.listeners).toBe(1)
    await client.close()
    await until('no listener is left', () => front.listeners === 0)
    if (era === 'legacy') expect(front.ended).toHaveLength(1)
  })

  it('leaves no listener behind when the connection is closed several times', async () => {
    const { near, front, connection } = serve()
    const { call } = await connectClient(near, era)
    await call('text-echo')
    await Promise.all([connection.close(), connection.close()])
    await connection.close()
    expect(front.listeners).toBe(0)
  })
})

describe('a changed list', () => {
  it('notifies a legacy client once per change', async () => {
    const { near, front } = serve()
    const { heard, call } = await connectClient(near, 'legacy')
    for (const count of [1, 2, 3]) {
      front.commands.register(added(count))
      await until(`it has ${count} notifications`, () => heard.length >= count)
    }
    await call('text-echo')
    expect(heard.map(({ method }) => method)).toEqual(Array(3).fill('notifications/tools/list_changed'))
  })

  it('notifies a modern client only after it has subscribed', async () => {
    const { near, front } = serve()
    const { send, answer, heard } = await speak(near)
    await send(modern(toolCall('text-echo', {}, 'first')).body)
    await answer('first')
    front.commands.register(added(1))
    await send(modern(toolCall('text-echo', {}, 'second')).body)
    await answer('second')
    const listen = { id: 'sub', method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } }
    await send(modern(listen).body)
    await until('it is acknowledged', () => heard.some(({ method }) => method?.endsWith('acknowledged') === true))
    front.commands.register(added(2))
    const isListChanged = ({ method }: Message) => method === 'notifications/tools/list_changed'
    await until('it is notified', () => heard.some(isListChanged))
    await send(modern(toolCall('text-echo', {}, 'third')).body)
    await answer('third')
    expect(heard.filter(isListChanged)).toHaveLength(1)
  })
})

describe('a client that first asks for the modern era and then begins a legacy session', () => {
  it('keeps one listener and reports no error when a client probes the modern era and then starts a legacy session', async () => {
    const { near, front } = serve()
    const { send, answer, heard } = await speak(near)
    const probe = modern({ method: 'server/discover' })
    await send({ id: 'probe', ...probe.body })
    expect((await answer('probe'))?.result?.supportedVersions).toContain(MODERN)
    await send(initialize('init'))
    await answer('init')
    await send({ method: 'notifications/initialized' })
    // A change before the first tools/list is not sent to a client.
    await send({ id: 'list', method: 'tools/list' })
    await answer('list')
    expect(front.listeners).toBe(1)
    front.commands.register(added(1))
    await until('it is notified', () => heard.some(({ method }) => method?.endsWith('list_changed') === true))
    await send(toolCall('text-echo', { a: 1 }, 'call'))
    expect((await answer('call'))?.result?.structuredContent?.data).toEqual({ a: 1 })
    expect(front.errors).toEqual([])
  })
})
