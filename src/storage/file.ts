// A store with one file per key, shared by several processes. If the disk fails, entries are kept in memory.

import { chmod, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setNewest } from '../core/collections.ts'
import { defined } from '../core/defined.ts'
import { errorCode, isAbsent } from '../core/text.ts'
import { removeIf, writeAtomic } from './atomic-file.ts'
import { decodeEntry, type Entry, encodeEntry, entryName, isEntryName, mayStartWith, readEntry } from './entry-file.ts'
import { createFolderWatch } from './folder-watch.ts'
import { makeFolder } from './make-folder.ts'
import { createOutage, type OnProblem, reasonOf, StorageError, type StorageProblem, unreadable } from './problem.ts'
import { defineStore, type Store } from './store.ts'
import { removeExpired, sweep } from './sweep.ts'

/** The options of `createFileStore`. */
export interface FileStoreOptions {
  /** A directory only for this store. Only this user can read it, and the store removes old files in it. */
  readonly dir: string
  /** Above this number the store removes the oldest entries, every few writes. Default: 10,000. */
  readonly maxEntries?: number
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number
  /**
   * Called once when writes start to fail, for example in a read-only home directory or on a full disk. Entries are
   * then kept in memory, and every `set` tries the disk again. Also called once for each file that cannot be read, and
   * once if the folder cannot be read. A strict read rejects instead.
   */
  readonly onProblem?: OnProblem
}

const MAX_REPORTED = 1_000

/** A change that the disk refused, kept in memory. */
interface HeldChange {
  readonly key: string
  /** The encoded entry. Undefined for a deletion. */
  readonly text?: string
  /** By the clock of the store. After this time, the change counts as a deletion: the file may have an older value. */
  readonly expiresAt: number
  /** By the clock of this machine, to compare it with the time of the file. */
  readonly heldAt: number
  /**
   * When the file expires, by the clock of the store; `-Infinity` if the entry had no file. If the file disappears
   * before this time, another process has deleted the entry. Later, any process may remove the file as expired.
   */
  readonly fileExpiresAt: number
}

/**
 * A store with one JSON file per key, shared by several processes. `set` rejects a value that JSON refuses, such as a
 * bigint. Parts that JSON leaves out, such as functions, are lost.
 *
 * @example
 * ```ts
 * createMcpServer({ name: 'todos', version: '1.0.0', commands: [add], store: createFileStore({ dir: './state' }) })
 * ```
 */
export function createFileStore(options: FileStoreOptions): Store {
  const { dir, maxEntries = 10_000, now = Date.now, onProblem = () => {} } = options
  /** By the name of the file. */
  const held = new Map<string, HeldChange>()
  const writes = createWriteOrder()
  const writesPerSweep = Math.max(1, Math.min(64, Math.floor(maxEntries / 10)))
  const outage = createOutage(onProblem, now)
  const reported = new Set<string>()
  const watch = createFolderWatch(dir)
  let secured: Promise<void> | undefined
  let written = 0

  const pathOf = (key: string) => join(dir, entryName(key))

  const reportRead = (problem: StorageProblem) => {
    if (reported.has(problem.path) || reported.size >= MAX_REPORTED) return
    reported.add(problem.path)
    onProblem(problem)
  }

  /** For strict reads: an entry that cannot be read now must not count as missing. */
  const refuseUnread = (problem: StorageProblem) => {
    if (problem.kind === 'unreadable') throw new StorageError(problem)
    reportRead(problem)
  }

  const readLive = async (path: string, onUnread: OnProblem): Promise<Entry | undefined> => {
    const entry = readEntry(path, onUnread)
    if (entry === undefined || entry.expiresAt > now()) return entry
    await removeExpired(path, now)
    return undefined
  }

  /** Tries the disk. If the disk refuses, holds the change in memory. */
  const change = (key: string, onDisk: () => Promise<void>, toHold: Pick<HeldChange, 'text' | 'expiresAt'>) =>
    writes.inOrder(key, async () => {
      const name = entryName(key)
      try {
        await onDisk()
        held.delete(name)
      } catch (cause) {
        const fileExpiresAt = await expiryOf(join(dir, name))
        setNewest(held, name, { key, ...toHold, heldAt: Date.now(), fileExpiresAt }, maxEntries)
        const what = `Cannot write to ${dir}: ${reasonOf(cause)}`
        const message = `${what}. Changes are kept in memory and are lost when this process ends`
        outage.failed({ kind: 'unwritable', path: dir, message, what, cause })
      }
      watch.changed(key)
    })

  const isLive = ({ expiresAt }: HeldChange) => expiresAt > now()

  /**
   * The change that is held for a key. First tries to write it to the disk, so that it need not be held. The change is
   * dropped if another process has written or deleted the entry since.
   */
  const heldFor = async (key: string): Promise<HeldChange | undefined> => {
    const name = entryName(key)
    const change = held.get(name)
    if (change === undefined) return undefined
    await writes.inOrder(key, async () => {
      // Another change of this key may have run before this turn.
      if (held.get(name) === change && (await isSettled(join(dir, name), change))) held.delete(name)
    })
    return held.get(name)
  }

  /** Resolves to false if the disk still refuses the change. */
  const isSettled = async (path: string, change: HeldChange): Promise<boolean> => {
    if (!isLive(change)) return removeOlder(path, change.heldAt)
    if (await isOvertaken(path, change, now)) return true
    return writeAtomic(path, change.text ?? '').then(
      () => true,
      () => false,
    )
  }

  return {
    async get(key, { isStrict = false } = {}) {
      const change = await heldFor(key)
      if (change !== undefined) return isLive(change) ? decodeEntry(change.text ?? '')?.value : undefined
      const entry = await readLive(pathOf(key), isStrict ? refuseUnread : reportRead)
      return entry?.key === key ? entry.value : undefined
    },
    async set(key, value, { ttlMs = Number.POSITIVE_INFINITY } = {}) {
      // Encodes the value before the first `await`, because the caller may change it later.
      const expiresAt = now() + ttlMs
      const text = encodeEntry({ key, value, expiresAt })
      const onDisk = async () => {
        secured ??= secure(dir)
        await secured
        await writeAtomic(pathOf(key), text)
        outage.worked()
      }
      await change(key, onDisk, { text, expiresAt })
      written += 1
      if (written % writesPerSweep === 0) await sweep({ dir, maxEntries, now, isHeld: (name) => held.has(name) })
    },
    async delete(key) {
      await change(key, () => rm(pathOf(key), { force: true }), { expiresAt: Number.NEGATIVE_INFINITY })
    },
    async *keys(prefix, { isStrict = false } = {}) {
      const onUnread = isStrict ? refuseUnread : reportRead
      /** The names of files with outdated content: a newer change is in memory. */
      const outdated = new Set<string>()
      for (const [name, { key }] of [...held].filter(([, one]) => one.key.startsWith(prefix))) {
        const change = await heldFor(key)
        if (change === undefined) continue
        outdated.add(name)
        if (isLive(change)) yield key
      }
      for (const name of await entryFiles(dir, onUnread)) {
        if (outdated.has(name) || !mayStartWith(name, prefix)) continue
        const key = (await readLive(join(dir, name), onUnread))?.key
        // A file under the name of another key is ignored.
        if (key?.startsWith(prefix) === true && entryName(key) === name) yield key
      }
    },
    watch: watch.add,
    async [Symbol.asyncDispose]() {
      watch.close()
      await writes.settled()
      held.clear()
    },
  }
}

/** The default kind of store. */
export const fileStore = defineStore({
  name: 'file',
  open: ({ dir, onProblem }) => createFileStore(defined({ dir, onProblem })),
  addressOf: ({ dir }, key) => join(dir, entryName(key)),
})

/** Changes of one key run in the order of the calls. Changes of different keys do not wait for each other. */
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

// Ignores errors: if the folder cannot be written, the next write reports it.
async function secure(dir: string): Promise<void> {
  await makeFolder(dir).catch(() => {})
  await chmod(dir, 0o700).catch(() => {})
}

/** Empty if the folder is absent, or if it cannot be read and `onProblem` does not throw. */
async function entryFiles(dir: string, onProblem: OnProblem): Promise<readonly string[]> {
  try {
    return (await readdir(dir)).filter(isEntryName)
  } catch (cause) {
    if (!isAbsent(cause)) onProblem(unreadable(dir, cause))
    return []
  }
}

/** Returns when a file expires. An absent file has expired (`-Infinity`), a file with unknown content never expires. */
async function expiryOf(path: string): Promise<number> {
  const entry = readEntry(path)
  if (entry !== undefined) return entry.expiresAt
  return stat(path).then(
    () => Number.POSITIVE_INFINITY,
    () => Number.NEGATIVE_INFINITY,
  )
}

/** Checks whether another process has written or deleted the file since the change was held. */
async function isOvertaken(path: string, { heldAt, fileExpiresAt }: HeldChange, now: () => number): Promise<boolean> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs > heldAt,
    // Another error can have the same cause as the outage.
    (error) => errorCode(error) === 'ENOENT' && fileExpiresAt > now(),
  )
}

/**
 * Removes a file that is not newer than the time. Resolves to false if the old file may still exist. A newer file was
 * written by another process.
 */
async function removeOlder(path: string, time: number): Promise<boolean> {
  const isOlder = async (at: string) => (await stat(at)).mtimeMs <= time
  try {
    return !(await isOlder(path)) || (await removeIf(path, isOlder))
  } catch (error) {
    return errorCode(error) === 'ENOENT'
  }
}
