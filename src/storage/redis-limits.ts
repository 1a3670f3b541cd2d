// Limits in Redis that all gateways share. Each check is one script: two gateways cannot both take the last call.

import { createHash } from 'node:crypto'
import type { RedisConnection } from './redis-connection.ts'
import { entryKeys } from './redis-keys.ts'
import { runScript } from './redis-scripts.ts'
import type { StoreLimits } from './store.ts'

/** Longer keys are hashed. A key contains the name of a principal, which may come from a company login. */
const MAX_KEY_CHARS = 200

export function createRedisLimits(run: RedisConnection['run'], prefix: string): StoreLimits {
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
