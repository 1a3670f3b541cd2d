// The behaviour that every store must have, independent of where it keeps its entries.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from './store.ts'

/** A store for one test of `storeContract`. */
export interface StoreUnderTest {
  /** An empty store. The suite closes it after each test. */
  readonly store: Store
  /** Moves the clock of the store forward. */
  advance(ms: number): Promise<void> | void
  /** Opens the same entries as another process would. Absent for a store that processes do not share. */
  reopen?(): Promise<Store> | Store
  /**
   * Makes all changes of the entries fail until the returned function is called. Absent for a store that does not keep
   * changes in memory meanwhile.
   */
  startOutage?(): Promise<() => Promise<void>>
}

/** A change of another process must be reported within this time. */
const OTHERS_WITHIN_MS = 500

/**
 * Defines the tests that every store must pass. `create` is called for each test, and returns an empty store.
 *
 * @example
 * ```ts
 * storeContract('memory', () => {
 *   let time = 0
 *   return { store: createMemoryStore({ now: () => time }), advance: (ms) => void (time += ms) }
 * })
 * ```
 */
export function storeContract(name: string, create: () => Promise<StoreUnderTest> | StoreUnderTest): void {
  describe(`${name} fulfils the store contract`, () => {
    let subject: StoreUnderTest
    beforeEach(async () => {
      subject = await create()
    })
    afterEach(async () => {
      await subject.store[Symbol.asyncDispose]()
    })

    it('returns the value that was set, and undefined for an unknown key', async () => {
      await subject.store.set('a', { list: [1, 'two', null] })
      expect(await subject.store.get('a')).toEqual({ list: [1, 'two', null] })
      expect(await subject.store.get('b')).toBeUndefined()
    })

    it('keeps its own copy of a value that was set, and returns another copy', async () => {
      const value = { count: 1 }
      await subject.store.set('a', value)
      value.count = 2
      const returned = await subject.store.get('a')
      expect(returned).toEqual({ count: 1 })
      Object.assign(returned ?? {}, { count: 3 })
      expect(await subject.store.get('a')).toEqual({ count: 1 })
    })

    it('forgets a deleted key, even if it is deleted twice', async () => {
      await subject.store.set('a', 1)
      await subject.store.delete('a')
      await subject.store.delete('a')
      expect(await subject.store.get('a')).toBeUndefined()
    })

    it('forgets an expired entry, in get and in keys', async () => {
      await subject.store.set('a', 1, { ttlMs: 1_000 })
      await subject.store.set('b', 2)
      await subject.advance(1_001)
      expect(await subject.store.get('a')).toBeUndefined()
      expect(await collect(subject.store.keys(''))).toEqual(['b'])
    })

    it('lists exactly the keys with a prefix', async () => {
      for (const key of ['context/1', 'context/2', 'contexts', 'usage/1']) await subject.store.set(key, true)
      expect((await collect(subject.store.keys('context/'))).sort()).toEqual(['context/1', 'context/2'])
    })

    it('accepts any text as a key', async () => {
      for (const key of ['__proto__', 'a/../b', 'ключ', 'x'.repeat(500), ' ']) {
        await subject.store.set(key, key)
        expect(await subject.store.get(key)).toBe(key)
      }
    })

    it('keeps one of the values when several writers set a key at the same time', async () => {
      const values = Array.from({ length: 20 }, (_, n) => ({ n, text: 'x'.repeat(1_000 * n) }))
      const other = (await subject.reopen?.()) ?? subject.store
      await Promise.all(values.map((value, n) => (n % 2 === 0 ? other : subject.store).set('a', value)))
      expect(values).toContainEqual(await subject.store.get('a'))
      expect(await other.get('a')).toEqual(await subject.store.get('a'))
      expect(await collect(subject.store.keys(''))).toEqual(['a'])
      if (other !== subject.store) await other[Symbol.asyncDispose]()
    })

    it('reports each key with the watched prefix that is set or deleted, until the watch ends', async ({ skip }) => {
      const { store } = subject
      if (store.watch === undefined) return skip('this store cannot be watched')
      await store.set('token/old', 1)
      const told: string[] = []
      const all: string[] = []
      const unwatch = store.watch('token/', (key) => told.push(key))
      store.watch('', (key) => all.push(key))
      await store.set('token/a', 1)
      await store.set('tokens', 1)
      await store.delete('token/old')
      // The prefix itself means that changes may have been missed.
      await expect.poll(() => distinct(told, 'token/')).toEqual(['token/a', 'token/old'])
      await expect.poll(() => distinct(all, '')).toEqual(['token/a', 'token/old', 'tokens'])
      unwatch()
      unwatch()
      const before = told.length
      await store.set('token/b', 1)
      await expect.poll(() => all).toContain('token/b')
      expect(told).toHaveLength(before)
    })

    it('lets a listener read the new value', async ({ skip }) => {
      const { store } = subject
      if (store.watch === undefined) return skip('this store cannot be watched')
      const read: unknown[] = []
      store.watch('a', (key) => void store.get(key).then((value) => read.push(value)))
      await store.set('a', 1)
      await expect.poll(() => read).toContain(1)
    })

    it('soon reports the keys that another process sets, replaces or deletes', async ({ skip }) => {
      if (subject.reopen === undefined || subject.store.watch === undefined) return skip('not shared, or not watched')
      const other = await subject.reopen()
      await other.set('a/1', 1)
      const told: string[] = []
      subject.store.watch('a/', (key) => told.push(key))
      const changes = [
        () => other.set('a/2', 1),
        () => other.set('a/1', 2),
        () => other.set('a/1', 3),
        () => other.delete('a/2'),
      ]
      for (const [n, change] of changes.entries()) {
        told.length = 0
        await change()
        const key = n === 0 || n === 3 ? 'a/2' : 'a/1'
        const isTold = () => told.includes(key) || told.includes('a/')
        await expect.poll(isTold, { timeout: OTHERS_WITHIN_MS, interval: 10 }).toBe(true)
      }
      await other.set('b/1', 1)
      await other[Symbol.asyncDispose]()
      expect(told.filter((key) => !key.startsWith('a/'))).toEqual([])
    })

    it('keeps the changes made during an outage, and does not return an older value when one expires', async ({
      skip,
    }) => {
      const { store, startOutage, reopen } = subject
      if (startOutage === undefined) return skip('this store does not keep changes during an outage')
      for (const key of ['during', 'after', 'deleted', 'kept']) await store.set(key, 'old')
      const end = await startOutage()
      await store.set('after', 'new', { ttlMs: 3_000 })
      await store.set('during', 'new', { ttlMs: 100 })
      await store.delete('deleted')
      await store.set('kept', 'new')
      expect(await store.get('after')).toBe('new')
      const read = () => Promise.all(['during', 'deleted', 'kept'].map((key) => store.get(key)))
      await subject.advance(101)
      expect(await read()).toEqual([undefined, undefined, 'new'])
      expect((await collect(store.keys(''))).sort()).toEqual(['after', 'kept'])
      await end()
      expect(await read()).toEqual([undefined, undefined, 'new'])
      await subject.advance(3_000)
      expect([await store.get('after'), ...(await read())]).toEqual([undefined, undefined, undefined, 'new'])
      expect(await collect(store.keys(''))).toEqual(['kept'])
      const other = await reopen?.()
      await expect.poll(async () => other && collect(other.keys(''))).toEqual(other && ['kept'])
      await other?.[Symbol.asyncDispose]()
    })

    it('can be closed twice', async () => {
      await subject.store[Symbol.asyncDispose]()
      await subject.store[Symbol.asyncDispose]()
    })
  })
}

function distinct(told: readonly string[], prefix: string): readonly string[] {
  return [...new Set(told)].filter((key) => key !== prefix).sort()
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
