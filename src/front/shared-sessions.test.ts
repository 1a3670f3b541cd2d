import { afterEach, describe, expect, it, vi } from 'vitest'
import { withResolvers } from '../core/waiting.ts'
import { createMemoryStore } from '../storage/memory.ts'
import type { Store } from '../storage/store.ts'
import { shareSessions } from './shared-sessions.ts'

const record = { principal: 'anna', rights: '', initialize: {} }
const TTL_MS = 60_000

/** A store in Redis notices a lost connection. It may not notice that a server accepts connections and does not answer. */
type Failure = 'out of reach' | 'no answer'

/**
 * The connection of one gateway to the store. Like a store in Redis, it keeps writes while it is cut, answers `get` from
 * the last known state, and reports possibly missed changes with the prefix as key.
 */
function connectTo(store: Store) {
  const listeners: { prefix: string; listener(key: string): void }[] = []
  const known = new Map<string, unknown>()
  let held: (() => Promise<void>)[] = []
  let isCut = false
  let failure: Failure | undefined
  let readCount = 0
  const connection: Store = {
    ...store,
    isDegraded: () => failure === 'out of reach',
    async get(key) {
      readCount++
      if (failure !== undefined) return known.get(key)
      const value = await store.get(key)
      known.set(key, value)
      return value
    },
    async update(key, change) {
      if (failure === 'no answer') throw new Error(failure)
      change(await connection.get(key))
    },
    async set(...args) {
      known.set(args[0], args[1])
      if (failure !== undefined) held.push(() => store.set(...args))
      else await store.set(...args)
    },
    watch(prefix, listener) {
      listeners.push({ prefix, listener })
      return store.watch?.(prefix, (key) => isCut || listener(key)) ?? (() => {})
    },
  }
  return {
    connection,
    readCount: () => readCount,
    heldCount: () => held.length,
    cut(reason: Failure) {
      isCut = true
      failure = reason
    },
    /** Changes are reported again, but commands do not work yet: Redis has two connections per gateway. */
    reportAgain() {
      isCut = false
      for (const { prefix, listener } of listeners) listener(prefix)
    },
    async writeAgain() {
      failure = undefined
      for (const write of held) await write()
      held = []
    },
  }
}

function shareAs(store: Store) {
  const ended: string[] = []
  const events = { isOpen: () => true, onMessage: () => {}, onEnd: (id: string) => void ended.push(id) }
  return { ...shareSessions(store, TTL_MS, events), ended }
}

async function savedCount(store: Store): Promise<number> {
  let count = 0
  for await (const _ of store.keys('session/')) count++
  return count
}

/** Two gateways that have the session `s1`. The first one has lost the store. */
async function openCutOff(failure: Failure = 'out of reach') {
  const store = createMemoryStore()
  const link = connectTo(store)
  const first = shareAs(link.connection)
  const second = shareAs(store)
  await first.begin('s1', record)
  second.keep('s1', record)
  link.cut(failure)
  return { store, link, first, second }
}

afterEach(() => void vi.useRealTimers())

describe('shared sessions', () => {
  it('a gateway that missed the end of a session ends it too, and saves only sessions that are still open', async () => {
    const store = createMemoryStore()
    const link = connectTo(store)
    const late = shareAs(link.connection)
    const other = shareAs(store)
    for (const id of ['closed', 'open']) await late.begin(id, record)
    link.cut('out of reach')
    await other.end('closed')
    await link.writeAgain()
    link.reportAgain()
    await expect.poll(() => late.ended).toEqual(['closed'])
    expect(await other.find('closed', 'anna', '')).toBeUndefined()
    expect(await other.find('open', 'anna', '')).toEqual(record)
  })

  it('a record that one gateway saves while another ends the session does not bring the session back', async () => {
    const store = createMemoryStore()
    const slow = withResolvers()
    const first = shareAs({
      ...store,
      // Changes are not reported to this gateway, so it finds out by itself.
      watch: () => () => {},
      async set(key, ...rest) {
        if (key.startsWith('session/')) await slow.promise
        await store.set(key, ...rest)
      },
    })
    const second = shareAs(store)
    const saved = first.save('s1', { ...record, level: 'error' })
    await second.end('s1')
    slow.resolve()
    await saved
    expect(first.ended).toEqual(['s1'])
    expect(await second.find('s1', 'anna', '')).toBeUndefined()
    expect(await savedCount(store)).toBe(0)
  })

  it('a record that reaches the store after the end of its session is not found, and is deleted', async () => {
    const { store, link, first, second } = await openCutOff()
    await first.save('s1', { ...record, level: 'error' })
    await second.end('s1')
    await link.writeAgain()
    expect(await savedCount(store)).toBe(1)
    expect(await second.find('s1', 'anna', '')).toBeUndefined()
    await expect.poll(() => savedCount(store)).toBe(0)
  })

  it.each(['out of reach', 'no answer'] as const)(
    'a gateway that cannot read whether a session has ended (%s) does not save it, and ends it later',
    async (failure) => {
      vi.useFakeTimers()
      const { store, link, first, second } = await openCutOff(failure)
      await second.end('s1')
      link.reportAgain()
      await vi.advanceTimersByTimeAsync(2_500)
      expect(link.heldCount()).toBe(0)
      expect(first.ended).toEqual([])
      await link.writeAgain()
      await vi.advanceTimersByTimeAsync(1_000)
      expect(first.ended).toEqual(['s1'])
      expect(await savedCount(store)).toBe(0)
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  it('a gateway asks a store that stays out of reach a few times only, and then again when the session is used', async () => {
    vi.useFakeTimers()
    const { link, first, second } = await openCutOff()
    await second.end('s1')
    link.reportAgain()
    await vi.advanceTimersByTimeAsync(TTL_MS / 4)
    const readCount = link.readCount()
    await vi.advanceTimersByTimeAsync(TTL_MS / 4)
    expect(link.readCount()).toBe(readCount)
    expect(vi.getTimerCount()).toBe(0)
    await link.writeAgain()
    first.renew('s1')
    await vi.advanceTimersByTimeAsync(0)
    expect(first.ended).toEqual(['s1'])
  })

  it('a session that is used during an outage is not saved if it has ended at another gateway', async () => {
    vi.useFakeTimers()
    const { store, link, first, second } = await openCutOff()
    await second.end('s1')
    await vi.advanceTimersByTimeAsync(TTL_MS / 2)
    first.renew('s1')
    await vi.advanceTimersByTimeAsync(0)
    await link.writeAgain()
    expect(await savedCount(store)).toBe(0)
  })

  it('a record that is saved between the two steps of the end of its session is deleted', async () => {
    const store = createMemoryStore()
    const first = shareAs(store)
    const second = shareAs({
      ...store,
      async delete(key) {
        await store.delete(key)
        await first.save('s1', record)
      },
    })
    await second.end('s1')
    expect(await savedCount(store)).toBe(0)
  })

  it('a record is saved again with the newest log level, and not if the session ends here at that moment', async () => {
    const store = createMemoryStore()
    const link = connectTo(store)
    const gateway = shareAs(link.connection)
    for (const id of ['s1', 's2']) await gateway.begin(id, record)
    link.reportAgain()
    gateway.change('s1', (before) => ({ ...before, level: 'error' }))
    const ended = gateway.end('s2')
    await expect.poll(() => gateway.find('s1', 'anna', '')).toMatchObject({ level: 'error' })
    await ended
    expect(await savedCount(store)).toBe(1)
  })

  it('an unknown session costs one read, a session to resume two, and a use of a session that was just saved none', async () => {
    const link = connectTo(createMemoryStore())
    const gateway = shareAs(link.connection)
    await gateway.begin('s1', record)
    gateway.renew('s1')
    expect(link.readCount()).toBe(0)
    await gateway.find('s2', 'anna', '')
    expect(link.readCount()).toBe(1)
    await gateway.find('s1', 'anna', '')
    expect(link.readCount()).toBe(3)
  })
})
