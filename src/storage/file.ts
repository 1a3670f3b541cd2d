// State on disk, one file per key, shared by several processes. Where the disk refuses, in memory until it takes again.

import { chmod, opendir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeEntry, type Entry, encodeEntry, entryName, isEntryName, mayStartWith, readEntry } from './entry-file.ts'
import { makeFolder } from './make-folder.ts'
import { createMemoryStore } from './memory.ts'
import { createOutage } from './outage.ts'
import { errorCode, type OnProblem, reasonOf, type StorageProblem } from './problem.ts'
import type { Store } from './store.ts'
import { removeExpired, sweep } from './sweep.ts'
import { writeAtomic } from './write-atomic.ts'

export interface FileStoreOptions {
  /** This store's own: everything in it is readable by this user alone, and swept. */
  readonly dir: string
  /** Past it, those set longest ago give way; checked every few writes, so a few more may be there. */
  readonly maxEntries?: number
  readonly now?: () => number
  /**
   * Called when writes start to fail, not with each that does (a read-only home, a full disk: then entries are kept in
   * memory, and every set tries the disk again), and once for each file that cannot be read.
   */
  readonly onProblem?: OnProblem
}

const MAX_REPORTED = 1_000

/** Values are JSON: what does not survive a round trip through it does not survive this store. */
export function createFileStore({
  dir,
  maxEntries = 10_000,
  now = Date.now,
  onProblem = () => {},
}: FileStoreOptions): Store {
  // What the disk refused, as [value], or [] for a key that could not be deleted from it.
  const refused = createMemoryStore({ maxEntries, now })
  const writes = createWriteOrder()
  const writesPerSweep = Math.max(1, Math.min(64, Math.floor(maxEntries / 10)))
  const outage = createOutage(onProblem, now)
  const reported = new Set<string>()
  let secured: Promise<void> | undefined
  let written = 0

  const pathOf = (key: string) => join(dir, entryName(key))

  const reportRead = (problem: StorageProblem) => {
    if (reported.has(problem.path) || reported.size >= MAX_REPORTED) return
    reported.add(problem.path)
    onProblem(problem)
  }

  const readLive = async (path: string): Promise<Entry | undefined> => {
    const entry = await readEntry(path, reportRead)
    if (entry === undefined || entry.expiresAt > now()) return entry
    await removeExpired(path, now)
    return undefined
  }

  /** Tries the disk; if it refuses, `held` answers for the key from memory. */
  const change = (key: string, onDisk: () => Promise<void>, held: () => readonly unknown[], ttlMs?: number) =>
    writes.inOrder(key, async () => {
      try {
        await onDisk()
        await refused.delete(key)
      } catch (cause) {
        await refused.set(key, held(), ttlMs === undefined ? {} : { ttlMs })
        const message = `Cannot write to ${dir}: ${reasonOf(cause)}. Its entries are kept in memory and end with this process`
        outage.failed({ kind: 'unwritable', path: dir, message, cause })
      }
    })

  return {
    async get(key) {
      const held = await refused.get(key)
      if (Array.isArray(held)) return held[0]
      const entry = await readLive(pathOf(key))
      return entry?.key === key ? entry.value : undefined
    },
    async set(key, value, { ttlMs = Number.POSITIVE_INFINITY } = {}) {
      // Before anything is awaited: the caller may change the value while it waits.
      const text = encodeEntry({ key, value, expiresAt: now() + ttlMs })
      const onDisk = async () => {
        secured ??= secure(dir)
        await secured
        await writeAtomic(pathOf(key), text)
        outage.worked()
      }
      await change(key, onDisk, () => [decodeEntry(text)?.value], ttlMs)
      written += 1
      if (written % writesPerSweep === 0) await sweep({ dir, maxEntries, now })
    },
    async delete(key) {
      await change(
        key,
        () => remove(pathOf(key)),
        () => [],
      )
    },
    async *keys(prefix) {
      const seen = new Set<string>()
      for await (const key of refused.keys(prefix)) {
        seen.add(key)
        const held = await refused.get(key)
        if (Array.isArray(held) && held.length > 0) yield key
      }
      for await (const name of namesIn(dir)) {
        if (!isEntryName(name) || !mayStartWith(name, prefix)) continue
        const key = (await readLive(join(dir, name)))?.key
        // A file replaced during the walk can come by twice; one under another key's name is not found by its key.
        if (key === undefined || seen.has(key) || !key.startsWith(prefix) || entryName(key) !== name) continue
        seen.add(key)
        yield key
      }
    },
    async [Symbol.asyncDispose]() {
      await writes.settled()
      await refused[Symbol.asyncDispose]()
    },
  }
}

/** Changes of one key happen in the order they were asked for; those of different keys do not wait for each other. */
function createWriteOrder() {
  const last = new Map<string, Promise<void>>()
  return {
    async inOrder(key: string, work: () => Promise<void>): Promise<void> {
      const before = last.get(key) ?? Promise.resolve()
      const turn = before.then(work, work)
      last.set(key, turn)
      try {
        await turn
      } finally {
        if (last.get(key) === turn) last.delete(key)
      }
    },
    async settled(): Promise<void> {
      await Promise.allSettled(last.values())
    },
  }
}

// Whether this works shows when something is written.
async function secure(dir: string): Promise<void> {
  await makeFolder(dir).catch(() => {})
  await chmod(dir, 0o700).catch(() => {})
}

async function remove(path: string): Promise<void> {
  try {
    await rm(path, { force: true })
  } catch (error) {
    if (errorCode(error) !== 'ENOTDIR') throw error
  }
}

async function* namesIn(dir: string): AsyncGenerator<string> {
  try {
    for await (const { name } of await opendir(dir)) yield name
  } catch {
    // No directory, no entries.
  }
}
