// Limits that all gateways share, in Redis. Each is one script, so that two gateways cannot take the last call twice.

import { createHash } from 'node:crypto'
import type { RedisConnection } from './redis-connection.ts'
import { entryKeys } from './redis-keys.ts'
import { runScript } from './redis-scripts.ts'
import type { StoreLimits } from './store.ts'

/** Longer keys are hashed. They contain the name of a principal, which a company login chooses. */
const MAX_KEY_CHARS = 200

export function createRedisLimits(run: RedisConnection['run'], prefix: string): StoreLimits {
  const rates = entryKeys(prefix, 'rate')
  const slots = entryKeys(prefix, 'slots')
  return {
    take: async (key, limit, windowMs) =>
      Number(await run((redis) => runScript(redis, 'take', rates.toName(shortened(key)), [limit, windowMs]))),
    async enter(key, holder, limit, ttlMs) {
      const name = slots.toName(shortened(key))
      return (await run((redis) => runScript(redis, 'enter', name, [holder, limit, ttlMs]))) === 1
    },
    async leave(key, holder) {
      await run((redis) => redis.zrem(slots.toName(shortened(key)), holder))
    },
  }
}

function shortened(key: string): string {
  return key.length <= MAX_KEY_CHARS ? key : `hash:${createHash('sha256').update(key).digest('hex')}`
}
