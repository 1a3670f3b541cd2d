// The subscriptions of one process in Redis. After an outage, all of them are made again.

import type { Redis } from 'ioredis'
import { createListeners, type Listeners } from '../core/listeners.ts'
import { atMost } from '../core/waiting.ts'
import type { RedisAddress } from './redis-address.ts'
import { CONNECT_MS, GRACE_MS, loadClient, optionsFor } from './redis-client.ts'

export interface RedisSubscriptions {
  /** Calls the listener with each message. `onGap` is called when messages may have been missed. */
  subscribe(channel: RedisChannel, listener: (message: string) => void, onGap: () => void): Subscription
  endAll(): void
  disconnect(): void
}

interface RedisChannel {
  readonly channel: string
  readonly isPattern: boolean
}

interface Subscription {
  /** Resolves when the subscription is in effect, or after a short time. */
  readonly whenLive: Promise<unknown>
  end(): void
}

/** A channel and all its subscribers in this process. */
interface SubscribedChannel extends RedisChannel {
  readonly listeners: Listeners<[message: string]>
  readonly gapListeners: Listeners
  live: Promise<void>
}

/** A connection with subscriptions cannot run other commands, so subscriptions have their own connection. */
export function createRedisSubscriptions(address: RedisAddress): RedisSubscriptions {
  const channels = new Map<string, SubscribedChannel>()
  let client: Redis | undefined
  let opening: Promise<Redis> | undefined
  /** True if the subscriptions must be made again when the connection works. */
  let mustResubscribe = false
  let isEnded = false

  const deliver = (channel: string, message: string) => channels.get(channel)?.listeners.tell(message)
  const resubscribe = async (redis: Redis) => {
    for (const one of [...channels.values()]) await listen(redis, one)
    for (const { gapListeners } of [...channels.values()]) gapListeners.tell()
  }
  const open = async (): Promise<Redis> => {
    const Client = await loadClient()
    const redis = new Client({ ...optionsFor(address), commandTimeout: CONNECT_MS })
    client = redis
    // Without a listener, ioredis prints every error.
    redis.on('error', () => {})
    redis.on('message', deliver)
    redis.on('pmessage', (pattern: string, _channel: string, message: string) => deliver(pattern, message))
    redis.on('close', () => {
      mustResubscribe = true
    })
    redis.on('ready', () => {
      if (!mustResubscribe) return
      mustResubscribe = false
      resubscribe(redis).catch(() => redis.disconnect(true))
    })
    await redis.connect().catch(() => {})
    return redis
  }
  const begin = async (one: SubscribedChannel): Promise<void> => {
    opening ??= open()
    const redis = await opening
    if (isEnded) return redis.disconnect()
    // If the connection does not work now, `resubscribe` makes the subscription later.
    if (redis.status === 'ready') await listen(redis, one).catch(() => redis.disconnect(true))
    else mustResubscribe = true
    // Messages between the call of `subscribe` and now were missed.
    one.gapListeners.tell()
  }

  return {
    subscribe({ channel, isPattern }, listener, onGap) {
      const known = channels.get(channel)
      const one: SubscribedChannel = known ?? {
        channel,
        isPattern,
        listeners: createListeners(),
        gapListeners: createListeners(),
        live: Promise.resolve(),
      }
      channels.set(channel, one)
      const removers = [one.listeners.add(listener), one.gapListeners.add(onGap)]
      if (known === undefined) one.live = begin(one)
      return {
        whenLive: atMost(GRACE_MS, one.live),
        end() {
          for (const remove of removers) remove()
          if (one.listeners.size > 0 || channels.get(channel) !== one) return
          channels.delete(channel)
          if (client?.status !== 'ready') return
          void (isPattern ? client.punsubscribe(channel) : client.unsubscribe(channel)).catch(() => {})
        },
      }
    },
    endAll() {
      isEnded = true
      channels.clear()
    },
    disconnect: () => client?.disconnect(),
  }
}

async function listen(redis: Redis, { channel, isPattern }: RedisChannel): Promise<void> {
  await (isPattern ? redis.psubscribe(channel) : redis.subscribe(channel))
}
