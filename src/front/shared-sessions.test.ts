import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../storage/memory.ts'
import type { Store } from '../storage/store.ts'
import { shareSessions } from './shared-sessions.ts'

const record = { principal: 'anna', rights: '', initialize: {} }

describe('shared sessions', () => {
  it('a gateway that missed the end of a session ends it too, and saves only sessions that are still open', async () => {
    const store = createMemoryStore()
    const ended: string[] = []
    let tellMissed = (_key: string) => {}
    // Changes do not reach this gateway, as if it had lost its connection to the store.
    const cutOff: Store = {
      ...store,
      watch: (prefix, onChange) => {
        if (prefix === 'ended/') tellMissed = onChange
        return () => {}
      },
    }
    const events = { isOpen: () => true, onMessage: () => {}, onEnd: (id: string) => void ended.push(id) }
    const late = shareSessions(cutOff, 60_000, events)
    const other = shareSessions(store, 60_000, { ...events, onEnd: () => {} })
    for (const id of ['closed', 'open']) await late.save(id, record)
    await other.end('closed')
    tellMissed('ended/')
    await expect.poll(() => ended).toEqual(['closed'])
    expect(await other.find('closed', 'anna', '')).toBeUndefined()
    expect(await other.find('open', 'anna', '')).toEqual(record)
  })
})
