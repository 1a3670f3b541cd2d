// Progress and log messages of a call: all are sent in order before the result, and none after it.

import { InMemoryTransport, LOG_LEVEL_META_KEY } from '@modelcontextprotocol/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { success } from '../core/result.ts'
import { withResolvers } from '../core/waiting.ts'
import type { Command } from '../sources/commands/define.ts'
import { serveConnection } from './connection.ts'
import { commandReturning, createFront, createHolding, openDoor, within } from './door.fixture.ts'
import { ask, modern, startSession, toolCall } from './raw-client.fixture.ts'
import { type ClientEra, connectClient, connectHttp, eras } from './sdk-client.fixture.ts'

const kinds = ['http', 'memory'] as const
const matrix = eras.flatMap((era) => kinds.map((kind) => [era, kind] as const))
const meta = { progressToken: 'mine', [LOG_LEVEL_META_KEY]: 'debug' }

async function connected(era: ClientEra, kind: (typeof kinds)[number], commands: readonly Command[]) {
  if (kind === 'http') {
    const { port, front } = await openDoor({ commands })
    return { ...(await connectHttp(port, era)), front }
  }
  const front = createFront({ commands })
  const [near, far] = InMemoryTransport.createLinkedPair()
  const { crib, activity, onError, onToolCall } = front
  const connection = serveConnection({ crib, activity, onError, onToolCall, transport: far, kind: 'memory' })
  onTestFinished(() => connection.close())
  return { ...(await connectClient(near, era)), front }
}

const messageOfStep = (step: number) =>
  step % 2 === 0
    ? { method: 'notifications/progress', params: { progressToken: 'mine', progress: step, total: 100 } }
    : { method: 'notifications/message', params: { level: 'info', data: { step } } }

describe.each(matrix)('%s over %s', (era, kind) => {
  it('sends all messages in order before the result', async () => {
    const talk = commandReturning('job-talk', async (context) => {
      for (let step = 1; step <= 100; step++) {
        if (step % 2 === 0) context.progress(step, 100)
        else context.log('info', { step })
        if (step % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      return success('said')
    })
    const { call, heard, front } = await connected(era, kind, [talk])
    expect((await call('job-talk', {}, { meta })).data).toBe('said')
    // Every message arrived before the result.
    expect(heard).toHaveLength(100)
    heard.forEach((message, index) => {
      expect(message).toMatchObject(messageOfStep(index + 1))
    })
    expect(front.errors.map(String).slice(0, 3)).toEqual([])
  })

  it('sends messages while the call is running', async () => {
    const holding = createHolding()
    const { call, heard } = await connected(era, kind, [holding.command])
    const pending = call('job-hold', {}, { meta })
    const held = await holding.next()
    held.context.progress(1, 2, 'half')
    held.context.log('warning', 'careful')
    const both = async () => {
      while (heard.length < 2) await new Promise((resolve) => setImmediate(resolve))
    }
    await within(2_000, 'both messages', both())
    expect(heard).toMatchObject([
      { params: { progressToken: 'mine', progress: 1, total: 2, message: 'half' } },
      { params: { level: 'warning', data: 'careful' } },
    ])
    held.finish()
    await pending
  })

  it('sends no progress to a client that did not ask for it', async () => {
    const talk = commandReturning('job-talk', (context) => {
      context.progress(1)
      return success('said')
    })
    const { call, heard, front } = await connected(era, kind, [talk])
    expect((await call('job-talk')).data).toBe('said')
    expect(heard).toEqual([])
    expect(front.errors.map(String).slice(0, 3)).toEqual([])
  })

  it('sends no messages after the result, and reports no error', async () => {
    const { promise: answered, resolve: goOn } = withResolvers()
    const { promise: said, resolve: endSaying } = withResolvers()
    const talk = commandReturning('job-talk', (context) => {
      context.progress(1)
      void answered.then(() => {
        for (let step = 2; step < 20; step++) context.progress(step)
        context.log('info', 'too late')
        endSaying()
      })
      return success('said')
    })
    const { call, heard, front } = await connected(era, kind, [talk])
    await call('job-talk', {}, { meta })
    goOn()
    await said
    await call('text-echo')
    expect(heard).toHaveLength(1)
    expect(front.errors.map(String).slice(0, 3)).toEqual([])
  })

  it('keeps the order when a handler sends messages while its result is sent', async () => {
    const talk = commandReturning('job-talk', (context) => {
      const goOn = async () => {
        for (let step = 2; step < 300; step++) {
          context.progress(step)
          await undefined
        }
      }
      context.progress(1)
      void goOn()
      return success('said')
    })
    const { call, heard, front } = await connected(era, kind, [talk])
    await call('job-talk', {}, { meta })
    const before = heard.length
    await call('text-echo')
    expect(heard.slice(before)).toEqual([])
    // Only progress notifications are sent here.
    expect(heard.map(({ params }) => (params as { progress: number }).progress)).toEqual(
      Array.from({ length: before }, (_, index) => index + 1),
    )
    expect(front.errors.map(String).slice(0, 3)).toEqual([])
  })
})

describe('on the wire', () => {
  it.each(eras)('sends the result as the last message of the response (%s)', async (era) => {
    const talk = commandReturning('job-talk', (context) => {
      for (let step = 1; step <= 50; step++) context.progress(step, 50)
      return success('said')
    })
    const { port } = await openDoor({ commands: [talk] })
    const message = toolCall('job-talk', {}, 'talk', { progressToken: 7 })
    const answer = era === 'modern' ? await ask(port, modern(message)) : await (await startSession(port)).ask(message)
    expect(answer.messages.map(({ id, params }) => id ?? params?.progress)).toEqual([
      ...Array.from({ length: 50 }, (_, index) => index + 1),
      'talk',
    ])
    expect(answer.messages[0]?.params?.progressToken).toBe(7)
  })

  it('sends a legacy client only log messages of its log level or above', async () => {
    const talk = commandReturning('job-talk', (context) => {
      for (const level of ['debug', 'info', 'warning', 'error', 'emergency'] as const) context.log(level, level)
      return success('said')
    })
    const { port } = await openDoor({ commands: [talk] })
    const session = await startSession(port)
    await session.ask({ jsonrpc: '2.0', id: 0, method: 'logging/setLevel', params: { level: 'error' } })
    const { messages } = await session.ask(toolCall('job-talk'))
    expect(messages.slice(0, -1).map(({ params }) => params?.level)).toEqual(['error', 'emergency'])
  })

  it('sends a modern client no log messages unless it asked for them', async () => {
    const talk = commandReturning('job-talk', (context) => {
      context.log('emergency', 'unasked')
      return success('said')
    })
    const { port } = await openDoor({ commands: [talk] })
    const { messages } = await ask(port, modern(toolCall('job-talk')))
    expect(messages).toHaveLength(1)
  })
})
