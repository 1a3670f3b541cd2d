import type { ServerContext } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { withResolvers } from '../core/waiting.ts'
import { fixture } from '../sources/upstream/upstream.fixture.ts'
import { accepting, connectAnsweringClient, doors, openTo, wrapFor } from './answering-client.fixture.ts'
import { Outbox } from './client-channel.ts'
import { eras } from './sdk-client.fixture.ts'

function outbox(onError: (error: Error) => void = () => {}) {
  const context = { mcpReq: { signal: new AbortController().signal } } as ServerContext // the only field that is used
  return new Outbox(context, onError)
}

/** A message that counts as sent when `letGo` is called. */
function held() {
  const { promise: sent, resolve: letGo } = withResolvers()
  return { sent, letGo }
}

describe('an outbox', () => {
  it('passes messages to the transport without waiting until earlier ones are written', () => {
    const box = outbox()
    const order: number[] = []
    for (const number of [1, 2, 3]) {
      box.send(() => {
        order.push(number)
        return held().sent
      })
    }
    expect(order).toEqual([1, 2, 3])
  })

  it('flush resolves when all messages are sent, and the outbox accepts no more messages', async () => {
    const errors: Error[] = []
    const box = outbox((error) => void errors.push(error))
    const first = held()
    const order: string[] = []
    box.send(() => first.sent)
    const soFar = box.sent().then(() => order.push('so far'))
    box.send(() => Promise.reject(new Error('broken')))
    const flushed = box.flush()?.then(() => order.push('flushed'))
    box.send(() =>
      Promise.resolve()
        .then(() => order.push('too late'))
        .then(() => {}),
    )
    await new Promise((resolve) => setImmediate(resolve))
    expect(order).not.toContain('flushed')
    first.letGo()
    await Promise.all([soFar, flushed])
    expect(order).toEqual(['so far', 'flushed'])
    expect(errors).toMatchObject([{ message: 'broken' }])
  })
})

describe.each(eras.flatMap((era) => doors.map((door) => [era, door] as const)))('a %s client over %s', (era, door) => {
  it('sends thousands of messages in order before the result', async () => {
    const { front, problems } = await wrapFor(fixture('misbehaves'))
    const { call, heard } = await connectAnsweringClient((await openTo({ front }, door))(), era, accepting())
    expect(await call('floods')).toBe('done')
    expect(heard).toEqual(Array.from({ length: 5_000 }, (_, index) => `progress ${index + 1}`))
    expect(problems).toEqual([])
  }, 60_000)
})
