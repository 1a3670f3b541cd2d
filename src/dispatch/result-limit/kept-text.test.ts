import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../storage/memory.ts'
import { deleteText, openText, textInMemory, writeText } from './kept-text.ts'

const layout = { ends: [10, 20], isJson: true }
// The page boundary is in the middle of a surrogate pair.
const long = `x${'😀'.repeat(1_300_000)}`

async function keysOf(store: ReturnType<typeof createMemoryStore>): Promise<string[]> {
  const keys: string[] = []
  for await (const key of store.keys('')) keys.push(key)
  return keys
}

describe('a text in a store', () => {
  it('a kept text gives the same slices from the store as from memory', async () => {
    await using store = createMemoryStore()
    const inMemory = textInMemory('me', long, layout)
    await writeText(store, 'id', inMemory, 60_000)
    const stored = await openText(store, 'id')
    expect(stored).toMatchObject({ owner: 'me', layout, length: long.length })
    const positions = [0, 1, 1_048_575, 1_048_576, 1_048_577, 2_097_151, 2_097_153, long.length - 1, long.length]
    for (const from of positions)
      for (const to of positions)
        if (from <= to) expect((await stored?.slice(from, to)) === (await inMemory.slice(from, to))).toBe(true)
  })

  it('a deleted text leaves nothing in the store', async () => {
    await using store = createMemoryStore()
    await writeText(store, 'id', textInMemory('me', long, layout), 60_000)
    expect(await keysOf(store)).toHaveLength(4)
    await deleteText(store, 'id', long.length)
    expect(await keysOf(store)).toEqual([])
  })

  it('a text cannot be opened without a valid head, and cannot be read across a missing page', async () => {
    await using store = createMemoryStore()
    expect(await openText(store, 'id')).toBeUndefined()
    await store.set('result/id', { owner: 'me', length: 'long' })
    expect(await openText(store, 'id')).toBeUndefined()
    await writeText(store, 'id', textInMemory('me', long, layout), 60_000)
    await store.delete('result/id/1')
    const stored = await openText(store, 'id')
    expect(await stored?.slice(0, 10)).toBe(long.slice(0, 10))
    expect(await stored?.slice(0, long.length)).toBeUndefined()
  })
})
