import { rm, truncate } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeTempDir } from './child.fixture.ts'
import { entryValue } from './entry-file.ts'
import { createFileStore, fileStore } from './file.ts'
import { stampOf } from './file-stamp.ts'

describe('the file of an entry in the file store', () => {
  let dir: string
  const addressOf = (key: string) => fileStore.addressOf?.({ part: 'state', dir }, key) ?? ''
  beforeEach(async () => {
    dir = await makeTempDir()
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  it('the stamp of the file changes with each set and delete of its entry, and not with other operations', async () => {
    await using store = createFileStore({ dir })
    const address = addressOf('a')
    const stamps = [stampOf(address)]
    for (const value of [1, 2, 2]) {
      await store.set('a', value)
      stamps.push(stampOf(address))
    }
    await store.set('b', 1)
    await store.get('a')
    expect(stampOf(address)).toBe(stamps.at(-1))
    expect(new Set(stamps).size).toBe(stamps.length)
    await store.delete('a')
    expect(stampOf(address)).toBe(stamps[0])
  })

  it('entryValue returns the stored value, and undefined for a missing, expired or damaged entry', async () => {
    await using store = createFileStore({ dir })
    expect(await entryValue(addressOf('a'))).toBeUndefined()
    await store.set('a', { list: [1] })
    expect(await entryValue(addressOf('a'))).toEqual({ list: [1] })
    await store.set('a', 1, { ttlMs: 1_000 })
    expect(await entryValue(addressOf('a'))).toBe(1)
    expect(await entryValue(addressOf('a'), Date.now() + 2_000)).toBeUndefined()
    await truncate(addressOf('a'), 3)
    expect(await entryValue(addressOf('a'))).toBeUndefined()
  })
})
