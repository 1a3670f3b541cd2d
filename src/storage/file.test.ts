import { mkdir, readdir, readFile, rename, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { anyText } from './any-text.fixture.ts'
import { makeTempDir } from './child.fixture.ts'
import { createFileStore, type FileStoreOptions } from './file.ts'
import type { StorageProblem } from './problem.ts'
import { collect, storeContract } from './store.contract.ts'

let root: string
let dir: string
let time: number
let problems: StorageProblem[]
beforeEach(async () => {
  root = await makeTempDir()
  dir = join(root, 'cache', 'manifests')
  time = 0
  problems = []
})
afterEach(() => rm(root, { recursive: true, force: true }))

function openStore(options: Partial<FileStoreOptions> = {}) {
  return createFileStore({ dir, now: () => time, onProblem: (problem) => problems.push(problem), ...options })
}

const files = async () => (await readdir(dir).catch(() => [])).sort().map((name) => join(dir, name))
const fileOf = async (part: string) => (await files()).find((path) => path.includes(part)) ?? 'no file'

const underTest = () => ({
  store: openStore(),
  advance: (ms: number) => {
    time += ms
  },
})
/** Puts a file in the place of the folder. Root, too, can then write no entry. */
const startOutage = async () => {
  await rename(dir, join(root, 'aside'))
  await writeFile(dir, 'not a directory')
  return async () => {
    await rm(dir)
    await rename(join(root, 'aside'), dir)
  }
}
storeContract('file', () => ({ ...underTest(), reopen: () => openStore(), startOutage }))
storeContract('file, on a disk that refuses writes', async () => {
  await writeFile(join(root, 'cache'), 'not a directory')
  return underTest()
})

const json = fc.jsonValue({ maxDepth: 2 })
const key = fc.oneof(anyText(80), fc.string({ maxLength: 4 }), fc.constantFrom('a/', 'a/B', 'a/b'))

describe('a file store', () => {
  it('keeps one file per key, readable by this user only', async () => {
    await mkdir(dir, { recursive: true, mode: 0o755 })
    const store = openStore()
    await store.set('server/A b', { tools: [] })
    await store.set('server/A b', { tools: [1] })
    const [path = '', ...others] = await files()
    expect(others).toEqual([])
    expect(path).toMatch(/\/server_002f_0041_0020b~[0-9a-f]{32}\.json$/)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(dir)).mode & 0o777).toBe(0o700)
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ key: 'server/A b', value: { tools: [1] } })
  })

  it('returns an entry to the next process until it expires', async () => {
    await openStore().set('a', 1, { ttlMs: 100 })
    expect(await openStore().get('a')).toBe(1)
    time = 100
    expect(await openStore().get('a')).toBeUndefined()
  })

  it('stores any JSON under any key, and lists exactly the keys with a prefix', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(key, json, { maxKeys: 5 }), key, async (entries, prefix) => {
        await rm(dir, { recursive: true, force: true })
        const store = openStore()
        const keys = Object.keys(entries)
        await Promise.all(keys.map((one) => store.set(one, entries[one])))
        for (const one of keys) expect(await store.get(one)).toEqual(JSON.parse(JSON.stringify(entries[one])))
        for (const start of [prefix, '', ...keys.map((one) => one.slice(0, one.length / 2))]) {
          expect((await collect(store.keys(start))).sort()).toEqual(keys.filter((one) => one.startsWith(start)).sort())
        }
        await Promise.all(keys.map((one) => store.delete(one)))
        expect(await files()).toEqual([])
      }),
      { numRuns: 25 },
    )
    expect(problems).toEqual([])
  })

  it('applies the changes of a key in the order of the calls', async () => {
    const store = openStore()
    await Promise.all([
      ...[1, 2, 3, 4, 5].map((n) => store.set('a', n)),
      store.delete('b'),
      store.set('b', 1),
      store.delete('b'),
    ])
    expect([await store.get('a'), await store.get('b')]).toEqual([5, undefined])
  })

  it('rejects a value that JSON cannot represent, and keeps the previous value', async () => {
    const store = openStore()
    await store.set('a', 1)
    await expect(store.set('a', 2n)).rejects.toThrow(TypeError)
    expect(await store.get('a')).toBe(1)
  })

  it.each([0, 1, 20])(
    'treats a file cut after %i bytes as missing, reports it once, and replaces it at the next set',
    async (bytes) => {
      const store = openStore()
      await store.set('a', 'some text')
      await truncate(await fileOf('a~'), bytes)
      for (let n = 0; n < 3; n += 1) expect(await store.get('a')).toBeUndefined()
      expect(await collect(store.keys(''))).toEqual([])
      expect(problems).toMatchObject([{ kind: 'corrupt', path: await fileOf('a~') }])
      await store.set('a', 'new')
      expect(await store.get('a')).toBe('new')
    },
  )

  it.each(['[]', 'null', '{"key":1,"expiresAt":null}', '{"key":"a","expiresAt":"x"}'])(
    'reports a file with the content %s as damaged and ignores it',
    async (text) => {
      const store = openStore()
      await store.set('a', 1)
      await writeFile(await fileOf('a~'), text)
      expect([await store.get('a'), problems]).toMatchObject([undefined, [{ kind: 'corrupt' }]])
    },
  )

  it('never returns the value of another key, even if the file of one key was copied over the other', async () => {
    const store = openStore()
    await store.set('a', 1)
    await store.set('b', 2)
    await writeFile(await fileOf('a~'), await readFile(await fileOf('b~')))
    expect(await store.get('a')).toBeUndefined()
    expect(await collect(store.keys(''))).toEqual(['b'])
  })

  it('removes expired entries when it reads them, and in a sweep', async () => {
    const store = openStore({ maxEntries: 20 })
    for (const name of ['a', 'b', 'c']) await store.set(name, 1, { ttlMs: 10 })
    time = 10
    await store.get('a')
    expect(await files()).toHaveLength(2)
    await store.set('d', 1)
    expect(await files()).toEqual([await fileOf('d~')])
  })

  it('removes the oldest entries when there are too many, and old temporary files', async () => {
    const store = openStore({ maxEntries: 2 })
    await store.set('b', 1)
    await store.set('a', 1)
    await utimes(await fileOf('a~'), 1_000, 1_000)
    await writeFile(join(dir, 'old.tmp'), '')
    await utimes(join(dir, 'old.tmp'), 1_000, 1_000)
    await writeFile(join(dir, 'new.tmp'), '')
    await store.set('c', 1)
    expect((await collect(store.keys(''))).sort()).toEqual(['b', 'c'])
    expect((await readdir(dir)).filter((name) => name.endsWith('.tmp'))).toEqual(['new.tmp'])
  })

  it('creates its directory again after it was removed', async () => {
    const store = openStore()
    await store.set('a', 1)
    await rm(join(root, 'cache'), { recursive: true })
    expect([await store.get('a'), await collect(store.keys(''))]).toEqual([undefined, []])
    await store.set('a', 2)
    expect(await openStore().get('a')).toBe(2)
    expect(problems).toEqual([])
  })
})

describe('a file store on a disk that refuses writes', () => {
  it('reports the problem once, keeps entries in memory, and writes to disk when that works again', async () => {
    await writeFile(join(root, 'cache'), 'not a directory')
    const store = openStore()
    await store.set('a', 1)
    await store.set('b', 2)
    await store.delete('b')
    expect([await store.get('a'), await store.get('b')]).toEqual([1, undefined])
    expect(problems).toMatchObject([{ kind: 'unwritable', path: dir }])
    expect(problems[0]?.message).toContain('part of its path is not a directory')
    await rm(join(root, 'cache'))
    await store.set('a', 3)
    expect(await openStore().get('a')).toBe(3)
    expect(problems).toHaveLength(1)
  })

  it('returns the last value that was set, and none after a delete, if the file cannot be changed', async () => {
    const store = openStore()
    await store.set('a', 1)
    const path = await fileOf('a~')
    await rm(path)
    await mkdir(join(path, 'in the way'), { recursive: true })
    expect(await store.get('a')).toBeUndefined()
    await store.set('a', 2)
    expect([await store.get('a'), await collect(store.keys(''))]).toEqual([2, ['a']])
    await store.delete('a')
    expect([await store.get('a'), await collect(store.keys(''))]).toEqual([undefined, []])
    expect(problems.map(({ kind }) => kind)).toEqual(['unreadable', 'unwritable'])
  })
})

describe('a file store after a disk has refused a change', () => {
  it('deletes the file of an entry when it reads the entry after the held change has expired', async () => {
    const store = openStore()
    await store.set('a', 'old')
    const end = await startOutage()
    await store.set('a', 'new', { ttlMs: 1_000 })
    await end()
    expect(await store.get('a')).toBe('new')
    time = 2_000
    expect([await store.get('a'), await openStore().get('a'), await files()]).toEqual([undefined, undefined, []])
  })

  it('returns the value that another process has written since a held change that has expired', async () => {
    const store = openStore()
    await store.set('a', 'old')
    const end = await startOutage()
    await store.set('a', 'new', { ttlMs: 1_000 })
    await end()
    await openStore().set('a', 'newest')
    const later = new Date(Date.now() + 1_000)
    await utimes(await fileOf('a~'), later, later)
    time = 2_000
    expect([await store.get('a'), await collect(store.keys(''))]).toEqual(['newest', ['a']])
  })

  it('writes a held change as soon as the disk accepts it, unless another process has written the entry since', async () => {
    const store = openStore()
    await store.set('a', 'old')
    const end = await startOutage()
    await store.set('a', 'held')
    await store.set('b', 'held')
    await end()
    await openStore().set('b', 'newer')
    const later = new Date(Date.now() + 1_000)
    await utimes(await fileOf('b~'), later, later)
    expect([await store.get('a'), await store.get('b')]).toEqual(['held', 'newer'])
    expect([await openStore().get('a'), await openStore().get('b')]).toEqual(['held', 'newer'])
    await openStore().delete('a')
    expect(await store.get('a')).toBeUndefined()
  })

  describe.runIf(process.platform === 'linux')('and can still read and remove its files', () => {
    /** Opens two stores of the same folder: `store` can write no file, `other` is another process that can. */
    const openTwo = async () => {
      // The longest path of Linux is 4,095 bytes: the path of the entry is shorter, that of its temporary file is longer.
      const name = 'x'.repeat(200)
      const levels = Math.floor((4_040 - root.length) / (name.length + 1))
      const parent = join(root, ...Array.from({ length: levels }, () => name))
      const long = join(parent, 'y'.repeat(4_040 - parent.length - 1))
      const short = join(root, 'short')
      await mkdir(long, { recursive: true })
      await symlink(long, short)
      return { store: openStore({ dir: long }), other: openStore({ dir: short }), list: () => readdir(short) }
    }

    it('does not bring back an entry that another process has deleted since', async () => {
      const { store, other } = await openTwo()
      await other.set('a', 'old')
      await store.set('a', 'held')
      expect([await store.get('a'), await other.get('a')]).toEqual(['held', 'old'])
      await other.delete('a')
      expect(await store.get('a')).toBeUndefined()
    })

    it('does not bring back an entry that another process has deleted before it expired', async () => {
      const { store, other } = await openTwo()
      await other.set('a', 'old', { ttlMs: 60_000 })
      await store.set('a', 'held', { ttlMs: 3_600_000 })
      time = 59_999
      await other.delete('a')
      expect(await store.get('a')).toBeUndefined()
    })

    it('keeps a held change after another process has removed the file, which has expired', async () => {
      const { store, other, list } = await openTwo()
      await other.set('a', 'old', { ttlMs: 60_000 })
      await store.set('a', 'held', { ttlMs: 3_600_000 })
      time = 60_000
      expect(await other.get('a')).toBeUndefined()
      expect(await list()).toEqual([])
      expect([await store.get('a'), await collect(store.keys(''))]).toEqual(['held', ['a']])
      time = 3_600_000
      expect([await store.get('a'), await collect(store.keys(''))]).toEqual([undefined, []])
    })
  })

  it('removes other entries than those with a held change when there are too many', async () => {
    const store = openStore({ maxEntries: 2 })
    await store.set('a', 'old')
    const path = await fileOf('a~')
    await utimes(path, 1_000, 1_000)
    await rename(path, join(root, 'aside'))
    await mkdir(join(path, 'in the way'), { recursive: true })
    await store.set('a', 'held')
    await rm(path, { recursive: true })
    await rename(join(root, 'aside'), path)
    await store.set('b', 1)
    await utimes(await fileOf('b~'), 2_000, 2_000)
    await store.set('c', 1)
    expect([await store.get('a'), await files()]).toEqual(['held', [path, await fileOf('c~')]])
    expect(await openStore().get('a')).toBe('held')
  })

  it('keeps a value that is set again while the expired change before it is read', async () => {
    const store = openStore()
    await store.set('a', 'old')
    const end = await startOutage()
    await store.set('a', 'new', { ttlMs: 1_000 })
    await end()
    time = 2_000
    await Promise.all([store.set('a', 'newest'), store.get('a')])
    expect([await store.get('a'), await openStore().get('a')]).toEqual(['newest', 'newest'])
  })
})

// A link to itself is a path that exists and cannot be read, also for root.
describe('a file store that cannot be read', () => {
  it('treats its folder as empty and reports it once, and rejects a strict read', async () => {
    await openStore().set('a', 1)
    await rename(dir, join(root, 'aside'))
    await symlink(dir, dir)
    const store = openStore()
    for (let n = 0; n < 3; n += 1) expect(await collect(store.keys(''))).toEqual([])
    expect(problems).toEqual([
      expect.objectContaining({
        kind: 'unreadable',
        path: dir,
        message: `Cannot read ${dir}: it is a link that leads to itself`,
      }),
    ])
    const refused = { name: 'StorageError', cause: expect.objectContaining({ code: 'ELOOP' }) }
    await expect(collect(store.keys('', { isStrict: true }))).rejects.toMatchObject(refused)
    await expect(store.get('a', { isStrict: true })).rejects.toMatchObject(refused)
    await rm(dir)
    await rename(join(root, 'aside'), dir)
    expect([await store.get('a'), await collect(store.keys('', { isStrict: true }))]).toEqual([1, ['a']])
  })

  it('rejects a strict read of a file that cannot be read, but not of one that is missing, damaged or replaced in memory', async () => {
    const store = openStore()
    for (const key of ['a/1', 'a/2', 'b']) await store.set(key, 1)
    const path = await fileOf('a_002f1~')
    await rm(path)
    await symlink(path, path)
    const strict = { isStrict: true }
    await expect(store.get('a/1', strict)).rejects.toThrow(`Cannot read ${path}: it is a link that leads to itself`)
    await expect(collect(store.keys('a/', strict))).rejects.toThrow(`Cannot read ${path}`)
    expect([await store.get('a/3', strict), await collect(store.keys('b', strict))]).toEqual([undefined, ['b']])
    await truncate(await fileOf('a_002f2~'), 3)
    expect(await store.get('a/2', strict)).toBeUndefined()
    await rm(path)
    await mkdir(join(path, 'in the way'), { recursive: true })
    await store.set('a/1', 2)
    expect([await store.get('a/1', strict), await collect(store.keys('a/', strict))]).toEqual([2, ['a/1']])
  })
})
