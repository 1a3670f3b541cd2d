// The messages of a store in Redis: changes of entries for `watch`, and topics for `send` and `listen`.

import { createKeyWatches } from '../core/listeners.ts'
import type { RedisConnection } from './redis-connection.ts'
import { parseText, type RedisStoreBase, topicChannel } from './redis-store-base.ts'
import type { Store } from './store.ts'

export type RedisMessages = ReturnType<typeof createRedisMessages>

export function createRedisMessages({ connection, names, run, encode }: RedisStoreBase) {
  const channelOf = (topic: string) => topicChannel(connection.address.prefix, topic)
  const subscriptions = new Set<ReturnType<RedisConnection['subscribe']>>()
  const ownWatches = createKeyWatches()

  const whenSubscribed = async () => {
    for (const { whenLive } of [...subscriptions]) await whenLive
  }
  const subscribe = (...given: Parameters<RedisConnection['subscribe']>): (() => void) => {
    const subscription = connection.subscribe(...given)
    subscriptions.add(subscription)
    return () => {
      subscription.end()
      subscriptions.delete(subscription)
    }
  }

  const methods: Required<Pick<Store, 'watch' | 'send' | 'listen'>> = {
    watch(prefix, listener) {
      const tell = (name: string) => {
        const key = names.toKey(name)
        if (key?.startsWith(prefix) === true) listener(key)
      }
      // The prefix as key means: changes may have been missed, see `Store.watch`.
      const reportMissedChanges = () => listener(prefix)
      const end = subscribe(names.channelsFor(prefix), tell, reportMissedChanges)
      const endOwn = ownWatches.add(prefix, listener)
      return () => {
        end()
        endOwn()
      }
    },
    async send(topic, message) {
      const text = encode(topic, message) ?? 'null'
      await whenSubscribed()
      return run((redis) => redis.publish(channelOf(topic), text))
    },
    listen(topic, listener) {
      const tell = (text: string) => listener(parseText(text))
      return subscribe({ channel: channelOf(topic), isPattern: false }, tell, () => {})
    },
  }
  return {
    methods,
    /** Waits for the subscriptions of this process, so that it also gets the messages about its own changes. */
    whenSubscribed,
    /** Tells the watches of this store about a change that Redis has not accepted. */
    tellOwn: ownWatches.tell,
    close() {
      for (const { end } of subscriptions) end()
      subscriptions.clear()
      ownWatches.clear()
    },
  }
}
