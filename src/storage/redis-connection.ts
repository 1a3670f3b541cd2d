// The connection of one process to Redis. In an outage, the first commands fail after about a second, others at once.

import type { Redis } from 'ioredis'
import { raise } from '../core/errors.ts'
import { createListeners } from '../core/listeners.ts'
import { atMost, withResolvers } from '../core/waiting.ts'
import type { RedisAddress } from './redis-address.ts'
import { clusterRefusal, GRACE_MS, isCluster, isRefusal, loadClient, optionsFor, userRefusal } from './redis-client.ts'
import { createRedisSubscriptions, type RedisSubscriptions } from './redis-subscriptions.ts'

export interface RedisConnection {
  readonly address: RedisAddress
  /** True while the connection does not work: from its loss, or from the first command, until it is ready. */
  readonly isDown: boolean
  /** If the connection is lost, the command is sent again, up to twice. Rejects with RedisUnreachable in an outage. */
  run<T>(command: (redis: Redis) => Promise<T>): Promise<T>
  /** Waits for the end of an outage, at most until `GRACE_MS` after its start. Resolves with true if it is over. */
  isBack(): Promise<boolean>
  /** Uses another connection, see `createRedisSubscriptions`. */
  readonly subscribe: RedisSubscriptions['subscribe']
  /** Called after an outage, when commands work again. */
  onReturn(listener: () => void): () => void
  /** Connects. Raises if the settings can never work: no package, a refused user, or a cluster. */
  check(): Promise<void>
  close(): Promise<void>
}

export class RedisUnreachable extends Error {
  constructor({ shown }: RedisAddress) {
    super(`Redis at ${shown} cannot be reached`)
    this.name = 'RedisUnreachable'
  }
}

/** A command without an answer counts as a lost connection after this time. */
const COMMAND_MS = 500
const MAX_TRIES = 3

export function connectRedis(address: RedisAddress): RedisConnection {
  const link = createLink()
  const subscriptions = createRedisSubscriptions(address)
  let client: Redis | undefined
  let opening: Promise<Redis> | undefined
  let refused: Error | undefined

  const open = async (): Promise<Redis> => {
    const Client = await loadClient()
    const redis = new Client(optionsFor(address))
    client = redis
    // Without a listener, ioredis prints every error.
    redis.on('error', (error: Error) => {
      if (isRefusal(error)) refused = error
    })
    redis.on('ready', link.markReady)
    redis.on('close', link.markLost)
    redis.on('end', link.stopWaiting)
    void redis.connect().catch(link.markLost)
    return redis
  }
  const openOnce = () => {
    opening ??= open()
    return opening
  }

  return {
    address,
    get isDown() {
      return link.isDown
    },
    async run(command) {
      const redis = await openOnce()
      for (let n = 1; ; n++) {
        if (!(await link.whenReady())) throw new RedisUnreachable(address)
        try {
          return await inTime(command(redis))
        } catch (error) {
          const isAnswerOfRedis = error instanceof Error && error.name === 'ReplyError'
          if (isAnswerOfRedis || n >= MAX_TRIES) throw error
          // The command had no answer in time, or the connection broke.
          const wasReady = link.isReady
          link.markLost()
          if (wasReady && redis.status === 'ready') redis.disconnect(true)
        }
      }
    },
    async isBack() {
      await openOnce()
      return link.whenReady()
    },
    subscribe: subscriptions.subscribe,
    onReturn: link.onReturn,
    async check() {
      const redis = await openOnce()
      await link.whenReady()
      if (refused !== undefined) raise('INVALID_OPTIONS', userRefusal(address, refused))
      if (link.isReady && (await isCluster(redis))) raise('INVALID_OPTIONS', clusterRefusal(address))
    },
    async close() {
      link.end()
      subscriptions.endAll()
      await opening?.catch(() => {})
      client?.disconnect()
      subscriptions.disconnect()
    },
  }
}

/** Tracks whether the connection works, and lets commands wait for it. */
function createLink() {
  const returned = createListeners()
  /** Called when the connection works, or has ended. */
  const settled = createListeners()
  let isReady = false
  /** When the connection was lost, or when the first command began to wait for it. Undefined while it works. */
  let lostAt: number | undefined
  let isEnded = false
  return {
    get isReady() {
      return isReady
    },
    /** As `RedisConnection.isDown`. */
    get isDown() {
      return lostAt !== undefined
    },
    markReady() {
      const wasLost = lostAt !== undefined
      isReady = true
      lostAt = undefined
      settled.tell()
      if (wasLost) returned.tell()
    },
    markLost() {
      isReady = false
      lostAt ??= performance.now()
    },
    /** Waits until the connection works, at most until `GRACE_MS` after its loss. */
    async whenReady(): Promise<boolean> {
      if (isReady) return true
      if (isEnded) return false
      lostAt ??= performance.now()
      const leftMs = lostAt + GRACE_MS - performance.now()
      if (leftMs <= 0) return false
      const { promise, resolve } = withResolvers()
      const stop = settled.add(resolve)
      await atMost(leftMs, promise)
      stop()
      return isReady
    },
    /** Ends all waits: the connection does not come back. */
    stopWaiting: settled.tell,
    onReturn: returned.add,
    /** From now on, `whenReady` does not wait. */
    end() {
      isEnded = true
    },
  }
}

/**
 * Rejects if the answer does not arrive within `COMMAND_MS`. The rejection waits two more turns of the event loop,
 * because a busy process may not have read an answer that has already arrived.
 */
function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const late = () => setImmediate(() => setImmediate(() => reject(new Error(`no answer in ${COMMAND_MS} ms`))))
    const timer = setTimeout(late, COMMAND_MS)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
