// The behaviour that every store must have, independent of where it keeps its entries.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from './store.ts'

export interface StoreUnderTest {
  readonly store: Store
  /** Moves the clock of the store forward. */
  advance(ms: number): Promise<void> | void
}

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

    it('keeps its own copy of a value', async () => {
      const value = { count: 1 }
      await subject.store.set('a', value)
      value.count = 2
      expect(await subject.store.get('a')).toEqual({ count: 1 })
    })

    it('forgets a deleted key, also when it is deleted twice', async () => {
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

    it('can be disposed twice', async () => {
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
