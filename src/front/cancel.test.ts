// A call is cancelled when its client no longer waits for it, over HTTP and in memory, in both eras.

import { InMemoryTransport } from '@modelcontextprotocol/server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { success } from '../core/result.ts'
import { serveConnection } from './connection.ts'
import { createFront, createHolding, openDoor, type TestFront, until, within } from './door.fixture.ts'
import { ask, begin, modern, startSession, toolCall } from './raw-client.fixture.ts'
import { type ClientEra, connectClient, connectHttp, eras } from './sdk-client.fixture.ts'

const kinds = ['http', 'memory'] as const
const matrix = eras.flatMap((era) => kinds.map((kind) => [era, kind] as const))

/** An official client of this era over this transport, and a command that runs until the test finishes it. */
async function connected(era: ClientEra, kind: (typeof kinds)[number]) {
  const holding = createHolding()
  if (kind === 'http') {
    const { port, front } = await openDoor({ commands: [holding.command] })
    return { ...(await connectHttp(port, era)), holding, front: front as TestFront }
  }
  const front = createFront({ commands: [holding.command] })
  const [near, far] = InMemoryTransport.createLinkedPair()
  const { crib, activity, onError, onToolCall } = front
  const connection = serveConnection({ crib, activity, onError, onToolCall, transport: far, kind: 'memory' })
  onTestFinished(() => connection.close())
  return { ...(await connectClient(near, era)), holding, front }
}

describe.each(matrix)('%s over %s', (era, kind) => {
  it('aborts the signal of a call when its client cancels it', async () => {
    const { call, holding, front } = await connected(era, kind)
    const giveUp = new AbortController()
    const pending = call('job-hold', { n: 1 }, { signal: giveUp.signal })
    const held = await holding.next()
    expect(held.context.signal.aborted).toBe(false)
    giveUp.abort('no longer wanted')
    await expect(pending).rejects.toThrow()
    await within(2_000, 'the signal aborts', held.aborted)
    await until('no call is in flight', () => front.activity.active === 0)
    expect(await call('text-echo', { still: 'here' })).toMatchObject({ data: { still: 'here' } })
  })

  it('aborts only the cancelled call', async () => {
    const { call, holding } = await connected(era, kind)
    const giveUp = new AbortController()
    const [first, second] = [call('job-hold', { n: 1 }, { signal: giveUp.signal }), call('job-hold', { n: 2 })]
    const held = [await holding.next(), await holding.next()].sort((a, b) => Number(a.input.n) - Number(b.input.n))
    giveUp.abort()
    await expect(first).rejects.toThrow()
    await within(2_000, 'the signal aborts', held[0]?.aborted ?? Promise.reject())
    expect(held[1]?.context.signal.aborted).toBe(false)
    held[1]?.finish(success('second'))
    expect((await second).data).toBe('second')
  })

  it('aborts the calls of a client when it closes', async () => {
    const { call, client, holding, front } = await connected(era, kind)
    const pending = call('job-hold')
    pending.catch(() => {})
    const held = await holding.next()
    await client.close()
    await within(2_000, 'the signal aborts', held.aborted)
    await until('no call is in flight', () => front.activity.active === 0)
  })

  it('does not abort a call that ended, not even when the client closes later', async () => {
    const { call, client, holding, front } = await connected(era, kind)
    const pending = call('job-hold')
    const held = await holding.next()
    held.finish(success('done'))
    expect((await pending).data).toBe('done')
    await call('text-echo')
    await client.close()
    await until('no call is in flight', () => front.activity.active === 0)
    expect(held.context.signal.aborted).toBe(false)
  })
})

describe('hanging up over HTTP', () => {
  it.each(eras)('aborts the call when the client hangs up before the response starts (%s)', async (era) => {
    const holding = createHolding()
    const { port, front } = await openDoor({ commands: [holding.command] })
    const session = await startSession(port)
    const pending = era === 'modern' ? begin(port, modern(toolCall('job-hold'))) : session.begin(toolCall('job-hold'))
    const held = await holding.next()
    pending.hangUp()
    await within(2_000, 'the signal aborts', held.aborted)
    await until('no call is in flight', () => front.activity.active === 0)
    expect(front.events).toMatchObject([{ tool: 'job-hold', success: false, errorCode: 'CANCELLED' }])
  })

  it.each(eras)('aborts the call when the client hangs up in the middle of the response (%s)', async (era) => {
    const holding = createHolding()
    const { port, front } = await openDoor({ commands: [holding.command] })
    const session = await startSession(port)
    const message = toolCall('job-hold', {}, 1, { progressToken: 'p' })
    const pending = era === 'modern' ? begin(port, modern(message)) : session.begin(message)
    const held = await holding.next()
    held.context.progress(1)
    await pending.find(({ method }) => method === 'notifications/progress')
    pending.hangUp()
    await within(2_000, 'the signal aborts', held.aborted)
    held.context.progress(2)
    held.finish(success('too late'))
    await until('no call is in flight', () => front.activity.active === 0)
    expect((await session.ask(toolCall('text-echo', { a: 1 }, 2))).status).toBe(200)
  })

  it('reports no error to the operator when a client hangs up', async () => {
    const holding = createHolding()
    const { port, front } = await openDoor({ commands: [holding.command] })
    for (const era of eras) {
      const session = await startSession(port)
      const pending = era === 'modern' ? begin(port, modern(toolCall('job-hold'))) : session.begin(toolCall('job-hold'))
      const held = await holding.next()
      pending.hangUp()
      await held.aborted
      await until('no call is in flight', () => front.activity.active === 0)
      await session.ask(toolCall('text-echo'))
    }
    expect(front.errors).toEqual([])
  })
})

describe('notifications/cancelled', () => {
  const cancelled = (requestId: unknown) => ({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId, reason: 'test' },
  })

  it('aborts the call when its own session cancels it, and ends the response', async () => {
    const holding = createHolding()
    const { port } = await openDoor({ commands: [holding.command], maxSessions: 1 })
    const session = await startSession(port)
    const pending = session.begin(toolCall('job-hold', {}, 'mine'))
    const held = await holding.next()
    expect((await session.ask(cancelled('mine'))).status).toBe(202)
    await within(2_000, 'the signal aborts', held.aborted)
    await within(2_000, 'the stream of the answer ends', pending.ended)
    // All streams are closed, so the session can be evicted.
    await startSession(port)
  })

  it('ignores a cancellation from another session, even with the same id', async () => {
    const holding = createHolding()
    const { port } = await openDoor({ commands: [holding.command] })
    const [mine, theirs] = [await startSession(port), await startSession(port)]
    const pending = mine.begin(toolCall('job-hold', {}, 'same'))
    const held = await holding.next()
    expect((await theirs.ask(cancelled('same'))).status).toBe(202)
    await theirs.ask(toolCall('text-echo'))
    expect(held.context.signal.aborted).toBe(false)
    held.finish(success('mine'))
    expect((await pending.find(({ id }) => id === 'same')).result?.structuredContent?.data).toBe('mine')
  })

  it('accepts and ignores a cancellation from a modern client, which cancels by hanging up', async () => {
    const holding = createHolding()
    const { port } = await openDoor({ commands: [holding.command] })
    const pending = begin(port, modern(toolCall('job-hold', {}, 'same')))
    const held = await holding.next()
    expect((await ask(port, modern(cancelled('same')))).status).toBe(202)
    expect(held.context.signal.aborted).toBe(false)
    held.finish(success('mine'))
    expect((await pending.find(({ id }) => id === 'same')).result?.structuredContent?.data).toBe('mine')
  })

  it.each(['unknown', 7, null, { deep: true }, undefined])('ignores a cancellation of %j', async (requestId) => {
    const { port } = await openDoor()
    const session = await startSession(port)
    await session.ask(cancelled(requestId))
    expect((await session.ask(toolCall('text-echo'))).messages.at(-1)?.result?.isError).toBeUndefined()
  })
})
