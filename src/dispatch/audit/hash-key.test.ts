import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeTempDir } from '../../storage/child.fixture.ts'
import { createFileStore } from '../../storage/file.ts'
import { createMemoryStore } from '../../storage/memory.ts'
import type { Store } from '../../storage/store.ts'
import { loadAuditKey } from './hash-key.ts'

let dir: string
beforeEach(async () => {
  dir = await makeTempDir()
})
afterEach(() => rm(dir, { recursive: true, force: true }))

describe('loadAuditKey', () => {
  it('makes a key of 256 random bits once, and stores it in a file that only this user can read', async () => {
    const first = await loadAuditKey(createFileStore({ dir }))
    expect(first).toHaveLength(32)
    expect(await loadAuditKey(createFileStore({ dir }))).toEqual(first)
    const [file = ''] = await readdir(dir)
    expect((await stat(join(dir, file))).mode & 0o777).toBe(0o600)
  })

  it('gives different keys for different stores', async () => {
    expect(await loadAuditKey(createMemoryStore())).not.toEqual(await loadAuditKey(createMemoryStore()))
  })

  it('makes a new key when the stored one is malformed', async () => {
    const store = createMemoryStore()
    await store.set('audit-key', 'short')
    const made = await loadAuditKey(store)
    expect(made).toHaveLength(32)
    expect(await loadAuditKey(store)).toEqual(made)
  })

  it('gives a key for this process when the store cannot be read', async () => {
    const broken: Store = { ...createMemoryStore(), get: () => Promise.reject(new Error('gone')) }
    expect(await loadAuditKey(broken)).toHaveLength(32)
  })
})
