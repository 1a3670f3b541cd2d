// The connection of one process to Redis. In an outage, the first commands fail after about a second, others at once.

import type { Redis, RedisOptions } from 'ioredis'
import { raise } from '../core/errors.ts'
import { createListeners } from '../core/listeners.ts'
import { atMost } from '../core/with-timeout.ts'
import type { RedisAddress } from './redis-address.ts'
import { clusterRefusal, isCluster, isRefusal, loadClient, userRefusal } from './redis-client.ts'

export interface RedisConnection {
  readonly address: RedisAddress
  /** True if the last command, or the last attempt to connect, failed. */
  readonly isDown: boolean
  /**
   * Runs the command. If the connection is lost, the command is sent again for a short time, so it may run twice.
   * Rejects with RedisUnreachable, or with the error that Redis answered.
   */
  run<T>(command: (redis: Redis) => Promise<T>): Promise<T>
  /** Waits for the end of an outage, at most until `GRACE_MS` after its start. Resolves with true if it is over. */
  isBack(): Promise<boolean>
  /** Calls the listener with each message. `onGap` is called when messages may have been missed. */
  subscribe(channel: RedisChannel, listener: (message: string) => void, onGap: () => void): Subscription
  /** Called after an outage, when commands work again. */
  onReturn(listener: () => void): () => void
  /** Connects. Raises if the settings can never work: no package, a refused user, or a cluster. */
  check(): Promise<void>
  close(): Promise<void>
}

interface RedisChannel {
  readonly channel: string
  readonly isPattern: boolean
}

interface Subscription {
  /** Resolves when the subscription is in effect, or after a short time. */
  readonly isLive: Promise<void>
  end(): void
}

export class RedisUnreachable extends Error {
  constructor({ shown }: RedisAddress) {
    super(`Redis at ${shown} cannot be reached`)
    this.name = 'RedisUnreachable'
  }
}

/** A command without an answer counts as a lost connection after this time. */
const COMMAND_MS = 500
/** For this time after a loss, commands wait for the connection: a restart of Redis takes less time. */
const GRACE_MS = 700
const CONNECT_MS = 1_000
const MAX_RETRY_MS = 500
const MAX_TRIES = 3

interface Wanted {
  readonly listeners: Set<(message: string) => void>
  readonly gaps: Set<() => void>
  live: Promise<void>
}

export function connectRedis(address: RedisAddress): RedisConnection {
  const returned = createListeners()
  /** Called when the connection works, or has ended. */
  const settled = createListeners()
  const wanted = new Map<string, RedisChannel & Wanted>()
  let client: Redis | undefined
  let subscriber: Redis | undefined
  let subscribing: Promise<Redis> | undefined
  /** True if the subscriptions must be made again when the connection works. */
  let mustResubscribe = false
  let opening: Promise<Redis> | undefined
  let isReady = false
  /** When the connection was lost. Undefined while it works. */
  let lostAt: number | undefined
  let isClosed = false
  let refused: Error | undefined

  const lost = () => {
    isReady = false
    lostAt ??= performance.now()
  }
  const works = () => {
    const wasLost = lostAt !== undefined
    isReady = true
    lostAt = undefined
    settled.tell()
    if (wasLost) returned.tell()
  }

  const open = async (): Promise<Redis> => {
    const Client = await loadClient()
    const redis = new Client(optionsFor(address))
    client = redis
    // Without a listener, ioredis prints every error.
    redis.on('error', (error: Error) => {
      if (isRefusal(error)) refused = error
    })
    redis.on('ready', works)
    redis.on('close', lost)
    redis.on('end', settled.tell)
    void redis.connect().catch(lost)
    return redis
  }
  const opened = () => {
    opening ??= open()
    return opening
  }

  /** Waits until the connection works, at most until `GRACE_MS` after its loss. */
  const whenReady = async (): Promise<boolean> => {
    if (isReady) return true
    if (isClosed) return false
    lostAt ??= performance.now()
    const leftMs = lostAt + GRACE_MS - performance.now()
    if (leftMs <= 0) return false
    await new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer)
        stop()
        resolve()
      }
      const timer = setTimeout(finish, leftMs)
      const stop = settled.add(finish)
    })
    return isReady
  }

  const deliver = (channel: string, message: string) => {
    for (const listener of [...(wanted.get(channel)?.listeners ?? [])]) listener(message)
  }
  const reportGap = ({ gaps }: Wanted) => {
    for (const tell of [...gaps]) tell()
  }
  const resubscribe = async (redis: Redis) => {
    for (const one of [...wanted.values()]) await listen(redis, one)
    for (const one of [...wanted.values()]) reportGap(one)
  }
  /** A connection with subscriptions cannot run other commands, so subscriptions have their own connection. */
  const openSubscriber = async (): Promise<Redis> => {
    const Client = await loadClient()
    const redis = new Client({ ...optionsFor(address), commandTimeout: CONNECT_MS })
    subscriber = redis
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
  const begin = async (one: RedisChannel & Wanted): Promise<void> => {
    subscribing ??= openSubscriber()
    const redis = await subscribing
    if (isClosed) return redis.disconnect()
    // Otherwise `resubscribe` does it when the connection works.
    if (redis.status === 'ready') await listen(redis, one).catch(() => redis.disconnect(true))
    else mustResubscribe = true
    // Messages between the call and now were missed.
    reportGap(one)
  }

  return {
    address,
    get isDown() {
      return lostAt !== undefined
    },
    async run(command) {
      const redis = await opened()
      for (let n = 1; ; n++) {
        if (!(await whenReady())) throw new RedisUnreachable(address)
        try {
          return await inTime(command(redis))
        } catch (error) {
          if (isReply(error) || n >= MAX_TRIES) throw error
          // The command had no answer in time, or the connection broke.
          const isFirst = isReady
          lost()
          if (isFirst && redis.status === 'ready') redis.disconnect(true)
        }
      }
    },
    async isBack() {
      await opened()
      return whenReady()
    },
    subscribe({ channel, isPattern }, listener, onGap) {
      const one = wanted.get(channel) ?? {
        channel,
        isPattern,
        listeners: new Set(),
        gaps: new Set(),
        live: Promise.resolve(),
      }
      const isNew = !wanted.has(channel)
      wanted.set(channel, one)
      one.listeners.add(listener)
      one.gaps.add(onGap)
      if (isNew) one.live = begin(one)
      return {
        isLive: atMost(GRACE_MS, one.live),
        end() {
          one.listeners.delete(listener)
          one.gaps.delete(onGap)
          if (one.listeners.size > 0 || wanted.get(channel) !== one) return
          wanted.delete(channel)
          if (subscriber?.status !== 'ready') return
          void (isPattern ? subscriber.punsubscribe(channel) : subscriber.unsubscribe(channel)).catch(() => {})
        },
      }
    },
    onReturn: returned.add,
    async check() {
      const redis = await opened()
      await whenReady()
      if (refused !== undefined) raise('INVALID_OPTIONS', userRefusal(address, refused))
      if (isReady && (await isCluster(redis))) raise('INVALID_OPTIONS', clusterRefusal(address))
    },
    async close() {
      isClosed = true
      wanted.clear()
      await opening?.catch(() => {})
      client?.disconnect()
      subscriber?.disconnect()
    },
  }
}

function optionsFor({ host, port, username, password, db, isTls }: RedisAddress): Omit<RedisOptions, 'replyMapping'> {
  return {
    host,
    port,
    db,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(isTls ? { tls: { servername: host } } : {}),
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    // `run` waits and tries again for a bounded time, so ioredis does not.
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

async function listen(redis: Redis, { channel, isPattern }: RedisChannel): Promise<void> {
  await (isPattern ? redis.psubscribe(channel) : redis.subscribe(channel))
}

/**
 * Rejects without an answer in time. It waits two more turns of the event loop first: a busy process may not have read
 * an answer that has already arrived.
 */
function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const late = () => setImmediate(() => setImmediate(() => reject(new Error(`no answer in ${COMMAND_MS} ms`))))
    const timer = setTimeout(late, COMMAND_MS)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function isReply(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError'
}
