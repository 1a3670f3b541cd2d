// Loads the Redis client, and recognizes a Redis that can never be used with these settings.

import type { Redis } from 'ioredis'
import { loadOptional } from '../core/optional-package.ts'
import type { RedisAddress } from './redis-address.ts'

/** Loaded at the first use, so that a gateway without Redis works without the package. */
export async function loadClient(): Promise<typeof Redis> {
  const about = { what: 'store', reason: 'a store in Redis needs' }
  return (await loadOptional('ioredis', () => import('ioredis'), about)).Redis
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
    todo: 'Check the user and the password in the address of `store`, and the rights of that user.',
  }
}

/** Also false if the user may not run INFO. A cluster then refuses the first script. */
export async function isCluster(redis: Redis): Promise<boolean> {
  return redis.info('cluster').then(
    (text) => text.includes('cluster_enabled:1'),
    () => false,
  )
}

export function clusterRefusal({ shown }: RedisAddress) {
  return {
    what: 'store',
    reason: `Redis at ${shown} is a cluster, which is not supported`,
    todo: 'Use a single Redis or Valkey server, with a replica for failover.',
  }
}
