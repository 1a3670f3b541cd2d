// list_changed notifications under the strategy `manage`: over HTTP in both eras, and in memory in the modern era.

import { Client } from '@modelcontextprotocol/client'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { success } from '../core/result.ts'
import { serveConnection } from './connection.ts'
import { commandReturning, createFront, openDoor, until } from './door.fixture.ts'
import { ask, type Message, MODERN, modern, open, startSession, toolCall } from './raw-client.fixture.ts'
import { connectHttp, httpTransport } from './sdk-client.fixture.ts'

const commands = ['order-list', 'order-create', 'mail-send'].map((name) => commandReturning(name, () => success(name)))
const TOKENS = { alice: 'alice-0123456789abcdef', bob: 'bob-0123456789abcdef' }
const enable = (...tools: string[]) => ({ action: 'enable', tools })
const isListChanged = ({ method }: { readonly method?: string }) => method === 'notifications/tools/list_changed'

function openManage(strategyOptions: object = {}) {
  return openDoor({ commands, strategy: 'manage', strategyOptions, auth: { tokens: TOKENS } })
}

async function listed(client: Client): Promise<readonly string[]> {
  return (await client.listTools()).tools.map(({ name }) => name).slice(1)
}

/** A modern client that subscribes to list changes and lists the tools again after each notification. */
async function subscribe(port: number, token: string) {
  const seen: (readonly string[])[] = []
  const client = new Client(
    { name: 'subscriber', version: '1.0.0' },
    {
      capabilities: {},
      versionNegotiation: { mode: { pin: MODERN } },
      listChanged: {
        tools: { onChanged: (_error, tools) => void seen.push((tools ?? []).map(({ name }) => name).slice(1)) },
      },
    },
  )
  await client.connect(httpTransport(port, token))
  onTestFinished(() => client.close())
  return { client, seen }
}

function listen(port: number, token: string) {
  const params = { notifications: { toolsListChanged: true } }
  const asked = modern({ method: 'subscriptions/listen', params }, { authorization: `Bearer ${token}` })
  return open(port, { ...asked, body: { jsonrpc: '2.0', id: 'sub', ...asked.body } })
}

function callAs(port: number, token: string, args: object) {
  const asked = modern(toolCall('manage_tools', args, 'call'), { authorization: `Bearer ${token}` })
  return ask(port, asked)
}

describe('a legacy session under manage', () => {
  it('sends one list_changed in the response to the call, before the result, when the session has no stream', async () => {
    const { port } = await openManage()
    const session = await startSession(port, { authorization: `Bearer ${TOKENS.alice}` })
    const call = async (args: object) => (await session.ask(toolCall('manage_tools', args, 'done'))).messages
    const shape = (messages: readonly Message[]) => messages.map(({ method, id }) => method ?? id)
    expect(shape(await call(enable('order-list', 'mail-send', 'nothing')))).toEqual([
      'notifications/tools/list_changed',
      'done',
    ])
    expect(shape(await call(enable('order-list')))).toEqual(['done'])
    expect(shape(await call({ action: 'list' }))).toEqual(['done'])
    expect(shape(await call({ action: 'disable', tools: 'order-list' }))).toEqual([
      'notifications/tools/list_changed',
      'done',
    ])
  })

  it('sends one list_changed to a session with a stream, and none to other sessions of the principal', async () => {
    const { port } = await openManage()
    const [one, same, other] = await Promise.all([
      connectHttp(port, 'legacy', TOKENS.alice),
      connectHttp(port, 'legacy', TOKENS.alice),
      connectHttp(port, 'legacy', TOKENS.bob),
    ])
    await one.call('manage_tools', enable('order-list', 'order-create'))
    expect(await listed(one.client)).toEqual(['order-list', 'order-create'])
    await other.call('manage_tools', enable('mail-send'))
    expect([await listed(same.client), await listed(other.client)]).toEqual([[], ['mail-send']])
    expect([one, same, other].map(({ heard }) => heard.filter(isListChanged).length)).toEqual([1, 0, 1])
  })

  it('lists the enabled tool as soon as the client gets the notification', async () => {
    const { port } = await openManage()
    const { client, call } = await connectHttp(port, 'legacy', TOKENS.alice)
    const seen: Promise<readonly string[]>[] = []
    client.setNotificationHandler('notifications/tools/list_changed', () => void seen.push(listed(client)))
    await call('manage_tools', enable('order-list'))
    expect(await Promise.all(seen)).toEqual([['order-list']])
  })
})

describe('a principal of the modern era under manage', () => {
  it('notifies each subscriber of the principal once per change, on its own stream and not in the response', async () => {
    const { port } = await openManage()
    const [first, second, bob] = await Promise.all([
      listen(port, TOKENS.alice),
      listen(port, TOKENS.alice),
      listen(port, TOKENS.bob),
    ])
    const { messages } = await callAs(port, TOKENS.alice, enable('order-list', 'nothing'))
    expect(messages.map(({ id }) => id)).toEqual(['call'])
    await callAs(port, TOKENS.alice, enable('order-list'))
    await callAs(port, TOKENS.alice, { action: 'disable', tools: 'order-list' })
    const heard = () => [first, second, bob].map((stream) => stream.messages.filter(isListChanged).length)
    await until('both clients of alice have two notifications', () => heard()[0] === 2 && heard()[1] === 2)
    await callAs(port, TOKENS.bob, enable('mail-send'))
    await until('bob is notified', () => heard()[2] === 1)
    expect(heard()).toEqual([2, 2, 1])
  })

  it('shows the new list on every connection of the principal, and never to another principal', async () => {
    const { port } = await openManage()
    const [alice, bob] = [await subscribe(port, TOKENS.alice), await subscribe(port, TOKENS.bob)]
    const elsewhere = await connectHttp(port, 'modern', TOKENS.alice)
    await elsewhere.call('manage_tools', enable('order-list'))
    await until('alice has listed again', () => alice.seen.length > 0)
    expect(alice.seen).toEqual([['order-list']])
    expect([await listed(alice.client), await listed(elsewhere.client), await listed(bob.client)]).toEqual([
      ['order-list'],
      ['order-list'],
      [],
    ])
    expect(bob.seen).toEqual([])
  })

  it('forbids caching of the list, because the next call can change it', async () => {
    const { port } = await openManage()
    const asked = modern({ method: 'tools/list' }, { authorization: `Bearer ${TOKENS.alice}` })
    const { messages } = await ask(port, { ...asked, body: { jsonrpc: '2.0', id: 1, ...asked.body } })
    expect(messages[0]?.result).toMatchObject({ ttlMs: 0, cacheScope: 'private' })
  })

  it('notifies a modern client on its own connection after it has subscribed', async () => {
    const front = createFront({ commands, strategy: 'manage' })
    const [near, far] = InMemoryTransport.createLinkedPair()
    const { crib, activity, onError, onToolCall } = front
    const connection = serveConnection({ crib, activity, onError, onToolCall, transport: far, kind: 'memory' })
    onTestFinished(() => connection.close())
    const heard: Message[] = []
    near.onmessage = (message) => void heard.push(message as Message) // sent by the server under test; the test checks it
    await near.start()
    const send = (ask: { readonly body: object }, id: string) =>
      near.send({ jsonrpc: '2.0', id, ...ask.body } as Parameters<typeof near.send>[0]) // written in this test
    await send(modern({ method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } }), 'sub')
    await until('it is acknowledged', () => heard.some(({ method }) => method?.endsWith('acknowledged') === true))
    await send(modern(toolCall('manage_tools', enable('order-list'), 'on')), 'on')
    await send(modern(toolCall('manage_tools', enable('order-list'), 'again')), 'again')
    await until('both are answered', () => heard.filter(({ result }) => result !== undefined).length === 2)
    expect(heard.filter(isListChanged)).toHaveLength(1)
  })
})

describe('a change of the catalog under manage', () => {
  it('does not notify clients of a new tool that they have not enabled, and forgets clients that hung up', async () => {
    const { port, front } = await openManage()
    const legacy = await startSession(port, { authorization: `Bearer ${TOKENS.alice}` })
    const [stream, alice, bob] = [
      await legacy.stream(),
      await listen(port, TOKENS.alice),
      await listen(port, TOKENS.bob),
    ]
    await callAs(port, TOKENS.alice, enable('order-list'))
    await until('alice is notified of her own change', () => alice.messages.some(isListChanged))
    // A new tool, which is not enabled yet.
    front.commands.register(commandReturning('late-one', () => success(1)))
    await callAs(port, TOKENS.alice, enable('late-one'))
    await until('alice is notified again', () => alice.messages.filter(isListChanged).length === 2)
    expect([stream, bob].map(({ messages }) => messages.filter(isListChanged).length)).toEqual([0, 0])
    expect(front.listeners).toBe(3)
    for (const open of [alice, bob]) open.hangUp()
    await until('the listeners of closed streams are removed', () => front.listeners === 1)
  })
})
