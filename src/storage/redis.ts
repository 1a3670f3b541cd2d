// The kind of store for an address `redis://` or `rediss://`. The code for Redis is loaded at the first use of a store.

import { raise } from '../core/errors.ts'
import { parseRedisAddress, REDIS_SCHEMES, type RedisAddress } from './redis-address.ts'
import type { RedisConnection } from './redis-connection.ts'
import { defineStore, type Store, type StoreOpenOptions } from './store.ts'

/** The stores of one process share one connection per address. */
interface SharedConnection {
  readonly connection: Promise<RedisConnection>
  uses: number
}

const connections = new Map<string, SharedConnection>()

export const redisStore = defineStore({
  name: 'redis',
  schemes: REDIS_SCHEMES,
  async check(given) {
    const url = requireUrl(given)
    const shared = useConnection(url)
    try {
      await (await shared.connection).check()
    } finally {
      await leaveConnection(url)
    }
  },
  open: openLater,
})

function useConnection(url: string): SharedConnection {
  const address = addressOf(url)
  const connect = async () => (await import('./redis-connection.ts')).connectRedis(address)
  const shared = connections.get(url) ?? { connection: connect(), uses: 0 }
  shared.uses += 1
  connections.set(url, shared)
  return shared
}

async function leaveConnection(url: string): Promise<void> {
  const shared = connections.get(url)
  if (shared === undefined) return
  shared.uses -= 1
  if (shared.uses > 0) return
  connections.delete(url)
  await (await shared.connection).close()
}

function requireUrl(url: string | undefined): string {
  const [todo, reason] = ['Write `store: "redis://host:6379"`.', 'it has no address']
  return url ?? raise('INVALID_OPTIONS', { what: 'store', reason, todo })
}

function addressOf(url: string): RedisAddress {
  const parsed = parseRedisAddress(url)
  return parsed.ok ? parsed.address : raise('INVALID_OPTIONS', { what: 'store', ...parsed })
}

/** Connects at the first use: some commands open a store and never use it. */
function openLater({ url, part, onProblem }: StoreOpenOptions): Store {
  const given = requireUrl(url)
  addressOf(given)
  let opened: Required<Store> | undefined
  let opening: Promise<Required<Store>> | undefined
  const open = async (): Promise<Required<Store>> => {
    const { createRedisStore } = await import('./redis-store.ts')
    const connection = await useConnection(given).connection
    opened = createRedisStore({ connection, part, onProblem, onClose: () => leaveConnection(given) })
    return opened
  }
  const withStore = async <T>(work: (store: Required<Store>) => Promise<T>): Promise<T> => {
    opening ??= open()
    return work(await opening)
  }
  const follow = (start: (store: Required<Store>) => () => void): (() => void) => {
    let stop: (() => void) | undefined
    let isOver = false
    const begin = async (store: Required<Store>) => {
      if (!isOver) stop = start(store)
    }
    // If the package is missing, every other use of the store reports it.
    if (opened === undefined) withStore(begin).catch(() => {})
    else void begin(opened)
    return () => {
      isOver = true
      stop?.()
    }
  }
  return {
    isShared: true,
    isDegraded: () => opened?.isDegraded() === true,
    get: (key) => opened?.get(key) ?? withStore((store) => store.get(key)),
    set(key, value, options) {
      if (opened !== undefined) return opened.set(key, value, options)
      // Copied before the first `await`, because the caller may change the value later.
      const copy: unknown = structuredClone(value)
      return withStore((store) => store.set(key, copy, options))
    },
    delete: (key) => withStore((store) => store.delete(key)),
    async *keys(prefix) {
      yield* await withStore(async (store) => store.keys(prefix))
    },
    watch: (prefix, listener) => follow((store) => store.watch(prefix, listener)),
    update: (key, change, options) => withStore((store) => store.update(key, change, options)),
    lock: (name, options, work) => withStore((store) => store.lock(name, options, work)),
    appendTo: (log, lines, maxLines) => withStore((store) => store.appendTo(log, lines, maxLines)),
    async *readLog(log) {
      yield* await withStore(async (store) => store.readLog(log))
    },
    send: (topic, message) => withStore((store) => store.send(topic, message)),
    listen: (topic, listener) => follow((store) => store.listen(topic, listener)),
    limits: {
      take: (key, limit, windowMs) => withStore(({ limits }) => limits.take(key, limit, windowMs)),
      enter: (key, holder, limit, ttlMs) => withStore(({ limits }) => limits.enter(key, holder, limit, ttlMs)),
      leave: (key, holder) => withStore(({ limits }) => limits.leave(key, holder)),
    },
    async [Symbol.asyncDispose]() {
      await (await opening)?.[Symbol.asyncDispose]()
    },
  }
}
