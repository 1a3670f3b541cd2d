import { expect, it } from 'vitest'
import { createMemoryStore } from './memory.ts'
import { collect, storeContract } from './store.contract.ts'

storeContract('memory', () => {
  let time = 0
  return {
    store: createMemoryStore({ now: () => time }),
    advance: (ms) => {
      time += ms
    },
  }
})

it('a memory store drops the oldest entry when it is full', async () => {
  const store = createMemoryStore({ maxEntries: 2 })
  await store.set('a', 1)
  await store.set('b', 2)
  await store.set('a', 3)
  await store.set('c', 4)
  expect(await collect(store.keys(''))).toEqual(['a', 'c'])
})
