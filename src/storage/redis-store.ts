// A store in Redis or Valkey, shared by gateways on several machines. In an outage it returns the last known state.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { attempt } from '../core/listeners.ts'
import { createOutage } from './outage.ts'
import { type OnProblem, reasonOf, StorageError, type StorageProblem } from './problem.ts'
import type { RedisAddress } from './redis-address.ts'
import { type RedisConnection, RedisUnreachable } from './redis-connection.ts'
import { entryKeys, topicChannel } from './redis-keys.ts'
import { createLastKnown, type HeldChange } from './redis-known.ts'
import { createRedisLimits } from './redis-limits.ts'
import { runScript } from './redis-scripts.ts'
import { type Store, StoreLockFailed, type StorePart } from './store.ts'

interface RedisStoreOptions {
  readonly connection: RedisConnection
  readonly part: StorePart
  readonly onProblem?: OnProblem
  /** Called once, when the store is closed. */
  onClose(): Promise<void>
}

/** The longest text of an entry. The longest entry that the gateway writes is one page of a long result. */
const MAX_VALUE_BYTES = 16 * 1024 * 1024
/** The tool list of a server is removed if it is not saved again within this time. */
const MANIFEST_TTL_MS = 30 * 24 * 60 * 60 * 1_000
const SCAN_COUNT = 1_000
const LOCK_RETRY_MS = 50
const MAX_UPDATE_ATTEMPTS = 50

export function createRedisStore({ connection, part, onProblem = () => {}, onClose }: RedisStoreOptions): Store {
  const { address } = connection
  const names = entryKeys(address.prefix, part)
  const logKeys = entryKeys(address.prefix, 'log')
  const known = createLastKnown(Date.now)
  const outage = createOutage(onProblem, Date.now)
  const subscriptions = new Set<{ readonly whenLive: Promise<unknown>; end(): void }>()
  const ownListeners = new Set<readonly [string, (key: string) => void]>()
  let closing: Promise<void> | undefined

  const reportFailure = (doing: string, cause: unknown, consequence: string): void => {
    const isAway = cause instanceof RedisUnreachable
    const what = isAway ? cause.message : `Cannot ${doing} Redis at ${address.shown}: ${reasonOf(cause)}`
    const kind = doing === 'read from' ? 'unreadable' : 'unwritable'
    outage.failed({ kind, path: address.shown, message: `${what}. ${consequence}`, what, cause })
  }
  const run: RedisConnection['run'] = async (command) => {
    const result = await connection.run(command)
    outage.worked()
    return result
  }
  const ttlOf = (ttlMs: number | undefined): number => {
    const wanted = ttlMs ?? (part === 'manifests' ? MANIFEST_TTL_MS : Number.POSITIVE_INFINITY)
    return Number.isFinite(wanted) ? Math.max(1, Math.ceil(wanted)) : 0
  }
  /** Waits for the subscriptions of this process, so that it also gets the messages about its own changes. */
  const whenSubscribed = async () => {
    for (const { whenLive } of [...subscriptions]) await whenLive
  }

  const write = async (key: string, text: string | undefined, ttlMs: number): Promise<void> => {
    if (subscriptions.size > 0) await whenSubscribed()
    const args = [names.channelOf(key), names.toName(key)]
    await run((redis) =>
      text === undefined
        ? runScript(redis, 'delete', names.toName(key), args)
        : runScript(redis, 'set', names.toName(key), [...args, text, ttlMs]),
    )
    known.note(key, text)
  }
  /** Writes the change, or keeps it in memory until Redis accepts it. */
  const change = async (key: string, text: string | undefined, ttlMs: number): Promise<void> => {
    const before = known.held(key)
    try {
      await write(key, text, ttlMs)
      known.release(key, before)
    } catch (cause) {
      const held: HeldChange = { text, expiresAt: ttlMs === 0 ? Number.POSITIVE_INFINITY : Date.now() + ttlMs }
      known.hold(key, held)
      reportFailure('write to', cause, 'Changes are kept in memory until it can be reached again')
      for (const [prefix, listener] of [...ownListeners]) if (key.startsWith(prefix)) attempt(() => listener(key))
    }
  }
  /** Writes the changes that were kept in memory. */
  const flush = async () => {
    for (const [key, held] of known.allHeld()) {
      const ttlMs = Number.isFinite(held.expiresAt) ? Math.max(1, held.expiresAt - Date.now()) : 0
      await write(key, held.text, ttlMs)
      known.release(key, held)
    }
  }
  const stopFlushing = connection.onReturn(
    () => void flush().catch((cause) => reportFailure('write to', cause, 'Changes are kept in memory')),
  )

  const read = async (key: string): Promise<string | undefined> => {
    const held = known.held(key)
    if (held !== undefined) return held.text
    try {
      const text = (await run((redis) => redis.get(names.toName(key)))) ?? undefined
      known.note(key, text)
      return text
    } catch (cause) {
      reportFailure('read from', cause, 'The last known state is used')
      return known.get(key)
    }
  }
  const listenTo = (...given: Parameters<RedisConnection['subscribe']>): (() => void) => {
    const subscription = connection.subscribe(...given)
    subscriptions.add(subscription)
    return () => {
      subscription.end()
      subscriptions.delete(subscription)
    }
  }
  const encode = (key: string, value: unknown): string | undefined => {
    const text = value === undefined ? undefined : JSON.stringify(value)
    if (text !== undefined && Buffer.byteLength(text) > MAX_VALUE_BYTES) {
      const message = `The value of '${key.slice(0, 100)}' has more than ${MAX_VALUE_BYTES} bytes`
      throw new StorageError({ kind: 'bad-record', path: address.shown, message })
    }
    return text
  }

  return {
    isShared: true,
    isDegraded: () => connection.isDown,
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
        return held === undefined || held.text !== undefined
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
    watch(prefix, listener) {
      const tell = (name: string) => {
        const key = names.toKey(name)
        if (key?.startsWith(prefix) === true) attempt(() => listener(key))
      }
      // The prefix as key means: changes may have been missed, see `Store.watch`.
      const reportMissedChanges = () => attempt(() => listener(prefix))
      const end = listenTo(names.channelsFor(prefix), tell, reportMissedChanges)
      const ownListener = [prefix, listener] as const
      ownListeners.add(ownListener)
      return () => {
        end()
        ownListeners.delete(ownListener)
      }
    },
    async send(topic, message) {
      const text = encode(topic, message) ?? 'null'
      if (subscriptions.size > 0) await whenSubscribed()
      return run((redis) => redis.publish(topicChannel(address.prefix, topic), text))
    },
    listen(topic, listener) {
      const tell = (text: string) => attempt(() => listener(parseText(text)))
      return listenTo({ channel: topicChannel(address.prefix, topic), isPattern: false }, tell, () => {})
    },
    limits: createRedisLimits(run, address.prefix),
    async update(key, changeValue, { ttlMs } = {}) {
      const name = names.toName(key)
      // While Redis is out of reach, the new value is kept in memory and not compared with the value in Redis.
      const isAway = connection.isDown && !(await connection.isBack())
      for (let n = 0; n < MAX_UPDATE_ATTEMPTS; n++) {
        const text = isAway ? await read(key) : ((await run((redis) => redis.get(name))) ?? undefined)
        const before = parseText(text)
        const value = changeValue(before)
        if (value === before) return
        const next = encode(key, value)
        if (isAway) return change(key, next, next === undefined ? 0 : ttlOf(ttlMs))
        const args = [names.channelOf(key), name, ...(next === undefined ? [] : [next, ttlOf(ttlMs)]), text ?? '']
        const script = next === undefined ? 'remove' : 'replace'
        if ((await run((redis) => runScript(redis, script, name, args))) === 1) return known.note(key, next)
        // Another process has changed the value. A random pause lets one of several processes finish.
        await sleep(Math.random() * n)
      }
      throw new StorageError(busyProblem(key, address.shown))
    },
    increment: async (key, by, { ttlMs } = {}) =>
      Number(await run((redis) => runScript(redis, 'increment', names.toName(key), [by, ttlOf(ttlMs)]))),
    async appendTo(log, lines, maxLines) {
      const name = logKeys.toName(log)
      await run(async (redis) => {
        const pipeline = redis.pipeline()
        for (const line of lines) pipeline.xadd(name, 'MAXLEN', '~', maxLines, '*', 'line', line)
        for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error
      })
    },
    async *readLog(log) {
      for (let from = '-'; ; ) {
        const found = await run((redis) => redis.xrange(logKeys.toName(log), from, '+', 'COUNT', SCAN_COUNT))
        for (const [, [, line]] of found) if (line !== undefined) yield line
        const last = found.at(-1)?.[0]
        if (last === undefined || found.length < SCAN_COUNT) return
        from = `(${last}`
      }
    },
    lock: createLock(run, address),
    async [Symbol.asyncDispose]() {
      closing ??= (async () => {
        stopFlushing()
        for (const { end } of subscriptions) end()
        subscriptions.clear()
        ownListeners.clear()
        await onClose()
      })()
      await closing
    },
  }
}

function createLock(run: RedisConnection['run'], { prefix, shown }: RedisAddress): NonNullable<Store['lock']> {
  const lockKeys = entryKeys(prefix, 'lock')
  return async (name, { waitMs, ttlMs, isStrict = false, signal }, work) => {
    const mark = randomUUID()
    const lockName = lockKeys.toName(name)
    const until = Date.now() + waitMs
    const take = () =>
      run((redis) => redis.set(lockName, mark, 'PX', ttlMs, 'NX')).then(
        (answer) => answer === 'OK',
        (cause) => {
          if (isStrict) throw new StoreLockFailed(`Redis at ${shown} cannot be reached`, { cause })
          // A lock that is not strict only avoids duplicate work, so `work` runs without it.
          return true
        },
      )
    while (!(await take())) {
      signal?.throwIfAborted()
      if (Date.now() >= until) {
        if (isStrict) throw new StoreLockFailed(`another process still holds the lock after ${waitMs / 1_000} s`)
        break
      }
      await sleep(LOCK_RETRY_MS * (0.5 + Math.random()))
    }
    try {
      return await work()
    } finally {
      await run((redis) => runScript(redis, 'release', lockName, [mark])).catch(() => {})
    }
  }
}

function busyProblem(key: string, path: string): StorageProblem {
  return { kind: 'overloaded', path, message: `'${key.slice(0, 100)}' is changed by too many processes at once` }
}

/** A text that is not JSON is treated as missing. */
function parseText(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
