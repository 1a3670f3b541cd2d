import { mkdir, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeTempDir, runChild } from './child.fixture.ts'
import { createFileStore } from './file.ts'
import { collect } from './store.contract.ts'

let dir: string
beforeEach(async () => {
  dir = await makeTempDir()
})
afterEach(() => rm(dir, { recursive: true, force: true }))

describe('a watched file store', () => {
  it('reports the entries that another process has written', { timeout: 60_000 }, async () => {
    await using store = createFileStore({ dir })
    const told = new Set<string>()
    store.watch?.('own/', (key) => told.add(key))
    await runChild('store-writer', [dir, 'a', '20'])
    await expect.poll(() => told.size).toBe(20)
    expect([...told].every((key) => key.startsWith('own/a/'))).toBe(true)
  })

  it('reports each change of this process once, even after the next poll', async () => {
    await using store = createFileStore({ dir })
    const told: string[] = []
    store.watch?.('', (key) => told.push(key))
    await store.set('a', 1)
    await store.set('a', 2)
    await store.delete('a')
    await store.delete('a')
    await sleep(500)
    expect(told).toEqual(['a', 'a', 'a', 'a'])
  })

  it('notices a change that leaves the modification time of the folder as it was', async () => {
    const other = createFileStore({ dir })
    await other.set('a', 1)
    await using store = createFileStore({ dir })
    const told: string[] = []
    store.watch?.('', (key) => told.push(key))
    await sleep(300)
    const now = new Date()
    await utimes(dir, now, now)
    await sleep(300)
    await other.set('a', 2)
    await utimes(dir, now, now)
    await expect.poll(() => told).toEqual(['a'])
  })

  it('reports no change while its folder cannot be read, and then only what has changed', async () => {
    const [folder, aside] = [join(dir, 'entries'), join(dir, 'aside')]
    const other = createFileStore({ dir: folder })
    await other.set('a', 1)
    await using store = createFileStore({ dir: folder })
    const told: string[] = []
    store.watch?.('', (key) => told.push(key))
    await rename(folder, aside)
    // A link to itself is a path that exists and cannot be read.
    await symlink(folder, folder)
    await expect(collect(store.keys('', { isStrict: true }))).rejects.toThrow('it is a link that leads to itself')
    await sleep(500)
    expect(told).toEqual([])
    await rm(folder)
    await rename(aside, folder)
    await other.set('b', 1)
    await expect.poll(() => told).toEqual(['b'])
    expect((await collect(store.keys(''))).sort()).toEqual(['a', 'b'])
  })

  it('notices that its folder is created or removed', async () => {
    const later = join(dir, 'later')
    await using store = createFileStore({ dir: later })
    const told: string[] = []
    store.watch?.('', (key) => told.push(key))
    await createFileStore({ dir: later }).set('a', 1)
    await expect.poll(() => told).toEqual(['a'])
    await rm(later, { recursive: true })
    await expect.poll(() => told).toEqual(['a', 'a'])
  })

  it('ignores files that are not entries, are damaged, or have the name of another key', async () => {
    const other = createFileStore({ dir: join(dir, 'other') })
    await other.set('a', 1)
    await mkdir(join(dir, 'store'))
    await using store = createFileStore({ dir: join(dir, 'store') })
    const told: string[] = []
    store.watch?.('', (key) => told.push(key))
    const [name = ''] = await readdir(join(dir, 'other'))
    await writeFile(join(dir, 'store', 'notes.txt'), 'x')
    await writeFile(join(dir, 'store', `b~${'0'.repeat(32)}.json`), JSON.stringify({ key: 'a', expiresAt: null }))
    await writeFile(join(dir, 'store', name), '{')
    await store.set('last', 1)
    await sleep(500)
    expect(told).toEqual(['last'])
  })

  it('runs a timer only while it is watched, and the timer does not keep the process alive', async () => {
    const started = vi.spyOn(globalThis, 'setInterval')
    const ended = vi.spyOn(globalThis, 'clearInterval')
    try {
      const store = createFileStore({ dir })
      await store.set('a', 1)
      expect(started).not.toHaveBeenCalled()
      const unwatch = store.watch?.('', () => {})
      store.watch?.('a', () => {})
      expect(started).toHaveBeenCalledTimes(1)
      expect(started.mock.results[0]?.value.hasRef()).toBe(false)
      unwatch?.()
      expect(ended).not.toHaveBeenCalled()
      await store[Symbol.asyncDispose]()
      expect(ended).toHaveBeenCalledWith(started.mock.results[0]?.value)
    } finally {
      started.mockRestore()
      ended.mockRestore()
    }
  })
})
