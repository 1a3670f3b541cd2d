// Calls of legacy clients bypass the request handling of the SDK, and behave in the same way.

import { setTimeout as delay } from 'node:timers/promises'
import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { failure, success } from '../core/result.ts'
import { defineCommand } from '../sources/commands/define.ts'
import { createCommandServer } from './command-server.ts'
import { serveConnection } from './connection.ts'

const HELLO = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }

let waitSignal: AbortSignal | undefined

const commands = [
  defineCommand({
    name: 'echo-say',
    description: 'Says it',
    input: z.object({ text: z.string() }),
    handler: async ({ text }) => success(text),
  }),
  defineCommand({
    name: 'echo-fail',
    description: 'Fails',
    input: z.object({}),
    handler: async () => failure({ code: 'NO', message: 'no' }),
  }),
  defineCommand({
    name: 'echo-wait',
    description: 'Waits until it is cancelled',
    input: z.object({}),
    async handler(_input, { signal, progress }) {
      waitSignal = signal
      progress(1, 2)
      await delay(60_000, undefined, { signal })
      return success(null)
    },
  }),
]

async function open({ greet = true } = {}) {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const server = createCommandServer({ name: 'test', version: '1.0.0', commands, toolStrategy: 'individual' })
  const front = server.createFront()
  const connection = serveConnection({ ...front, transport: far, kind: 'memory' })
  onTestFinished(() => connection.close())
  const heard: JSONRPCMessage[] = []
  near.onmessage = (message) => void heard.push(message)
  await near.start()
  const send = (method: string, params: object, id?: number) =>
    near.send({ jsonrpc: '2.0', method, params: { ...params }, ...(id === undefined ? {} : { id }) } as JSONRPCMessage)
  const answerTo = (id: number) =>
    vi.waitFor(() => {
      const found = heard.find((message) => 'id' in message && message.id === id)
      expect(found).toBeDefined()
      return found
    })
  if (greet) {
    await send('initialize', HELLO, 1)
    await answerTo(1)
    await send('notifications/initialized', {})
  }
  return { send, answerTo, heard, near, activity: front.activity }
}

describe('a call of a legacy client', () => {
  it('answers a call, and sends a failure of the tool as a result and not as a protocol error', async () => {
    const { send, answerTo } = await open()
    await send('tools/call', { name: 'echo-say', arguments: { text: 'hi' } }, 2)
    expect(await answerTo(2)).toMatchObject({ result: { structuredContent: { success: true, data: 'hi' } } })
    await send('tools/call', { name: 'echo-fail' }, 3)
    expect(await answerTo(3)).toMatchObject({ result: { isError: true, structuredContent: { success: false } } })
  })

  it.each([
    ['before initialize is answered', 'result', { greet: false }, { name: 'echo-say', arguments: { text: 'hi' } }],
    ['without a name', 'error', {}, { arguments: {} }],
    ['with arguments that are a list', 'error', {}, { name: 'echo-say', arguments: [] }],
    ['with a field of a later version', 'result', {}, { name: 'echo-say', arguments: { text: 'hi' }, task: {} }],
  ] as const)(
    'leaves a call %s to the SDK, which answers it with the field `%s`',
    async (_what, kind, options, params) => {
      const { send, answerTo } = await open(options)
      await send('tools/call', params, 2)
      expect(await answerTo(2)).toHaveProperty(kind)
    },
  )

  it('sends no answer to a cancelled call, and aborts its signal', async () => {
    const { send, answerTo, heard, activity } = await open()
    await send('tools/call', { name: 'echo-wait', _meta: { progressToken: 'p' } }, 2)
    await vi.waitFor(() => expect(heard.some((one) => 'method' in one && one.method.endsWith('progress'))).toBe(true))
    await send('notifications/cancelled', { requestId: 2, reason: 'enough' })
    await vi.waitFor(() => expect(waitSignal?.aborted).toBe(true))
    await vi.waitFor(() => expect(activity.active).toBe(0))
    await send('ping', {}, 3)
    await answerTo(3)
    expect(heard.filter((message) => 'id' in message && message.id === 2)).toEqual([])
  })

  it('cancels a call when its client leaves', async () => {
    const { send, near, activity } = await open()
    await send('tools/call', { name: 'echo-wait' }, 2)
    await vi.waitFor(() => expect(activity.names).toEqual(['echo-wait']))
    await near.close()
    await vi.waitFor(() => expect(activity.active).toBe(0))
    expect(waitSignal?.aborted).toBe(true)
  })

  it('answers a call that is cancelled because the server stops', async () => {
    const { send, answerTo, activity } = await open()
    await send('tools/call', { name: 'echo-wait' }, 2)
    await vi.waitFor(() => expect(activity.active).toBe(1))
    activity.cancel(new Error('stopping'))
    expect(await answerTo(2)).toMatchObject({ result: { structuredContent: { error: { code: 'CANCELLED' } } } })
  })
})
