import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../storage/memory.ts'
import type { Store } from '../storage/store.ts'
import { openUsage } from './usage.ts'

const WEEK_MS = 7 * 24 * 60 * 60 * 1_000

describe('usage', () => {
  it('ranks the most called tools first, and equal ones by name', async () => {
    const usage = await openUsage({ store: createMemoryStore() })
    for (const id of ['b:x', 'a:y', 'b:x', 'c:z']) usage.note(id)
    expect(usage.top(10)).toEqual(['b:x', 'a:y', 'c:z'])
    expect(usage.top(1)).toEqual(['b:x'])
  })

  it('counts calls, and returns the same map until a count changes', async () => {
    const usage = await openUsage({ store: createMemoryStore() })
    expect(usage.counts()).toEqual(new Map())
    for (const id of ['b:x', 'a:y', 'b:x']) usage.note(id)
    const counts = usage.counts()
    expect(counts.get('b:x')).toBeCloseTo(2)
    expect(counts.get('a:y')).toBeCloseTo(1)
    expect(usage.counts()).toBe(counts)
    usage.note('a:y')
    expect(usage.counts().get('a:y')).toBeCloseTo(2)
    await usage.save()
    expect(usage.counts().get('a:y')).toBeCloseTo(2)
  })

  it('keeps counts for the next process, and older calls count less', async () => {
    const store = createMemoryStore()
    let time = 0
    const first = await openUsage({ store, now: () => time })
    for (const id of ['old', 'old', 'old']) first.note(id)
    await first[Symbol.asyncDispose]()
    time = 4 * WEEK_MS
    const second = await openUsage({ store, now: () => time })
    expect(second.top(1)).toEqual(['old'])
    second.note('new')
    expect(second.top(2)).toEqual(['new', 'old'])
  })

  it('adds up the counts of two processes that save to the same store in turn', async () => {
    const store = createMemoryStore()
    const [one, other] = [await openUsage({ store }), await openUsage({ store })]
    one.note('a')
    other.note('b')
    other.note('b')
    await one.save()
    await other.save()
    one.note('a')
    one.note('a')
    await one.save()
    const counts = (await openUsage({ store })).counts()
    expect(counts.get('a')).toBeCloseTo(3)
    expect(counts.get('b')).toBeCloseTo(2)
  })

  it.each(['with', 'without'])('keeps counts that a store %s an atomic update could not save', async (kind) => {
    const { update, ...plain } = createMemoryStore()
    let isFull = true
    const write = (work: () => Promise<void> | undefined) => (isFull ? Promise.reject(new Error('full')) : work())
    const store: Store = {
      ...plain,
      set: async (...args) => write(() => plain.set(...args)),
      ...(kind === 'without' ? {} : { update: async (...args) => write(() => update?.(...args)) }),
    }
    const problems: unknown[] = []
    const usage = await openUsage({ store, onProblem: (error) => problems.push(error) })
    usage.note('a')
    await usage.save()
    expect(problems).toHaveLength(1)
    isFull = false
    usage.note('a')
    await usage.save()
    expect((await openUsage({ store })).counts().get('a')).toBeCloseTo(2)
  })

  it('keeps the stored counts if they cannot be read, in a store without an atomic update', async () => {
    const { update: _update, ...plain } = createMemoryStore()
    let isUnreadable = false
    // As in the file store: an entry that cannot be read counts as missing, unless the read is strict.
    const get: Store['get'] = async (key, { isStrict = false } = {}) => {
      if (isUnreadable && isStrict) throw new Error('unreadable')
      return isUnreadable ? undefined : plain.get(key)
    }
    const store: Store = { ...plain, get }
    const first = await openUsage({ store })
    for (const id of ['a', 'a']) first.note(id)
    await first.save()
    isUnreadable = true
    const problems: unknown[] = []
    const second = await openUsage({ store, onProblem: (error) => problems.push(error) })
    second.note('b')
    await second.save()
    expect(problems).toEqual([new Error('unreadable')])
    isUnreadable = false
    await second.save()
    const counts = (await openUsage({ store })).counts()
    expect(counts.get('a')).toBeCloseTo(2)
    expect(counts.get('b')).toBeCloseTo(1)
  })

  it('ignores invalid stored counts, and keeps at most maxTools', async () => {
    const store = createMemoryStore()
    await store.set('usage', { a: 'many', b: { count: -1, at: 0 }, c: { count: 2, at: 0 } })
    const usage = await openUsage({ store, now: () => 0, maxTools: 1 })
    expect(usage.top(5)).toEqual(['c'])
    usage.note('d')
    await usage.save()
    expect(usage.top(5)).toEqual(['c'])
  })
})
