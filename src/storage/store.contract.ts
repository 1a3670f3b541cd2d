// What every store must do, whatever it keeps its entries in.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from './store.ts'

export interface StoreUnderTest {
  readonly store: Store
  /** Moves the store's clock. */
  advance(ms: number): Promise<void> | void
}

export function storeContract(name: string, create: () => Promise<StoreUnderTest> | StoreUnderTest): void {
  describe(`${name} keeps the store contract`, () => {
    let subject: StoreUnderTest
    beforeEach(async () => {
      subject = await create()
    })
    afterEach(async () => {
      await subject.store[Symbol.asyncDispose]()
    })

    it('gives back what was set, and undefined for what never was', async () => {
      await subject.store.set('a', { list: [1, 'two', null] })
      expect(await subject.store.get('a')).toEqual({ list: [1, 'two', null] })
      expect(await subject.store.get('b')).toBeUndefined()
    })

    it('keeps its own copy of what was set', async () => {
      const value = { count: 1 }
      await subject.store.set('a', value)
      value.count = 2
      expect(await subject.store.get('a')).toEqual({ count: 1 })
    })

    it('forgets what was deleted, and deleting twice does no harm', async () => {
      await subject.store.set('a', 1)
      await subject.store.delete('a')
      await subject.store.delete('a')
      expect(await subject.store.get('a')).toBeUndefined()
    })

    it('forgets an entry when its time is up, in get and in keys', async () => {
      await subject.store.set('a', 1, { ttlMs: 1_000 })
      await subject.store.set('b', 2)
      await subject.advance(1_001)
      expect(await subject.store.get('a')).toBeUndefined()
      expect(await collect(subject.store.keys(''))).toEqual(['b'])
    })

    it('lists the keys of a prefix, and no others', async () => {
      for (const key of ['context/1', 'context/2', 'contexts', 'usage/1']) await subject.store.set(key, true)
      expect((await collect(subject.store.keys('context/'))).sort()).toEqual(['context/1', 'context/2'])
    })

    it('takes any text as a key', async () => {
      for (const key of ['__proto__', 'a/../b', 'ключ', 'x'.repeat(500), ' ']) {
        await subject.store.set(key, key)
        expect(await subject.store.get(key)).toBe(key)
      }
    })

    it('is disposed twice without harm', async () => {
      await subject.store[Symbol.asyncDispose]()
      await subject.store[Symbol.asyncDispose]()
    })
  })
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
