// A lock in Redis between the gateways of all machines.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RedisAddress } from './redis-address.ts'
import type { RedisConnection } from './redis-connection.ts'
import { entryKeys } from './redis-keys.ts'
import { runScript } from './redis-scripts.ts'
import { type Store, StoreLockFailed } from './store.ts'

const RETRY_MS = 50

export function createRedisLock(
  run: RedisConnection['run'],
  { prefix, shown }: RedisAddress,
): NonNullable<Store['lock']> {
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
      await sleep(RETRY_MS * (0.5 + Math.random()))
    }
    try {
      return await work()
    } finally {
      await run((redis) => runScript(redis, 'release', lockName, [mark])).catch(() => {})
    }
  }
}
