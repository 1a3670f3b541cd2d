import { describe, expect, it } from 'vitest'
import { createEventStore } from './session-streams.ts'

const message = (text: string) => ({ jsonrpc: '2.0', method: 'notifications/message', params: { text } }) as const

async function replayed(store: ReturnType<typeof createEventStore>, after: string) {
  const sent: unknown[] = []
  const streamId = await store.replayEventsAfter(after, { send: async (id, event) => void sent.push([id, event]) })
  return { streamId, sent }
}

describe('replay', () => {
  it('replays the later events of the same stream, in order', async () => {
    const store = createEventStore()
    const first = await store.storeEvent('a', message('1'))
    await store.storeEvent('b', message('other'))
    const third = await store.storeEvent('a', message('2'))
    const fourth = await store.storeEvent('a', message('3'))
    expect(await replayed(store, first)).toEqual({
      streamId: 'a',
      sent: [
        [third, message('2')],
        [fourth, message('3')],
      ],
    })
    expect((await replayed(store, fourth)).sent).toEqual([])
  })

  it('replays the events after the event that only opened the stream', async () => {
    const store = createEventStore()
    const opened = await store.storeEvent('a', {} as never) // the SDK's transport opens a stream like this
    const id = await store.storeEvent('a', message('1'))
    expect((await replayed(store, opened)).sent).toEqual([[id, message('1')]])
  })

  it.each(['', '0', '99', 'nonsense', '__proto__', '1.0'])(
    'refuses to replay after the unknown event %j',
    async (id) => {
      const store = createEventStore()
      await store.storeEvent('a', message('1'))
      expect(await store.getStreamIdForEventId?.(id)).toBeUndefined()
      await expect(replayed(store, id)).rejects.toThrow('unknown or no longer kept')
    },
  )
})

describe('the limits of the store', () => {
  it('keeps at most maxEvents events and drops the oldest first', async () => {
    const store = createEventStore({ maxEvents: 3 })
    const ids: string[] = []
    for (const text of ['1', '2', '3', '4', '5']) ids.push(await store.storeEvent('a', message(text)))
    const known = await Promise.all(ids.map((id) => store.getStreamIdForEventId?.(id)))
    expect(known).toEqual([undefined, undefined, 'a', 'a', 'a'])
  })

  it('keeps at most maxBytes, but always the newest event', async () => {
    const store = createEventStore({ maxBytes: 1_000 })
    const small = await store.storeEvent('a', message('small'))
    const large = await store.storeEvent('a', message('x'.repeat(5_000)))
    expect(await store.getStreamIdForEventId?.(small)).toBeUndefined()
    expect(await store.getStreamIdForEventId?.(large)).toBe('a')
    const after = await store.storeEvent('a', message('small'))
    expect(await store.getStreamIdForEventId?.(large)).toBeUndefined()
    expect(await store.getStreamIdForEventId?.(after)).toBe('a')
  })
})
