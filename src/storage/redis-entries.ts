// The entries of a store in Redis. Changes that Redis does not accept are kept in memory and written later.

import { setTimeout as sleep } from 'node:timers/promises'
import { setNewest } from '../core/collections.ts'
import { StorageError } from './problem.ts'
import type { RedisMessages } from './redis-messages.ts'
import { runScript } from './redis-scripts.ts'
import { parseText, type RedisStoreBase } from './redis-store-base.ts'
import type { Store, StorePart } from './store.ts'

/** The tool list of a server expires if it is not stored again within this time. */
const MANIFEST_TTL_MS = 30 * 24 * 60 * 60 * 1_000
const MAX_UPDATE_ATTEMPTS = 50
const SCAN_COUNT = 1_000

export function createRedisEntries(
  { connection, names, run, reportFailure, encode }: RedisStoreBase,
  part: StorePart,
  { whenSubscribed, tellOwn }: Pick<RedisMessages, 'whenSubscribed' | 'tellOwn'>,
) {
  const known = createLastKnown()
  /** The newest change of each key, while it is in flight. */
  const newest = new Map<string, HeldChange>()

  const ttlOf = (ttlMs: number | undefined): number => {
    const wanted = ttlMs ?? (part === 'manifests' ? MANIFEST_TTL_MS : Number.POSITIVE_INFINITY)
    return Number.isFinite(wanted) ? Math.max(1, Math.ceil(wanted)) : 0
  }
  const write = async (key: string, text: string | undefined, ttlMs: number): Promise<void> => {
    await whenSubscribed()
    const args = [names.channelOf(key), names.toName(key)]
    await run((redis) =>
      text === undefined
        ? runScript(redis, 'delete', names.toName(key), args)
        : runScript(redis, 'set', names.toName(key), [...args, text, ttlMs]),
    )
    known.note(key, text)
  }
  /** Writes the change, or keeps it in memory if Redis does not accept it. */
  const change = async (key: string, text: string | undefined, ttlMs: number): Promise<void> => {
    const held: HeldChange = { text, expiresAt: ttlMs === 0 ? Number.POSITIVE_INFINITY : Date.now() + ttlMs }
    // Replaces an older change at once: a flush that runs meanwhile must not write the older one after this one.
    if (known.held(key) !== undefined) known.hold(key, held)
    newest.set(key, held)
    try {
      await write(key, text, ttlMs)
    } catch (cause) {
      const last = newest.get(key)
      // A newer change has ended: Redis has accepted it, or it is held.
      if (last === undefined) return
      // If a newer change is in flight, that one is held: a flush must not write this one after it.
      known.hold(key, last)
      reportFailure('write to', cause, KEPT)
      tellOwn(key)
      return
    } finally {
      if (newest.get(key) === held) newest.delete(key)
    }
    known.release(key, held)
    flushAfterSuccess()
  }
  /** Writes the changes that were kept in memory. */
  const flush = async () => {
    for (const [key, held] of known.allHeld()) {
      // A later change of this key may have been written meanwhile.
      if (known.held(key) !== held) continue
      const ttlMs = Number.isFinite(held.expiresAt) ? Math.max(1, held.expiresAt - Date.now()) : 0
      const hasExpired = held.text !== undefined && liveText(held) === undefined
      // Deletes only the text from before the change: another gateway may have written a newer text.
      if (hasExpired) await compareAndChange(key, known.get(key), undefined, 0)
      else await write(key, held.text, ttlMs)
      known.release(key, held)
    }
  }
  let flushing: Promise<void> | undefined
  /** Starts a flush if none is running. Resolves at its end, also if Redis does not accept a change. */
  const flushOnce = (): Promise<void> => {
    flushing ??= flush()
      .catch((cause) => reportFailure('write to', cause, KEPT))
      .finally(() => {
        flushing = undefined
      })
    return flushing
  }
  /** Writes changes that Redis has refused with an error. Without an outage, `onReturn` starts no flush for them. */
  const flushAfterSuccess = (): void => {
    if (known.hasHeld()) void flushOnce()
  }
  // A flush that is running may have failed in the outage, so another one follows.
  const stopFlushing = connection.onReturn(() => void Promise.resolve(flushing).then(flushOnce))
  const read = async (key: string): Promise<string | undefined> => {
    const held = known.held(key)
    if (held !== undefined) return liveText(held)
    try {
      const text = (await run((redis) => redis.get(names.toName(key)))) ?? undefined
      known.note(key, text)
      return text
    } catch (cause) {
      reportFailure('read from', cause, 'The last known state is used')
      return known.get(key)
    }
  }
  /** Writes the new text, or deletes the entry, if the entry still has the text `before`. */
  const compareAndChange = async (
    key: string,
    before: string | undefined,
    next: string | undefined,
    ttlMs: number,
  ): Promise<boolean> => {
    const name = names.toName(key)
    const args = [names.channelOf(key), name, ...(next === undefined ? [] : [next, ttlMs]), before ?? '']
    const isDone = (await run((redis) => runScript(redis, next === undefined ? 'remove' : 'replace', name, args))) === 1
    if (isDone) known.note(key, next)
    return isDone
  }

  const methods: Required<Pick<Store, 'get' | 'set' | 'delete' | 'keys' | 'update'>> = {
    get: async (key) => parseText(await read(key)),
    async set(key, value, { ttlMs } = {}) {
      if (ttlMs !== undefined && ttlMs <= 0) return change(key, undefined, 0)
      await change(key, encode(key, value), ttlOf(ttlMs))
    },
    delete: (key) => change(key, undefined, 0),
    async *keys(prefix) {
      const seen = new Set<string>()
      const isNew = (key: string | undefined): key is string => {
        if (key === undefined || seen.has(key) || !key.startsWith(prefix)) return false
        seen.add(key)
        const held = known.held(key)
        return held === undefined || liveText(held) !== undefined
      }
      for (const [key] of known.allHeld()) if (isNew(key)) yield key
      try {
        let cursor = '0'
        do {
          const [next, found] = await run((redis) =>
            redis.scan(cursor, 'MATCH', names.pattern(prefix), 'COUNT', SCAN_COUNT),
          )
          cursor = next
          for (const name of found) {
            const key = names.toKey(name)
            if (isNew(key)) yield key
          }
        } while (cursor !== '0')
      } catch (cause) {
        reportFailure('read from', cause, 'The last known state is used')
        for (const key of known.keys(prefix)) if (isNew(key)) yield key
      }
    },
    async update(key, changeValue, { ttlMs } = {}) {
      const isAway = connection.isDown && !(await connection.isBack())
      if (!isAway && known.held(key) !== undefined) await flushOnce()
      // While Redis is out of reach, or does not accept an earlier change of this entry, the new value is made from the
      // value in memory and is not compared with the value in Redis.
      const isKept = isAway || known.held(key) !== undefined
      for (let n = 0; n < MAX_UPDATE_ATTEMPTS; n++) {
        const text = isKept ? await read(key) : ((await run((redis) => redis.get(names.toName(key)))) ?? undefined)
        const before = parseText(text)
        const value = changeValue(before)
        if (value === before) return
        const next = encode(key, value)
        if (isKept) return change(key, next, next === undefined ? 0 : ttlOf(ttlMs))
        if (await compareAndChange(key, text, next, ttlOf(ttlMs))) return flushAfterSuccess()
        // Another process has changed the value. A random pause lets one of several processes finish.
        await sleep(Math.random() * n)
      }
      const message = `'${key.slice(0, 100)}' is changed by too many processes at once`
      throw new StorageError({ kind: 'overloaded', path: connection.address.shown, message })
    },
  }
  return { methods, close: stopFlushing }
}

const KEPT = 'Changes are kept in memory'
const MAX_ENTRIES = 2_000
const MAX_CHARS = 32 * 1024 * 1024
const MAX_HELD = 1_000

/** A change that could not be written. Without a text the entry was deleted. */
interface HeldChange {
  readonly text: string | undefined
  /** By the clock of this machine. Infinity for an entry without expiry. */
  readonly expiresAt: number
}

/** Undefined for a deletion. A change that has expired is a deletion too: Redis may still have an older text. */
function liveText({ text, expiresAt }: HeldChange): string | undefined {
  return expiresAt > Date.now() ? text : undefined
}

/** The last known texts of entries, and the changes that Redis has not accepted yet. Both are bounded. */
function createLastKnown() {
  // A Map keeps the order of insertion, and `note` inserts a known key again. So the first entry is the oldest.
  const known = new Map<string, string>()
  const changes = new Map<string, HeldChange>()
  let chars = 0
  const forget = (key: string) => {
    chars -= known.get(key)?.length ?? 0
    known.delete(key)
  }
  return {
    /** Remembers the text of an entry in Redis. `text` is undefined if Redis has no such entry. */
    note(key: string, text: string | undefined): void {
      forget(key)
      if (text === undefined || text.length > MAX_CHARS / 16) return
      known.set(key, text)
      chars += text.length
      while (known.size > MAX_ENTRIES || chars > MAX_CHARS) {
        const [oldest] = known.keys()
        if (oldest === undefined) return
        forget(oldest)
      }
    },
    get: (key: string) => known.get(key),
    keys: (prefix: string) => [...known.keys()].filter((key) => key.startsWith(prefix)),
    /** Keeps a change that Redis has not accepted. */
    hold: (key: string, change: HeldChange) => setNewest(changes, key, change, MAX_HELD),
    held: (key: string) => changes.get(key),
    /** Removes the change, unless another one replaced it meanwhile. */
    release(key: string, change: HeldChange | undefined): void {
      if (change !== undefined && changes.get(key) === change) changes.delete(key)
    },
    hasHeld: () => changes.size > 0,
    allHeld: () => [...changes],
  }
}
