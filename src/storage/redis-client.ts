// Loads and configures the Redis client, and recognizes a Redis that can never be used with these settings.

import type { Redis, RedisOptions } from 'ioredis'
import { defined } from '../core/defined.ts'
import { loadOptional } from '../core/optional-package.ts'
import type { RedisAddress } from './redis-address.ts'

/** The longest time that a connection may take. */
export const CONNECT_MS = 1_000
/** For this time after a loss, commands wait for the connection: a restart of Redis takes less time. */
export const GRACE_MS = 700
const MAX_RETRY_MS = 500

/** Loaded at the first use, so that a gateway without Redis works without the package. */
export async function loadClient(): Promise<typeof Redis> {
  const about = { what: 'store', reason: 'a store in Redis needs' }
  return (await loadOptional('ioredis', () => import('ioredis'), about)).Redis
}

export function optionsFor(address: RedisAddress): Omit<RedisOptions, 'replyMapping'> {
  const { host, port, username, password, db, isTls } = address
  return {
    ...defined({ host, port, db, username, password, tls: isTls ? { servername: host } : undefined }),
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    // `run` of the connection waits and tries again for a bounded time, so ioredis does not.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    connectionName: 'toolcrib',
    retryStrategy: (times) => Math.min(20 * times, MAX_RETRY_MS),
    // After a failover, the old server accepts no writes.
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
  }
}

/** True if Redis refuses the user or the password. Another attempt would get the same answer. */
export function isRefusal({ message }: Error): boolean {
  return /^(?:WRONGPASS|NOAUTH|NOPERM|ERR AUTH|ERR invalid password)/.test(message)
}

export function userRefusal({ shown }: RedisAddress, { message }: Error) {
  const [code = ''] = message.split(' ', 1)
  return {
    what: 'store',
    reason: `Redis at ${shown} refuses the user or the password (${code})`,
    todo: 'Check the user and the password in `store` of the config or in TOOLCRIB_STORE, and the rights of that user.',
  }
}

/** Also false if the user may not run INFO. A cluster then refuses commands for keys of its other nodes. */
export async function isCluster(redis: Redis): Promise<boolean> {
  const text = await redis.info('cluster').catch(() => '')
  return text.includes('cluster_enabled:1')
}

export function clusterRefusal({ shown }: RedisAddress) {
  return {
    what: 'store',
    reason: `Redis at ${shown} is a cluster, which is not supported`,
    todo: 'Use a single Redis or Valkey server, with a replica for failover.',
  }
}
