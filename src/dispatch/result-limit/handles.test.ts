import { rm } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withResolvers } from '../../core/waiting.ts'
import { makeTempDir } from '../../storage/child.fixture.ts'
import { createFileStore } from '../../storage/file.ts'
import { createMemoryStore } from '../../storage/memory.ts'
import type { Store } from '../../storage/store.ts'
import {
  createHandles,
  deleteText,
  type Handles,
  type HandlesOptions,
  openText,
  textInMemory,
  writeText,
} from './handles.ts'

const layout = { ends: [], isJson: false }
let clock = 0
let store: Store
beforeEach(() => {
  clock = 1_000_000
  store = createMemoryStore({ now: () => clock })
})

function open(options: Partial<HandlesOptions> = {}) {
  const limits = { maxHandles: 10, maxHandleBytes: 1_000, memoryBytes: 500, ttlMs: 60_000 }
  return createHandles({ store, ...limits, now: () => clock, ...options })
}

async function textOf(handles: Handles, handle: string | undefined, owner = 'me'): Promise<string | undefined> {
  const kept = await handles.open(handle ?? '', owner)
  return kept?.slice(0, kept.length)
}

async function storedKeys(): Promise<string[]> {
  const keys: string[] = []
  for await (const key of store.keys('')) keys.push(key)
  return keys
}

describe('a handle', () => {
  it('a handle has 128 random bits and returns the text to its owner', async () => {
    const handles = open()
    const handle = await handles.keep('text', layout, 'me')
    expect(handle).toMatch(/^[\w-]{22}$/)
    expect(await handles.keep('text', layout, 'me')).not.toBe(handle)
    expect(await textOf(handles, handle)).toBe('text')
  })

  it('a kept text is returned to no other owner, neither from memory nor from the store', async () => {
    for (const memoryBytes of [0, 500]) {
      const handles = open({ memoryBytes })
      const handle = await handles.keep('text', layout, 'me')
      expect(await textOf(handles, handle, 'you')).toBeUndefined()
      expect(await textOf(handles, handle, '')).toBeUndefined()
      expect(await textOf(handles, handle)).toBe('text')
    }
  })

  it('a handle expires in memory and in the store', async () => {
    for (const memoryBytes of [0, 500]) {
      const handles = open({ memoryBytes })
      const handle = await handles.keep('text', layout, 'me')
      clock += 59_999
      expect(await textOf(handles, handle)).toBe('text')
      clock += 1
      expect(await textOf(handles, handle)).toBeUndefined()
    }
  })

  it.each([
    ['an empty text', ''],
    ['a word', 'nope'],
    ['a path', '../../etc/passwd'],
    ['a text of a million characters', 'x'.repeat(1_000_000)],
    ['a control character', '\u0000'],
  ])('returns nothing for a handle that was never issued: %s', async (_what, handle) => {
    expect(await textOf(open(), handle)).toBeUndefined()
  })

  it('does not store the owner in clear text', async () => {
    await open({ memoryBytes: 0 }).keep('text', layout, 'session-id-of-alice')
    for (const key of await storedKeys()) expect(JSON.stringify(await store.get(key))).not.toContain('alice')
  })
})

describe('createHandles', () => {
  it('drops the oldest text when there are more than maxHandles', async () => {
    const handles = open({ maxHandles: 2 })
    const [a, b, c] = [
      await handles.keep('a', layout, 'me'),
      await handles.keep('b', layout, 'me'),
      await handles.keep('c', layout, 'me'),
    ]
    expect(await Promise.all([a, b, c].map((handle) => textOf(handles, handle)))).toEqual([undefined, 'b', 'c'])
  })

  it('limits the bytes in memory and in the store together', async () => {
    const handles = open()
    const kept = []
    for (let n = 0; n < 5; n++) kept.push(await handles.keep(`${n}`.repeat(300), layout, 'me'))
    const there = await Promise.all(kept.map(async (handle) => (await textOf(handles, handle))?.[0]))
    expect(there).toEqual([undefined, undefined, '2', '3', '4'])
    // Two of the three are in the store, with a head and a page each. The evicted ones are deleted.
    expect(await storedKeys()).toHaveLength(4)
  })

  it('keeps the limit when many texts are added at once', async () => {
    const handles = open({ maxHandles: 3 })
    const kept = await Promise.all(Array.from({ length: 20 }, (_, n) => handles.keep(`${n}`, layout, 'me')))
    const there = await Promise.all(kept.map((handle) => textOf(handles, handle)))
    expect(there.filter((text) => text !== undefined)).toEqual(['17', '18', '19'])
  })

  it('keeps a new text in memory and moves the oldest texts to the store', async () => {
    const handles = open()
    const first = await handles.keep('a'.repeat(300), layout, 'me')
    expect(await storedKeys()).toEqual([])
    const second = await handles.keep('b'.repeat(300), layout, 'me')
    expect(await storedKeys()).toEqual([`result/${first}/0`, `result/${first}`])
    expect(await textOf(handles, first)).toBe('a'.repeat(300))
    expect(await textOf(handles, second)).toBe('b'.repeat(300))
  })

  it('does not keep a text that exceeds the total limit by itself', async () => {
    const handles = open()
    const small = await handles.keep('small', layout, 'me')
    expect(await handles.keep('é'.repeat(501), layout, 'me')).toBeUndefined()
    expect(await textOf(handles, small)).toBe('small')
  })

  it('removes expired texts when a new text is kept', async () => {
    const handles = open({ maxHandles: 2, memoryBytes: 0 })
    await handles.keep('a', layout, 'me')
    clock += 60_000
    await handles.keep('b', layout, 'me')
    expect(await storedKeys()).toHaveLength(2)
  })

  it('returns no handle when the store fails', async () => {
    const broken: Store = { ...store, set: () => Promise.reject(new Error('full')) }
    const handles = open({ store: broken, memoryBytes: 100 })
    expect(await handles.keep('a'.repeat(101), layout, 'me')).toBeUndefined()
    const small = await handles.keep('small', layout, 'me')
    expect(await textOf(handles, small)).toBe('small')
  })

  it('returns nothing when the store can be neither read nor cleaned, but still accepts new texts', async () => {
    const broken: Store = {
      ...store,
      get: () => Promise.reject(new Error('gone')),
      delete: () => Promise.reject(new Error('gone')),
    }
    const handles = open({ store: broken, memoryBytes: 0, maxHandles: 1 })
    const first = await handles.keep('a', layout, 'me')
    expect(await textOf(handles, first)).toBeUndefined()
    expect(await handles.keep('b', layout, 'me')).toBeDefined()
  })

  it('leaves nothing in the store of a text that was evicted while it was being written', async () => {
    const handles = open({ maxHandles: 1, memoryBytes: 0 })
    await Promise.all([handles.keep('a', layout, 'me'), handles.keep('b', layout, 'me')])
    expect(await storedKeys()).toHaveLength(2)
  })
})

describe('texts on disk', () => {
  let dir: string
  beforeEach(async () => {
    dir = await makeTempDir()
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  it('a text in files can be read by its owner after the instance that wrote it is closed', async () => {
    const first = open({ store: createFileStore({ dir }), memoryBytes: 0 })
    const handle = await first.keep('text \ud83d', layout, 'me')
    await first[Symbol.asyncDispose]()
    const second = open({ store: createFileStore({ dir }) })
    expect(await textOf(second, handle)).toBe('text \ud83d')
    expect(await textOf(second, handle, 'you')).toBeUndefined()
  })
})

describe('open() with a handle of another gateway', () => {
  it('waits for the text of another gateway after an outage of the shared store, because that gateway may still hold the text', async () => {
    let isDegraded = true
    const shared: Store = { ...store, isShared: true, isDegraded: () => isDegraded }
    const reader = open({ store: shared })
    const { promise: isReachable, resolve: reach } = withResolvers<void>()
    const keys: string[] = []
    const set: Store['set'] = async (key, ...rest) => {
      keys.push(key)
      await isReachable
      return store.set(key, ...rest)
    }
    const keeping = open({ store: { ...store, set }, memoryBytes: 0 }).keep('text', layout, 'me')
    await expect.poll(() => keys).toHaveLength(1)
    const handle = keys[0]?.split('/')[1]
    const text = textOf(reader, handle)
    isDegraded = false
    reach()
    expect(await keeping).toBe(handle)
    expect(await text).toBe('text')
    expect(await textOf(reader, handle, 'you')).toBeUndefined()
  })

  it('a handle of another gateway is unknown at once if the store was never out of reach', async () => {
    let reads = 0
    const get: Store['get'] = (key) => {
      reads++
      return store.get(key)
    }
    const shared: Store = { ...store, get, isShared: true, isDegraded: () => false }
    expect(await textOf(open({ store: shared }), 'never')).toBeUndefined()
    expect(reads).toBe(1)
  })
})

const pagedLayout = { ends: [10, 20], isJson: true }
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
    const inMemory = textInMemory('me', long, pagedLayout)
    await writeText(store, 'id', inMemory, 60_000)
    const stored = await openText(store, 'id')
    expect(stored).toMatchObject({ owner: 'me', layout: pagedLayout, length: long.length })
    const positions = [0, 1, 1_048_575, 1_048_576, 1_048_577, 2_097_151, 2_097_153, long.length - 1, long.length]
    for (const from of positions)
      for (const to of positions)
        if (from <= to) expect((await stored?.slice(from, to)) === (await inMemory.slice(from, to))).toBe(true)
  })

  it('a deleted text leaves nothing in the store', async () => {
    await using store = createMemoryStore()
    await writeText(store, 'id', textInMemory('me', long, pagedLayout), 60_000)
    expect(await keysOf(store)).toHaveLength(4)
    await deleteText(store, 'id', long.length)
    expect(await keysOf(store)).toEqual([])
  })

  it('a text cannot be opened without a valid head, and cannot be read across a missing page', async () => {
    await using store = createMemoryStore()
    expect(await openText(store, 'id')).toBeUndefined()
    await store.set('result/id', { owner: 'me', length: 'long' })
    expect(await openText(store, 'id')).toBeUndefined()
    await writeText(store, 'id', textInMemory('me', long, pagedLayout), 60_000)
    await store.delete('result/id/1')
    const stored = await openText(store, 'id')
    expect(await stored?.slice(0, 10)).toBe(long.slice(0, 10))
    expect(await stored?.slice(0, long.length)).toBeUndefined()
  })
})
