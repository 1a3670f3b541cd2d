// The kind of store for an address `redis://` or `rediss://`. A store connects, and loads the client, at its first use.

import { raise } from '../core/errors.ts'
import { parseRedisAddress, REDIS_SCHEMES, type RedisAddress } from './redis-address.ts'
import { connectRedis, type RedisConnection } from './redis-connection.ts'
import { createRedisStore } from './redis-store.ts'
import { defineStore } from './store.ts'

/** The stores of one process share one connection per address. */
interface SharedConnection {
  readonly connection: RedisConnection
  uses: number
}

const connections = new Map<string, SharedConnection>()

export const redisStore = defineStore({
  name: 'redis',
  schemes: REDIS_SCHEMES,
  async check(given) {
    const url = requireUrl(given)
    try {
      await useConnection(url).check()
    } finally {
      await leaveConnection(url)
    }
  },
  open({ url: given, part, onProblem }) {
    const url = requireUrl(given)
    return createRedisStore({
      connection: useConnection(url),
      part,
      onProblem,
      onClose: () => leaveConnection(url),
    })
  },
})

function useConnection(url: string): RedisConnection {
  const shared = connections.get(url) ?? { connection: connectRedis(addressOf(url)), uses: 0 }
  shared.uses += 1
  connections.set(url, shared)
  return shared.connection
}

async function leaveConnection(url: string): Promise<void> {
  const shared = connections.get(url)
  if (shared === undefined) return
  shared.uses -= 1
  if (shared.uses > 0) return
  connections.delete(url)
  await shared.connection.close()
}

function requireUrl(url: string | undefined): string {
  const [todo, reason] = ['Write `store: "redis://host:6379"`.', 'it has no address']
  return url ?? raise('INVALID_OPTIONS', { what: 'store', reason, todo })
}

function addressOf(url: string): RedisAddress {
  const parsed = parseRedisAddress(url)
  return parsed.ok ? parsed.address : raise('INVALID_OPTIONS', { what: 'store', ...parsed })
}
