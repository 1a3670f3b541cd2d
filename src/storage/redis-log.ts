// Logs in Redis that all gateways append to. Each log is a stream.

import type { RedisConnection } from './redis-connection.ts'
import { entryKeys } from './redis-keys.ts'
import type { Store } from './store.ts'

const LINES_AT_ONCE = 1_000

export function createRedisLog(
  run: RedisConnection['run'],
  prefix: string,
): Required<Pick<Store, 'appendTo' | 'readLog'>> {
  const logKeys = entryKeys(prefix, 'log')
  return {
    async appendTo(log, lines, maxLines) {
      const name = logKeys.toName(log)
      await run(async (redis) => {
        const pipeline = redis.pipeline()
        for (const line of lines) pipeline.xadd(name, 'MAXLEN', '~', maxLines, '*', 'line', line)
        for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error
      })
    },
    async *readLog(log) {
      for (let from = '-'; ; ) {
        const found = await run((redis) => redis.xrange(logKeys.toName(log), from, '+', 'COUNT', LINES_AT_ONCE))
        for (const [, [, line]] of found) if (line !== undefined) yield line
        const last = found.at(-1)?.[0]
        if (last === undefined || found.length < LINES_AT_ONCE) return
        from = `(${last}`
      }
    },
  }
}
