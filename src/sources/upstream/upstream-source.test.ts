import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createFileStore } from '../../storage/file.ts'
import { createMemoryStore } from '../../storage/memory.ts'
import { sourceContract } from '../source.contract.ts'
import { contextOf } from '../source.fixture.ts'
import { manifestKey } from './manifest.ts'
import { createStartLimiter } from './start-limiter.ts'
import {
  configOf,
  DEADLINE_MS,
  fixture,
  isAlive,
  serverWith,
  signal,
  sourceOf,
  until,
  withEnv,
} from './upstream.fixture.ts'

// The text ${SECRET_TOKEN}. The linter reports it in a plain string.
const REFERENCE = `$\{SECRET_TOKEN}`

const namesOf = (entries: readonly { readonly name: string }[]) => entries.map((entry) => entry.name)

sourceContract('an upstream source', async () => {
  const { source } = sourceOf(fixture('changing-list'))
  await source.ensure(signal)
  return {
    source,
    sample: { name: 'add', input: { a: 2, b: 3 }, data: { sum: 5 } },
    async change() {
      const changed = new Promise<void>((resolve) => source.onChange(resolve))
      await source.call('grow', {}, contextOf())
      await changed
    },
  }
})

describe('an upstream source', () => {
  it('starts no process before the server is needed', async () => {
    const { source, watchdog } = sourceOf(fixture('changing-list'))
    expect(source.state()).toMatchObject({ state: 'known' })
    expect(watchdog.seen).toEqual([])
  })

  it('lists no tools at first, fetches the list in the background, and notifies when it has arrived', async () => {
    const { source, states } = sourceOf(fixture('changing-list'))
    const changed = new Promise<void>((resolve) => source.onChange(resolve))
    expect(await source.list(signal)).toEqual([])
    await changed
    expect(namesOf(await source.list(signal))).toEqual(['grow', 'add'])
    await expect.poll(() => states.map(({ state }) => state)).toEqual(['starting', 'connected'])
  })

  it('lists the tools that its configuration declares until the server has listed its own', async () => {
    const declared = [{ name: 'announced', description: 'Written in the config.' }]
    const { source } = sourceOf(fixture('changing-list'), { config: { tools: declared } })
    expect(namesOf(await source.list(signal))).toEqual(['announced'])
    expect(source.settle?.()).toBeUndefined()
    source.revalidate()
    await source.manifest()
    expect(source.state().state).toBe('known')
    await source.ensure(signal)
    expect(namesOf(await source.list(signal))).toEqual(['grow', 'add'])
  })

  it('uses the manifest of an earlier process, and starts nothing while the manifest is fresh', async () => {
    const store = createMemoryStore()
    const first = sourceOf(fixture('changing-list'), { store })
    await first.source.ensure(signal)
    await first.source[Symbol.asyncDispose]()

    const second = sourceOf(fixture('changing-list'), { store })
    expect(namesOf(await second.source.list(signal))).toEqual(['grow', 'add'])
    expect(await second.source.manifest()).toMatchObject({ era: 'legacy', serverInfo: { name: 'raw' } })
    expect(second.watchdog.seen).toEqual([])
    expect(second.source.state().state).toBe('known')
    expect(await second.source.call('add', { a: 1, b: 1 }, contextOf())).toMatchObject({ data: { sum: 2 } })
  })

  it('fetches the list again in the background when the manifest is too old', async () => {
    const store = createMemoryStore()
    let time = 1_000
    const first = sourceOf(fixture('changing-list'), { store, now: () => time })
    await first.source.ensure(signal)
    await first.source[Symbol.asyncDispose]()

    time += 3_600_001
    const second = sourceOf(fixture('changing-list'), { store, now: () => time })
    expect(namesOf(await second.source.list(signal))).toEqual(['grow', 'add'])
    await vi.waitUntil(async () => (await second.source.manifest())?.fetchedAt === time, { timeout: DEADLINE_MS })
    expect(second.watchdog.seen).toHaveLength(1)
  })

  it('ignores the manifest of a server with another configuration', async () => {
    const store = createMemoryStore()
    const first = sourceOf(fixture('changing-list'), { store })
    await first.source.ensure(signal)
    expect(await sourceOf(fixture('changing-list', 'other'), { store }).source.manifest()).toBeUndefined()
  })

  it('does not resolve references in the manifest key, and stores no secret', async () => {
    const connection = withEnv(fixture('changing-list'), { TOKEN: REFERENCE })
    const resolve = (written: typeof connection) => ({ ...written, env: { TOKEN: 'hunter2hunter2' } })
    const { source, store } = sourceOf(connection, { resolve: (written) => resolve(written as typeof connection) })
    await source.ensure(signal)
    const key = `manifest:${manifestKey(configOf(connection))}`
    expect(await store.get(key)).toMatchObject({ tools: [{ name: 'grow' }, { name: 'add' }] })
    expect(JSON.stringify(await store.get(key))).not.toContain('hunter2')
  })

  it('stores no secret that is in the name of a tool that it leaves out', async () => {
    const server = serverWith(`
      const tools = [tool('good'), { name: 'bad ' + process.env.API_TOKEN }]
      serveRaw({ methods: { 'tools/list': () => ({ tools }) } })`)
    const { source, problems } = sourceOf(withEnv(server, { API_TOKEN: 'hunter2hunter2' }))
    await source.ensure(signal)
    const reason = "its tool 'bad [redacted]' has no inputSchema"
    expect((await source.manifest())?.problems).toEqual([{ tool: 'bad [redacted]', reason }])
    expect(problems).toEqual([reason])
  })

  it('leaves malformed tools out one by one, and reports which and why', async () => {
    for (const mode of ['legacy', 'modern']) {
      const { source, problems } = sourceOf(fixture('odd-list', mode))
      await source.ensure(signal)
      expect(await source.manifest()).toMatchObject({ era: mode, instructions: 'Turn the pages.' })
      const entries = await source.list(signal)
      expect(namesOf(entries)).toEqual(['good-one', 'good-two', 'good-three'])
      expect(problems).toEqual([
        'tool 2 of its list has no name',
        "its tool 'no-schema' has no inputSchema",
        "its tool 'text-schema' has an inputSchema whose type is not 'object'",
        'tool 5 of its list is not an object',
        "it lists 'good-one' again as tool 7",
      ])
      expect(await source.call('good-two', {}, contextOf())).toMatchObject({ success: true, data: 'called good-two' })
    }
  })

  it('stops fetching the list when its pages repeat', async () => {
    const { source, problems } = sourceOf(fixture('odd-list', 'circle'))
    await source.ensure(signal)
    expect(namesOf(await source.list(signal))).toHaveLength(3)
    expect(problems).toContainEqual(expect.stringContaining('repeats a page cursor'))
  })

  it('reports that a server without a list cannot start, and tries again by itself a few times', async () => {
    const { source, states, watchdog } = sourceOf(fixture('crash-on-start'), {
      options: { backoffMs: 20, maxBackoffMs: 40, backgroundTries: 2 },
    })
    expect(await source.list(signal)).toEqual([])
    await until(() => states.filter(({ state }) => state === 'failed').length === 3)
    // One process per attempt.
    expect(watchdog.seen).toHaveLength(3)
    expect(source.state()).toMatchObject({ state: 'failed', reason: expect.stringContaining('exited with code 3') })
  })

  it.each(['none', 'list', 'drip', 'pages'])(
    'fails after startTimeoutMs when the server does not list its tools in that time (%s)',
    async (mode) => {
      const startTimeoutMs = 800
      const { source, states } = sourceOf(fixture('hang', mode), { options: { startTimeoutMs, backgroundTries: 0 } })
      await expect(source.ensure(signal)).rejects.toThrow('in 800 ms')
      expect(states.map(({ state }) => state)).toEqual(['starting', 'failed'])
      expect(source.info()).toMatchObject({ state: 'failed', isUnknown: true })
    },
  )

  it('counts the wait for a server from its first start, even after further starts', async () => {
    let time = 1_000
    const { source } = sourceOf(fixture('crash-on-start'), { now: () => time, options: { backgroundTries: 0 } })
    expect(source.waitLeft?.(500)).toBe(500)
    await source.settle?.()
    time += 200
    expect(source.waitLeft?.(500)).toBe(300)
    time += 100_000
    await source.settle?.()
    expect(source.waitLeft?.(500)).toBe(0)
  })

  it('lets other servers start while some hang', async () => {
    const startLimiter = createStartLimiter({ maxStarting: 2, maxHoldMs: 100 })
    const hanging = [1, 2, 3].map(() => sourceOf(fixture('hang'), { startLimiter }))
    for (const { source } of hanging) await source.list(signal)
    const { source } = sourceOf(fixture('changing-list'), { startLimiter })
    expect(await source.call('add', { a: 1, b: 2 }, contextOf())).toMatchObject({ data: { sum: 3 } })
    expect(hanging.map((one) => one.source.state().state)).not.toContain('connected')
  })

  it('stops an idle server, and starts it again for the next call', async () => {
    const { source, states, watchdog } = sourceOf(fixture('changing-list'), { config: { idleMs: 50 } })
    expect((await source.call('add', { a: 1, b: 1 }, contextOf())).success).toBe(true)
    await until(() => states.at(-1)?.state === 'known')
    await until(() => !watchdog.seen.some(isAlive))
    expect(await source.call('add', { a: 1, b: 1 }, contextOf())).toMatchObject({ data: { sum: 2 } })
    expect(watchdog.seen).toHaveLength(2)
  })

  it('does not stop a server during a call', async () => {
    const { source } = sourceOf(fixture('talkative'), { config: { idleMs: 50 } })
    expect(await source.call('patient', {}, contextOf())).toMatchObject({ success: true, data: 'patient' })
  })

  it('an upstream source can be stopped and disposed twice, and leaves no process', async () => {
    const { source, watchdog } = sourceOf(fixture('fork'))
    const { data } = await source.call('pids', {}, contextOf())
    const pids = Object.values(data as Record<string, number>)
    expect(pids.filter(isAlive)).toHaveLength(2)
    await source.stop()
    expect(pids.filter(isAlive)).toEqual([])
    await source.stop()
    expect(watchdog.pid).toBeUndefined()
    await source[Symbol.asyncDispose]()
    await source[Symbol.asyncDispose]()
    expect(await source.call('pids', {}, contextOf())).toMatchObject({ error: { code: 'SERVER_UNAVAILABLE' } })
  })

  it('ends a server that is still starting', async () => {
    const { source, watchdog } = sourceOf(fixture('hang', 'stubborn'))
    await source.list(signal)
    await until(() => watchdog.seen.length === 1)
    await source[Symbol.asyncDispose]()
    expect(watchdog.seen.filter(isAlive)).toEqual([])
  })

  it('returns the answers to requests other than calls unchanged', async () => {
    const { source } = sourceOf(fixture('talkative'))
    expect(await source.request('prompts/list', {}, signal)).toEqual({
      kind: 'answered',
      result: { prompts: [{ name: 'greet' }] },
    })
    expect(await source.request('resources/list', {}, signal)).toMatchObject({ kind: 'refused', rpcCode: -32_601 })
  })

  it.each(['warn', 'block'] as const)(
    'lists its tools with pinning %s while the folder of the pins cannot be read, and reports it',
    async (pinning) => {
      const dir = join(mkdtempSync(join(tmpdir(), 'toolcrib-pins-')), 'store')
      onTestFinished(() => rmSync(join(dir, '..'), { recursive: true, force: true }))
      // A link to itself is a path that exists and cannot be read, also for root.
      symlinkSync(dir, dir)
      const pins = createFileStore({ dir })
      const { source, problems } = sourceOf(fixture('changing-list'), { pins, options: { pinning } })
      await source.ensure(signal)
      const [, add] = await source.list(signal)
      expect(add).toMatchObject({ name: 'add', ...(pinning === 'block' ? { change: { kind: 'unknown' } } : {}) })
      expect(source.state().state).toBe('connected')
      expect(problems).toContainEqual(expect.stringContaining('its pins could not be read'))
    },
  )
})
