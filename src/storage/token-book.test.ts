import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { errorOf, ToolcribError } from '../core/errors.ts'
import { createFileStore } from './file.ts'
import { createMemoryStore } from './memory.ts'
import { StorageError } from './problem.ts'
import type { Store } from './store.ts'
import { createTokenBook, followTokens, hashOfToken } from './token-book.ts'

const rights = { servers: ['files'], readOnly: true }

function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'toolcrib-tokens-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Puts a link to itself in the place of the file or folder: it exists and cannot be opened, also by root. */
function makeUnreadable(path: string): () => void {
  const aside = join(tempDir(), 'aside')
  renameSync(path, aside)
  symlinkSync(path, path)
  return () => {
    rmSync(path)
    renameSync(aside, path)
  }
}

const CANNOT_READ = { kind: 'unreadable', path: 'a', message: 'Cannot read it' } as const
const FAILURES = [
  ['an error of the store', new StorageError(CANNOT_READ)],
  // As the command line reports problems.
  [
    'an error of `onProblem`',
    new ToolcribError('TOKENS_UNAVAILABLE', errorOf('TOKENS_UNAVAILABLE', { reason: CANNOT_READ.message })),
  ],
] as const

/** The store, with `get` failing after the first `set`. */
function failingAfterSet(store: Store, error: Error): Store {
  let isSet = false
  return {
    ...store,
    get: async (key) => (isSet ? Promise.reject(error) : store.get(key)),
    async set(key, value) {
      await store.set(key, value)
      isSet = true
    },
  }
}

async function follow(store: Store) {
  const revoked: string[] = []
  const problems: unknown[] = []
  const live = await followTokens(store, {
    onRevoked: (name) => void revoked.push(name),
    onProblem: (error) => void problems.push(error),
  })
  onTestFinished(() => live.stop())
  return { live, revoked, problems, find: (token = '') => live.find(hashOfToken(token)) }
}

describe('a token book', () => {
  it('makes a token, and lists its name, its rights and its times', async () => {
    const book = createTokenBook(createMemoryStore(), () => 1_000)
    const token = await book.add({ name: 'alice', rights, expiresAt: 5_000 })
    expect(token).toMatch(/^toolcrib_[\w-]{43}$/)
    expect(await book.list()).toEqual([
      { name: 'alice', hash: hashOfToken(token ?? ''), rights, createdAt: 1_000, expiresAt: 5_000 },
    ])
  })

  it('makes another token each time, and none for a name that is taken', async () => {
    const book = createTokenBook(createMemoryStore())
    const [first, second] = [await book.add({ name: 'a' }), await book.add({ name: 'b' })]
    expect(first).not.toBe(second)
    expect(await book.add({ name: 'a' })).toBeUndefined()
    expect((await book.list()).map(({ name }) => name)).toEqual(['a', 'b'])
  })

  it('stores the hash of a token, and the token itself in no file', async () => {
    const dir = tempDir()
    const token = (await createTokenBook(createFileStore({ dir })).add({ name: 'alice' })) ?? expect.fail()
    const texts = readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((file) =>
      readFileSync(join(dir, file), 'utf8'),
    )
    expect(texts.join()).toContain(hashOfToken(token))
    expect(texts.join()).not.toContain(token.slice('toolcrib_'.length))
  })

  it('revokes a token once', async () => {
    const book = createTokenBook(createMemoryStore())
    await book.add({ name: 'alice' })
    expect(await book.revoke('alice')).toBe(true)
    expect(await book.revoke('alice')).toBe(false)
    expect(await book.list()).toEqual([])
  })

  it('refuses to list, add or revoke while the file of a token cannot be read, and changes nothing', async () => {
    const dir = tempDir()
    const book = createTokenBook(createFileStore({ dir }))
    await book.add({ name: 'alice' })
    const before = await book.list()
    const restore = makeUnreadable(join(dir, readdirSync(dir)[0] ?? ''))
    const refused = {
      code: 'TOKENS_UNAVAILABLE',
      message: expect.stringContaining('it is a link that leads to itself'),
    }
    await expect(book.list()).rejects.toMatchObject(refused)
    await expect(book.add({ name: 'alice' })).rejects.toMatchObject(refused)
    await expect(book.revoke('alice')).rejects.toMatchObject(refused)
    restore()
    expect(await book.list()).toEqual(before)
  })

  it.each(FAILURES)(
    'stores no token if it cannot read the token again after it has stored it (%s)',
    async (_, error) => {
      const store = createMemoryStore()
      const book = createTokenBook(failingAfterSet(store, error))
      await expect(book.add({ name: 'alice' })).rejects.toMatchObject({
        code: 'TOKENS_UNAVAILABLE',
        what: 'The tokens cannot be read or changed: Cannot read it',
        suggestion: expect.stringContaining('Nothing was changed.'),
      })
      expect(await createTokenBook(store).list()).toEqual([])
    },
  )

  it.each(FAILURES)(
    'names the command that revokes the token if a new token can be neither read again nor deleted (%s)',
    async (_, error) => {
      const cannotDelete = () => Promise.reject(new StorageError({ ...CANNOT_READ, kind: 'unwritable' }))
      const book = createTokenBook(failingAfterSet({ ...createMemoryStore(), delete: cannotDelete }, error))
      await expect(book.add({ name: 'alice' })).rejects.toMatchObject({
        code: 'TOKENS_UNAVAILABLE',
        what: 'The tokens cannot be read or changed: Cannot read it',
        suggestion:
          "The token 'alice' may be stored already. Check the store that `store` in the config or TOOLCRIB_STORE names, run `toolcrib token revoke alice`, then run the command again.",
      })
    },
  )
})

describe('followTokens', () => {
  it('follows changes through another store in the same folder within a second', async () => {
    const dir = tempDir()
    const { find, revoked } = await follow(createFileStore({ dir }))
    const book = createTokenBook(createFileStore({ dir }))
    const token = await book.add({ name: 'alice', rights })
    await expect.poll(() => find(token), { timeout: 1_000 }).toMatchObject({ name: 'alice', rights })
    await book.revoke('alice')
    await expect.poll(() => find(token), { timeout: 1_000 }).toBeUndefined()
    expect(revoked).toEqual(['alice'])
  })

  it('follows changes of a store without `watch`', async () => {
    const { watch: _watch, ...store } = createMemoryStore()
    const { find, revoked } = await follow(store)
    const book = createTokenBook(store)
    const token = await book.add({ name: 'alice' })
    await expect.poll(() => find(token), { timeout: 1_000 }).toBeDefined()
    await book.revoke('alice')
    await expect.poll(() => revoked, { timeout: 1_000 }).toEqual(['alice'])
  })

  it('keeps the same object for a token that has not changed', async () => {
    const store = createMemoryStore()
    const book = createTokenBook(store)
    const token = await book.add({ name: 'alice', rights })
    const { find, live } = await follow(store)
    const before = find(token)
    await book.add({ name: 'bob' })
    await expect.poll(() => live.size).toBe(2)
    expect(find(token)).toBe(before)
  })

  it('reports a token as revoked if its rights have changed', async () => {
    const store = createMemoryStore()
    const token = (await createTokenBook(store).add({ name: 'alice', rights })) ?? expect.fail()
    const { find, revoked } = await follow(store)
    await store.set('token/alice', { hash: hashOfToken(token), createdAt: 1, rights: { servers: [] } })
    await expect.poll(() => find(token)?.rights).toEqual({ servers: [] })
    expect(revoked).toEqual(['alice'])
  })

  it('reports a token once when it expires, and not one that had expired before', async () => {
    const store = createMemoryStore()
    const book = createTokenBook(store)
    await book.add({ name: 'gone', expiresAt: Date.now() - 1 })
    await book.add({ name: 'later', expiresAt: Date.now() + 60 * 24 * 3_600_000 })
    await book.add({ name: 'soon', expiresAt: Date.now() + 50 })
    const { revoked, live } = await follow(store)
    await book.add({ name: 'next', expiresAt: Date.now() + 100 })
    await expect.poll(() => revoked).toEqual(['soon', 'next'])
    expect(live.size).toBe(4)
  })

  it.each([
    ['is not an object', 'x'],
    ['has no hash', { createdAt: 1 }],
    ['has rights that cannot be read', { hash: hashOfToken('t'), createdAt: 1, rights: { servers: 'all' } }],
    ['has an expiry that cannot be read', { hash: hashOfToken('t'), createdAt: 1, expiresAt: 'never' }],
    ['has an expiry after the last date', { hash: hashOfToken('t'), createdAt: 1, expiresAt: 1e300 }],
    ['has a creation time after the last date', { hash: hashOfToken('t'), createdAt: 1e300 }],
  ])('ignores an entry that %s', async (_what, entry) => {
    const store = createMemoryStore()
    await store.set('token/alice', entry)
    expect((await follow(store)).live.size).toBe(0)
  })

  it('tells whether the tokens were read, and reads them when a store that was out of reach is back', async () => {
    const inner = createMemoryStore()
    const token = await createTokenBook(inner).add({ name: 'alice' })
    let isAway = true
    const { find, live } = await follow({
      ...inner,
      // As a store in Redis: without a connection, it has no entries, and no read fails.
      async *keys(prefix) {
        if (!isAway) yield* inner.keys(prefix)
      },
      isDegraded: () => isAway,
      // A change is reported on another connection, which may be back before the one that reads.
      watch: () => () => {},
    })
    expect([live.hasBeenReached, find(token)]).toEqual([false, undefined])
    isAway = false
    await expect.poll(() => live.hasBeenReached).toBe(true)
    expect(find(token)).toMatchObject({ name: 'alice' })
  })

  it('reads a store without watch at a steady rate while it is out of reach, and reports the same error once', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    let reads = 0
    let error: Error | undefined
    const { watch: _, ...inner } = createMemoryStore()
    const { problems } = await follow({
      ...inner,
      async *keys(prefix) {
        reads += 1
        if (error !== undefined) throw error
        yield* inner.keys(prefix)
      },
      isDegraded: () => true,
    })
    await vi.advanceTimersByTimeAsync(20_000)
    const first = reads
    await vi.advanceTimersByTimeAsync(20_000)
    expect(reads - first).toBeLessThanOrEqual(first)
    error = new Error('no descriptors')
    await vi.advanceTimersByTimeAsync(20_000)
    expect(problems).toEqual([error])
    expect(reads).toBeLessThanOrEqual(3 * first)
  })

  it.each(['its file', 'the folder'])(
    'keeps a token while %s cannot be read, and follows it afterwards',
    async (what) => {
      const dir = join(tempDir(), 'tokens')
      const book = createTokenBook(createFileStore({ dir }))
      const token = await book.add({ name: 'alice' })
      const { find, revoked, problems, live } = await follow(createFileStore({ dir }))
      const restore = makeUnreadable(what === 'the folder' ? dir : join(dir, readdirSync(dir)[0] ?? ''))
      // A gateway that starts meanwhile does not know whether the token is valid.
      const late = await follow(createFileStore({ dir }))
      expect([late.live.hasBeenReached, late.problems.length]).toEqual([false, 1])
      if (what === 'its file') await expect.poll(() => problems.length).toBe(1)
      expect([find(token)?.name, revoked, live.size]).toEqual(['alice', [], 1])
      restore()
      await expect.poll(() => late.find(token)?.name, { timeout: 3_000 }).toBe('alice')
      expect([find(token)?.name, revoked]).toEqual(['alice', []])
      await book.revoke('alice')
      await expect.poll(() => revoked, { timeout: 3_000 }).toEqual(['alice'])
    },
  )

  it('follows the other tokens while the file of one token cannot be read', async () => {
    const dir = tempDir()
    const store = createFileStore({ dir })
    const book = createTokenBook(store)
    const [alice, bob] = [await book.add({ name: 'alice' }), await book.add({ name: 'bob' })]
    const fileOf = (name: string) => join(dir, readdirSync(dir).find((file) => file.includes(name)) ?? '')
    const { find, problems, revoked } = await follow(createFileStore({ dir }))
    makeUnreadable(fileOf('bob'))
    rmSync(fileOf('alice'))
    await expect.poll(() => find(alice), { timeout: 3_000 }).toBeUndefined()
    expect(find(bob)).toMatchObject({ name: 'bob' })
    expect([revoked, problems.length]).toEqual([['alice'], 1])
  })

  it('knows the tokens that can be read if the file of another token cannot be read at the start', async () => {
    const dir = tempDir()
    const book = createTokenBook(createFileStore({ dir }))
    await book.add({ name: 'bob' })
    const file = join(dir, readdirSync(dir)[0] ?? '')
    const alice = await book.add({ name: 'alice' })
    makeUnreadable(file)
    const { find, live } = await follow(createFileStore({ dir }))
    expect(find(alice)).toMatchObject({ name: 'alice' })
    // A token that is not known may be the one that cannot be read.
    expect(live.hasBeenReached).toBe(false)
  })

  it('keeps the last known tokens while the store fails, and reads again until it works', async () => {
    const inner = createMemoryStore()
    const token = await createTokenBook(inner).add({ name: 'alice' })
    let isBroken = false
    const store: Store = {
      ...inner,
      keys: (prefix) => {
        if (isBroken) throw new Error('out of reach')
        return inner.keys(prefix)
      },
    }
    const { find, problems } = await follow(store)
    isBroken = true
    await inner.delete('token/alice')
    await expect.poll(() => problems.length).toBeGreaterThan(0)
    expect(find(token)).toBeDefined()
    isBroken = false
    await expect.poll(() => find(token), { timeout: 3_000 }).toBeUndefined()
  })
})
