// A store in Redis or Valkey, shared by gateways on several machines. In an outage, reads use the last known entries.

import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type OnProblem, reasonOf } from './problem.ts'
import type { RedisAddress } from './redis-address.ts'
import { type RedisConnection, RedisUnreachable } from './redis-connection.ts'
import { createRedisEntries } from './redis-entries.ts'
import { createRedisMessages } from './redis-messages.ts'
import { runScript } from './redis-scripts.ts'
import { createRedisStoreBase, entryKeys } from './redis-store-base.ts'
import { type Store, type StoreLimits, StoreLockFailed, type StorePart } from './store.ts'

interface RedisStoreOptions {
  readonly connection: RedisConnection
  readonly part: StorePart
  readonly onProblem?: OnProblem | undefined
  /** Called once, when the store is closed. */
  onClose(): Promise<void>
}

export function createRedisStore(options: RedisStoreOptions): Required<Store> {
  const { connection, part, onProblem = () => {}, onClose } = options
  const { address } = connection
  const base = createRedisStoreBase(connection, part, onProblem)
  const messages = createRedisMessages(base)
  const entries = createRedisEntries(base, part, messages)
  let closing: Promise<void> | undefined

  return {
    isShared: true,
    isDegraded: () => connection.isDown,
    ...entries.methods,
    ...messages.methods,
    ...createRedisLog(base.run, address.prefix),
    limits: createRedisLimits(base.run, address.prefix),
    lock: createRedisLock(base.run, address),
    async [Symbol.asyncDispose]() {
      closing ??= (async () => {
        entries.close()
        messages.close()
        await onClose()
      })()
      await closing
    },
  }
}

const LINES_AT_ONCE = 1_000

/** Logs that all gateways append to. Each log is a stream of Redis. */
function createRedisLog(run: RedisConnection['run'], prefix: string): Required<Pick<Store, 'appendTo' | 'readLog'>> {
  const logKeys = entryKeys(prefix, 'log')
  return {
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
        const found = await run((redis) => redis.xrange(logKeys.toName(log), from, '+', 'COUNT', LINES_AT_ONCE))
        for (const [, [, line]] of found) if (line !== undefined) yield line
        const last = found.at(-1)?.[0]
        if (last === undefined || found.length < LINES_AT_ONCE) return
        from = `(${last}`
      }
    },
  }
}

/** Longer keys are hashed. A key can contain the name of a principal from a company login, which can be long. */
const MAX_KEY_CHARS = 200

/** Limits that all gateways share. Each check is one script: two gateways cannot both take the last call. */
function createRedisLimits(run: RedisConnection['run'], prefix: string): StoreLimits {
  const rates = entryKeys(prefix, 'rate')
  const slots = entryKeys(prefix, 'slots')
  return {
    take: async (key, limit, windowMs) =>
      Number(await run((redis) => runScript(redis, 'take', rates.toName(shortenKey(key)), [limit, windowMs]))),
    async enter(key, holder, limit, ttlMs) {
      const name = slots.toName(shortenKey(key))
      return (await run((redis) => runScript(redis, 'enter', name, [holder, limit, ttlMs]))) === 1
    },
    async leave(key, holder) {
      await run((redis) => redis.zrem(slots.toName(shortenKey(key)), holder))
    },
  }
}

function shortenKey(key: string): string {
  return key.length <= MAX_KEY_CHARS ? key : `hash:${createHash('sha256').update(key).digest('hex')}`
}

const RETRY_MS = 50

/** A lock between the gateways of all machines. */
function createRedisLock(run: RedisConnection['run'], { prefix, shown }: RedisAddress): NonNullable<Store['lock']> {
  const lockKeys = entryKeys(prefix, 'lock')
  return async (name, { waitMs, ttlMs, isStrict = false, signal }, work) => {
    const mark = randomUUID()
    const lockName = lockKeys.toName(name)
    const until = Date.now() + waitMs
    const take = () =>
      run((redis) => redis.set(lockName, mark, 'PX', ttlMs, 'NX')).then(
        (answer) => answer === 'OK',
        (cause) => {
          if (isStrict) {
            const isAway = cause instanceof RedisUnreachable
            const reason = isAway ? cause.message : `Redis at ${shown} refuses the lock: ${reasonOf(cause)}`
            throw new StoreLockFailed(reason, { cause })
          }
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
      await sleep(RETRY_MS * (0.5 + Math.random()))
    }
    try {
      return await work()
    } finally {
      await run((redis) => runScript(redis, 'release', lockName, [mark])).catch(() => {})
    }
  }
}
