import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { settles } from './activity.ts'
import { toolCall } from './raw-client.fixture.ts'
import { followAnswers } from './unanswered.ts'

/** A connection with writes that end when the test calls `write`. */
function connect() {
  const sent: JSONRPCMessage[] = []
  const received: JSONRPCMessage[] = []
  const writing: (() => void)[] = []
  const inner: Transport = {
    async start() {},
    async close() {},
    send(message) {
      sent.push(message)
      return new Promise((resolve) => writing.push(resolve))
    },
  }
  const followed = followAnswers(inner)
  followed.transport.onmessage = (message) => void received.push(message)
  followed.transport.onclose = () => {}
  return { ...followed, inner, sent, received, write: () => writing.shift()?.() }
}

const call = (id: string) => toolCall('x', {}, id) as unknown as JSONRPCMessage // it is a JSON-RPC message
const answer = (id: string) => ({ jsonrpc: '2.0', id, result: {} }) as const
const isNow = (event: Promise<unknown>) => settles(event, 0)

describe('answered', () => {
  it('answered waits for an answer to every request, even if two have the same id', async () => {
    const { inner, transport, answered } = connect()
    for (const id of ['a', 'b', 'b']) inner.onmessage?.(call(id))
    const all = answered()
    for (const id of ['a', 'b']) void transport.send(answer(id))
    expect(await isNow(all)).toBe(false)
    void transport.send(answer('b'))
    expect(await isNow(all)).toBe(true)
  })

  it('answered waits neither for cancelled requests nor for subscriptions', async () => {
    const { inner, answered } = connect()
    inner.onmessage?.(call('a'))
    inner.onmessage?.({ jsonrpc: '2.0', id: 'listen', method: 'subscriptions/listen' })
    inner.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } })
    expect(await isNow(answered())).toBe(true)
  })

  it('answered resolves when the connection closes', async () => {
    const { inner, answered, closed } = connect()
    inner.onmessage?.(call('a'))
    inner.onclose?.()
    expect(await isNow(answered())).toBe(true)
    expect(await isNow(closed)).toBe(true)
  })
})

describe('refuse', () => {
  it('refuse sends an error to every request without an answer', async () => {
    const { inner, sent, transport, refuse, answered } = connect()
    for (const id of ['a', 'b']) inner.onmessage?.(call(id))
    void transport.send(answer('a'))
    refuse()
    const suggestion = expect.stringContaining('may have run')
    expect(sent.at(-1)).toMatchObject({ id: 'b', error: { code: -32000, data: { code: 'SHUTTING_DOWN', suggestion } } })
    expect(sent).toHaveLength(2)
    expect(await isNow(answered())).toBe(true)
  })
})

describe('endInput', () => {
  it('fails current and later requests to the client after its input has ended', async () => {
    const { received, transport, endInput } = connect()
    void transport.send({ jsonrpc: '2.0', id: 0, method: 'elicitation/create' })
    endInput()
    expect(received).toMatchObject([{ id: 0, error: { message: expect.stringContaining('stopped sending messages') } }])
    void transport.send({ jsonrpc: '2.0', id: 1, method: 'roots/list' })
    await isNow(Promise.resolve())
    expect(received).toMatchObject([{ id: 0 }, { id: 1 }])
  })
})

describe('flushed', () => {
  it('flushed waits until all messages are written', async () => {
    const { transport, flushed, write } = connect()
    void transport.send(answer('a'))
    void transport.send(answer('b'))
    const all = flushed(5_000)
    write()
    expect(await isNow(all)).toBe(false)
    write()
    expect(await settles(all, 5_000)).toBe(true)
  })

  it('flushed stops waiting when the reader reads nothing', async () => {
    const { transport, flushed } = connect()
    void transport.send(answer('a'))
    await flushed(1)
  })
})
