// A store in Redis or Valkey, shared by gateways on several machines. In an outage it returns the last known state.

import type { OnProblem } from './problem.ts'
import type { RedisConnection } from './redis-connection.ts'
import { createRedisEntries } from './redis-entries.ts'
import { createRedisLimits } from './redis-limits.ts'
import { createRedisLock } from './redis-lock.ts'
import { createRedisLog } from './redis-log.ts'
import { createRedisMessages } from './redis-messages.ts'
import { createRedisStoreBase } from './redis-store-base.ts'
import type { Store, StorePart } from './store.ts'

interface RedisStoreOptions {
  readonly connection: RedisConnection
  readonly part: StorePart
  readonly onProblem?: OnProblem | undefined
  /** Called once, when the store is closed. */
  onClose(): Promise<void>
}

export function createRedisStore({ connection, part, onProblem = () => {}, onClose }: RedisStoreOptions): Store {
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
