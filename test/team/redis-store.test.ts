// The store in a real Redis: the contract of stores, a Redis that goes away and comes back, and other settings.

import { readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { anyText } from '../../src/storage/any-text.fixture.ts'
import { chooseStore } from '../../src/storage/open-stores.ts'
import type { StorageProblem } from '../../src/storage/problem.ts'
import { collect, storeContract } from '../../src/storage/store.contract.ts'
import { type Store, StoreLockFailed, type StorePart } from '../../src/storage/store.ts'
import { run } from '../e2e/cli/harness.ts'
import { homeForTest } from '../e2e/gateway/home.ts'
import { freePort, hasProgram, type RedisServer, redisCommand, startRedis } from '../fixtures/fleet/redis-server.ts'
import { createCertificate } from './certificate.ts'

const isInstalled = hasProgram('redis-server')
let redis: RedisServer
let problems: StorageProblem[] = []

function openStore(url: string, part: StorePart = 'state'): Store {
  return chooseStore(url).open({ part, dir: 'unused', onProblem: (problem) => problems.push(problem) })
}

async function valuesOf(store: Store, prefix: string): Promise<Map<string, unknown>> {
  const values = new Map<string, unknown>()
  for await (const key of store.keys(prefix)) values.set(key, await store.get(key))
  return values
}

const command = (line: string) => redisCommand(redis, line)

/** An address that leads to this Redis until `cut` is called, and again after the returned function was called. */
async function cuttableAddress(target: string): Promise<{ url: string; cut: () => Promise<() => Promise<void>> }> {
  const to = new URL(target)
  const open = new Set<Socket>()
  const proxy = createServer((socket) => {
    const upstream = connect(Number(to.port), to.hostname)
    for (const one of [socket, upstream]) open.add(one.on('error', () => {}))
    socket.pipe(upstream).pipe(socket)
  })
  const port = await freePort()
  const listen = () => new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve))
  const close = async () => {
    for (const one of open) one.destroy()
    await new Promise((resolve) => proxy.close(resolve))
  }
  await listen()
  onTestFinished(close)
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    async cut() {
      await close()
      return listen
    },
  }
}

describe.runIf(isInstalled)('a store in Redis', () => {
  beforeAll(async () => {
    redis = await startRedis({ isDurable: true })
  })
  afterAll(() => redis[Symbol.asyncDispose]())

  storeContract('redis', () => {
    const url = redis.url()
    return {
      store: openStore(url),
      // The clock of Redis cannot be moved.
      advance: (ms) => sleep(ms),
      reopen: () => openStore(url),
      async startOutage() {
        await redis.stop('SIGKILL')
        return () => redis.start()
      },
    }
  })

  it('a held change that has expired does not delete the newer value of another replica', async () => {
    const address = redis.url()
    const { url, cut } = await cuttableAddress(address)
    await using one = openStore(url)
    await using other = openStore(address)
    await one.set('shared', 'old')
    const reconnect = await cut()
    await one.set('shared', 'held', { ttlMs: 200 })
    await other.set('shared', 'newer')
    await sleep(300)
    expect(await one.get('shared')).toBeUndefined()
    await reconnect()
    await expect.poll(() => one.get('shared'), { timeout: 20_000 }).toBe('newer')
    expect(await other.get('shared')).toBe('newer')
  })

  it('a store in Redis has the same entries as a map, for any keys and values', { timeout: 60_000 }, async () => {
    await using store = openStore(redis.url())
    const expected = new Map<string, unknown>()
    const step = fc.tuple(
      fc.oneof(anyText(30), fc.constantFrom('a/', 'a/b', 'a*', 'a?[b]', '%0041')),
      fc.jsonValue({ maxDepth: 1 }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
        for (const [key, value] of steps) {
          expected.set(key, JSON.parse(JSON.stringify(value)))
          await store.set(key, value)
        }
        for (const [key] of steps) expect(await store.get(key)).toEqual(expected.get(key))
        const prefix = steps[0]?.[0].slice(0, 2) ?? ''
        const wanted = [...expected.keys()].filter((key) => key.startsWith(prefix))
        expect((await collect(store.keys(prefix))).sort()).toEqual(wanted.sort())
      }),
      { numRuns: 30 },
    )
  })

  it('a store in Redis names its entries with prefix, layout and part, and lets Redis expire them', async () => {
    const url = redis.url()
    const prefix = new URL(url).searchParams.get('prefix')
    await using state = openStore(url)
    await using results = openStore(url, 'results')
    await state.set('a', 1, { ttlMs: 60_000 })
    await results.set('a', 2)
    expect(await command(`GET ${prefix}:1:state:a`)).toContain('1')
    expect(Number((await command(`PTTL ${prefix}:1:state:a`)).slice(1))).toBeGreaterThan(50_000)
    expect(await results.get('a')).toBe(2)
  })

  it('a store in Redis updates without losing a change of another connection', async () => {
    const url = redis.url()
    const stores = [openStore(url), openStore(url), openStore(url)]
    const work = stores.flatMap((store) =>
      Array.from({ length: 20 }, async () => {
        await store.update?.('list', (before) => [...(Array.isArray(before) ? before : []), 1])
      }),
    )
    await Promise.all(work)
    expect(await stores[1]?.get('list')).toHaveLength(60)
    for (const store of stores) await store[Symbol.asyncDispose]()
  })

  it('a store in Redis does not delete an entry in an update if another connection has changed the entry meanwhile', async () => {
    const url = redis.url()
    await using one = openStore(url)
    await using two = openStore(url)
    const add = () => one.update?.('n', (n) => (typeof n === 'number' ? n + 1 : 1))
    const deleteIfOne = () => two.update?.('n', (n) => (n === 1 ? undefined : n))
    for (const changes of [
      [add, deleteIfOne],
      [deleteIfOne, add],
    ]) {
      await one.set('n', 1)
      await two.get('n')
      await Promise.all(changes.map((change) => change()))
      // Added to 1 and kept, or deleted and then added to nothing.
      expect([1, 2]).toContain(await one.get('n'))
    }
    await one.set('n', 1)
    await deleteIfOne()
    expect(await one.get('n')).toBeUndefined()
  })

  it('a store in Redis runs work under a lock one at a time, and waits until the lock of an ended process expires', async () => {
    const url = redis.url()
    const [one, two] = [openStore(url), openStore(url)]
    let running = 0
    let most = 0
    const work = async () => {
      running += 1
      most = Math.max(most, running)
      await sleep(20)
      running -= 1
    }
    const lock = { waitMs: 10_000, ttlMs: 10_000 }
    await Promise.all([one, two, one, two].map((store) => store.lock?.('listing', lock, work)))
    expect(most).toBe(1)
    await command(`SET ${new URL(url).searchParams.get('prefix')}:1:lock:old x PX 300`)
    const started = Date.now()
    await one.lock?.('old', lock, work)
    expect(Date.now() - started).toBeGreaterThan(200)
    for (const store of [one, two]) await store[Symbol.asyncDispose]()
  })

  it('a store in Redis refuses a value that is too large', async () => {
    await using store = openStore(redis.url())
    await expect(store.set('a', 'x'.repeat(17_000_000))).rejects.toMatchObject({ problem: { kind: 'bad-record' } })
  })
})

describe.runIf(isInstalled)('a Redis that goes away and comes back', () => {
  beforeAll(async () => {
    redis = await startRedis({ isDurable: true })
  })
  afterAll(() => redis[Symbol.asyncDispose]())

  it('a store without its Redis answers from the last known state within 1.5 seconds, keeps changes and writes them later', async () => {
    problems = []
    const url = redis.url()
    await using store = openStore(url)
    await store.set('a', 1)
    await store.set('b', 1)
    expect(await store.get('a')).toBe(1)
    const told: string[] = []
    store.watch?.('', (key) => told.push(key))
    await expect.poll(() => told).toContain('')
    await redis.stop('SIGKILL')
    const started = performance.now()
    expect(await store.get('a')).toBe(1)
    expect(performance.now() - started).toBeLessThan(1_500)
    const later = performance.now()
    expect(await store.get('a')).toBe(1)
    expect(await store.get('never read')).toBeUndefined()
    await store.set('a', 2)
    await store.set('c', 3)
    await store.delete('b')
    expect([await store.get('a'), await store.get('b'), await store.get('c')]).toEqual([2, undefined, 3])
    expect((await collect(store.keys(''))).sort()).toEqual(['a', 'c'])
    expect(performance.now() - later).toBeLessThan(100)
    expect(store.isDegraded?.()).toBe(true)
    expect(problems.map(({ kind }) => kind).sort()).toEqual(['unreadable', 'unwritable'])
    told.length = 0

    await redis.start()
    await expect.poll(() => store.isDegraded?.()).toBe(false)
    await using other = openStore(url)
    await expect.poll(async () => (await collect(other.keys(''))).sort()).toEqual(['a', 'c'])
    expect(await other.get('a')).toBe(2)
    // The watch works again. The empty key reports that it may have missed changes.
    await expect.poll(() => told).toContain('')
    await other.set('d', 1)
    await expect.poll(() => told).toContain('d')
  })

  it('a store loses no change and no call while Redis restarts', async () => {
    const url = redis.url()
    await using store = openStore(url)
    const written = new Map<string, number>()
    let isOver = false
    let slowest = 0
    const writing = (async () => {
      // With a slow disk the loop makes few turns in this time. It makes at least 100, so that each key is written.
      for (let n = 0; !isOver || n < 100; n++) {
        const key = `key/${n % 100}`
        const started = performance.now()
        await store.set(key, n)
        expect(await store.get(key)).toBe(n)
        slowest = Math.max(slowest, performance.now() - started)
        written.set(key, n)
      }
    })()
    await sleep(100)
    await redis.stop()
    await redis.start()
    await sleep(300)
    isOver = true
    await writing
    expect(slowest).toBeLessThan(2_000)
    await expect.poll(() => store.isDegraded?.()).toBe(false)
    expect(written.size).toBe(100)
    await using other = openStore(url)
    await expect.poll(() => valuesOf(other, 'key/')).toEqual(written)
  })

  it('a store waits less than 1.8 seconds for a Redis that hangs, and later answers at once', async () => {
    await using store = openStore(redis.url())
    await store.set('a', 1)
    redis.freeze()
    try {
      const started = performance.now()
      expect(await Promise.all(Array.from({ length: 20 }, () => store.get('a')))).toEqual(Array(20).fill(1))
      expect(performance.now() - started).toBeLessThan(1_800)
      await sleep(800)
      const later = performance.now()
      expect(await store.get('a')).toBe(1)
      expect(performance.now() - later).toBeLessThan(50)
    } finally {
      redis.thaw()
    }
    await expect.poll(() => store.isDegraded?.()).toBe(false)
    await store.set('a', 2)
    expect(await store.get('a')).toBe(2)
  })

  it('a store can be opened and used while Redis is away', async () => {
    const url = redis.url()
    await redis.stop()
    await using store = openStore(url)
    await store.set('a', 1)
    expect(await store.get('a')).toBe(1)
    await chooseStore(url).check?.()
    await redis.start()
    await using other = openStore(url)
    await expect.poll(() => other.get('a')).toBe(1)
  })
})

describe.runIf(isInstalled)('a Redis with other settings', () => {
  it('a store in Redis accepts the password of the address, and refuses a wrong user without showing the password', async () => {
    await using server = await startRedis({ args: ['--requirepass', 'pass word'] })
    const good = server.url(':pass%20word@')
    await chooseStore(good).check?.()
    await using store = openStore(good)
    await store.set('a', 1)
    expect(await store.get('a')).toBe(1)
    const checked = chooseStore(server.url('anna:hidden-word@')).check?.() ?? Promise.resolve()
    await expect(checked).rejects.toThrow(/refuses the user or the password/)
    await expect(checked).rejects.not.toThrow(/hidden-word/)
  })

  it('a store in Redis needs only the rights that docs/replicas.md lists', async () => {
    await using server = await startRedis()
    const docs = readFileSync(new URL('../../docs/replicas.md', import.meta.url), 'utf8')
    const [, line = ''] = /^ACL SETUSER toolcrib (.*)$/m.exec(docs) ?? []
    const url = new URL(server.url('toolcrib:secret-word@'))
    const prefix = url.searchParams.get('prefix') ?? ''
    const answer = await redisCommand(
      server,
      `ACL SETUSER toolcrib ${line.replace('PASSWORD', 'secret-word').replaceAll('team:', `${prefix}:`)}`,
    )
    expect(answer).toBe('+OK\r\n')
    problems = []
    await chooseStore(url.href).check?.()
    await using store = openStore(url.href)
    const told: unknown[] = []
    store.watch?.('a/', (key) => told.push(key))
    const unlisten = store.listen?.('topic', (message) => told.push(message))
    await store.set('a/1', 1, { ttlMs: 60_000 })
    await store.update?.('a/2', () => 2)
    expect((await collect(store.keys('a/'))).sort()).toEqual(['a/1', 'a/2'])
    expect(await store.lock?.('name', { waitMs: 100, ttlMs: 1_000, isStrict: true }, async () => 'done')).toBe('done')
    await store.appendTo?.('log', ['one'], 10)
    expect(await collect(store.readLog?.('log') ?? expect.fail())).toEqual(['one'])
    expect(await store.limits?.take('a', 1, 1_000)).toBe(0)
    expect(await store.limits?.enter('a', 'me', 1, 1_000)).toBe(true)
    await store.limits?.leave('a', 'me')
    expect(await store.send?.('topic', { text: 'hello' })).toBe(1)
    await expect.poll(() => told).toEqual(expect.arrayContaining(['a/1', { text: 'hello' }]))
    unlisten?.()
    await store.delete('a/1')
    expect(problems).toEqual([])
    // The same user cannot read the keys of another prefix.
    url.searchParams.set('prefix', 'other')
    await using foreign = openStore(url.href)
    await foreign.get('a')
    expect(problems).toHaveLength(1)
  })

  it('a store in Redis keeps a change that Redis refuses, and writes it after the next successful change', async () => {
    await using server = await startRedis({ args: ['--maxmemory-policy', 'noeviction'] })
    const url = server.url()
    problems = []
    await using store = openStore(url)
    await using other = openStore(url)
    await store.set('list', ['a'])
    await redisCommand(server, 'CONFIG SET maxmemory 1')
    await store.set('refused', 1)
    await store.set('list', ['a', 'b'])
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Cannot write to Redis at .*OOM.*\. Changes are kept in memory$/),
    ])
    expect([await store.get('refused'), await other.get('refused')]).toEqual([1, undefined])
    // Redis accepts deletions without free memory. The held changes are still refused, and stay in memory.
    await store.delete('unknown')
    expect([await store.get('refused'), await store.get('list')]).toEqual([1, ['a', 'b']])
    await redisCommand(server, 'CONFIG SET maxmemory 0')
    await store.set('later', 1)
    await expect.poll(() => other.get('refused')).toBe(1)
    await expect.poll(() => other.get('list')).toEqual(['a', 'b'])
  })

  it('a store in Redis updates an entry from its held change, and the held change does not replace the update', async () => {
    await using server = await startRedis({ args: ['--maxmemory-policy', 'noeviction'] })
    const url = server.url()
    await using store = openStore(url)
    await using other = openStore(url)
    const append = (item: string) => store.update?.('list', (list) => [...(Array.isArray(list) ? list : []), item])
    await store.set('list', ['a'])
    await redisCommand(server, 'CONFIG SET maxmemory 1')
    await store.set('list', ['a', 'b'])
    await append('c')
    expect(await store.get('list')).toEqual(['a', 'b', 'c'])
    await redisCommand(server, 'CONFIG SET maxmemory 0')
    await append('d')
    expect(await store.get('list')).toEqual(['a', 'b', 'c', 'd'])
    await store.set('later', 1)
    expect(await other.get('list')).toEqual(['a', 'b', 'c', 'd'])
  })

  it('a store in Redis uses Redis over TLS if its certificate is trusted', async () => {
    const home = homeForTest()
    const { key, cert } = createCertificate(home.at('localhost'), 'localhost')
    const port = await freePort()
    const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-auth-clients', 'no']
    await using _server = await startRedis({ args: ['--tls-port', String(port), ...files] })
    home.write('gateway.json', { store: `rediss://localhost:${port}` })
    // Node reads NODE_EXTRA_CA_CERTS when a process starts, so each command runs in its own process.
    const toolcrib = (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
      run({ cwd: home.path, env: { ...home.env, ...env } }, ['token', ...args, '--config', home.config])
    const trusted = { NODE_EXTRA_CA_CERTS: cert }
    // On a busy machine, the first connection can take longer than a command waits for it.
    const soon = { timeout: 90_000, interval: 500 }
    await expect.poll(async () => (await toolcrib(trusted, 'add', 'anna')).code, soon).toBe(0)
    await expect.poll(async () => (await toolcrib(trusted, 'list')).stdout, soon).toContain('anna')
    expect((await toolcrib({}, 'list')).stdout).not.toContain('anna')
  })

  it('a store in Redis sends a message to all listeners, and returns their number', async () => {
    await using server = await startRedis()
    const url = server.url()
    await using one = openStore(url)
    await using two = openStore(url)
    expect(await one.send?.('topic', 1)).toBe(0)
    const received: unknown[] = []
    const stop = two.listen?.('topic', (message) => received.push(message))
    await expect.poll(() => one.send?.('topic', { n: 1 })).toBe(1)
    await expect.poll(() => received).toContainEqual({ n: 1 })
    stop?.()
    await expect.poll(() => one.send?.('topic', 2)).toBe(0)
    await expect(one.send?.('topic', 'x'.repeat(17_000_000))).rejects.toMatchObject({ problem: { kind: 'bad-record' } })
  })

  it('a store in Redis rejects a strict lock with the reason: held, refused by Redis, or out of reach', async () => {
    await using server = await startRedis()
    const url = server.url()
    await using one = openStore(url)
    await using two = openStore(url)
    const strict = { waitMs: 100, ttlMs: 10_000, isStrict: true }
    const run = async () => 'ran'
    await one.lock?.('a', strict, async () => {
      await expect(two.lock?.('a', strict, run)).rejects.toBeInstanceOf(StoreLockFailed)
    })
    expect(await two.lock?.('a', strict, run)).toBe('ran')
    await redisCommand(server, 'CONFIG SET maxmemory 1')
    await expect(two.lock?.('a', strict, run)).rejects.toThrow(/^Redis at \S+ refuses the lock: OOM/)
    await server.stop('SIGKILL')
    await expect(two.lock?.('a', strict, run)).rejects.toThrow(/cannot be reached/)
    expect(await two.lock?.('a', { waitMs: 100, ttlMs: 10_000 }, run)).toBe('ran')
  })

  it('a store refuses a Redis cluster', async () => {
    await using server = await startRedis({ args: ['--cluster-enabled', 'yes'] })
    await expect(chooseStore(server.url()).check?.()).rejects.toThrow(/is a cluster, which is not supported/)
  })

  it.each([
    ['redis://h/x', 'is not the number of a database'],
    ['redis://u:secret-word@h/0?a=b', "its address has an option that is not 'prefix'"],
    ['redis://u:123?secret-word@h', 'its user or password is not URL-encoded'],
    ['redis://h?prefix=a b', 'prefix'],
    ['redis:', 'has no host'],
    ['mongo://u:secret-word@h', "there is no store 'mongo:…'"],
  ])('a store with the address %s is refused, without showing a password', (url, reason) => {
    const open = () => openStore(url)
    expect(open).toThrow(reason)
    expect(open).not.toThrow('secret-word')
  })
})
