// The audit log of all replicas in a real Redis: its order, its length, and an append while Redis is away.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AUDIT_LOG, withStream } from '../../src/crib/audit-stream.ts'
import { createAppendLog } from '../../src/storage/append-log.ts'
import { createMemoryStore } from '../../src/storage/memory.ts'
import { chooseStore } from '../../src/storage/open-stores.ts'
import { collect } from '../../src/storage/store.contract.ts'
import type { Store } from '../../src/storage/store.ts'
import { hasProgram, type RedisServer, startRedis } from '../fixtures/fleet/redis-server.ts'

const isInstalled = hasProgram('redis-server')
let redis: RedisServer
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'toolcrib-audit-'))
  if (isInstalled) redis = await startRedis()
})
afterAll(async () => {
  await redis?.[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

const openStore = (url: string) => chooseStore(url).open({ part: 'state', dir: 'unused' })
const linesOf = ({ readLog }: Store, log: string) => {
  if (readLog === undefined) throw new Error('This store has no logs.')
  return readLog(log)
}
const openLog = (name: string) => createAppendLog({ file: join(dir, name), maxBytes: 1_000_000, strict: true })

describe('an audit log that replicas share', () => {
  it.runIf(isInstalled)(
    'the shared log has the records of all replicas in order, and each file has those of its own replica',
    async () => {
      const url = redis.url()
      await using one = openStore(url)
      await using two = openStore(url)
      const logs = [withStream(openLog('one'), one), withStream(openLog('two'), two)] as const
      await logs[0].append({ n: 1 }, { n: 2 })
      await logs[1].append({ n: 3 })
      expect((await collect(linesOf(one, AUDIT_LOG))).map((line) => JSON.parse(line))).toEqual([
        { n: 1 },
        { n: 2 },
        { n: 3 },
      ])
      expect(await readFile(join(dir, 'two'), 'utf8')).toBe('{"n":3}\n')
      for (const log of logs) await log[Symbol.asyncDispose]()
    },
  )

  it.runIf(isInstalled)('a shared audit log keeps a bounded number of records, the newest ones, in order', async () => {
    await using store = openStore(redis.url())
    const lines = Array.from({ length: 5_000 }, (_, n) => String(n))
    for (let at = 0; at < lines.length; at += 500) await store.appendTo?.('small', lines.slice(at, at + 500), 2_000)
    const kept = await collect(linesOf(store, 'small'))
    expect(kept.length).toBeGreaterThanOrEqual(2_000)
    expect(kept.length).toBeLessThan(2_500)
    expect(kept).toEqual(lines.slice(-kept.length))
  })

  it.runIf(isInstalled)(
    'a shared audit log refuses an append that Redis has not acknowledged, within 1.8 seconds',
    async () => {
      await using store = openStore(redis.url())
      const log = withStream(openLog('three'), store)
      await log.append({ n: 1 })
      await redis.stop('SIGKILL')
      const started = performance.now()
      await expect(log.append({ n: 2 })).rejects.toMatchObject({
        name: 'StorageError',
        problem: { kind: 'unwritable' },
      })
      expect(performance.now() - started).toBeLessThan(1_800)
      expect(await readFile(join(dir, 'three'), 'utf8')).toBe('{"n":1}\n{"n":2}\n')
      await redis.start()
      await expect
        .poll(() =>
          log.append({ n: 3 }).then(
            () => true,
            () => false,
          ),
        )
        .toBe(true)
      await log[Symbol.asyncDispose]()
    },
  )

  it('a shared audit log needs a store in Redis', () => {
    expect(() => withStream(openLog('four'), createMemoryStore())).toThrow(/Redis/)
  })
})
