import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { prepareConnection } from '../../config/prepare-connection.ts'
import { withPersonal } from '../../config/references.ts'
import type { Connection, ServerConfig } from '../../config/server-config.ts'
import { tempFolder } from '../../config/temp-folder.fixture.ts'
import type { Caller } from '../../core/call.ts'
import { isRecord } from '../../core/is-record.ts'
import { createMemoryStore } from '../../storage/memory.ts'
import type { Store } from '../../storage/store.ts'
import { sourceContract } from '../source.contract.ts'
import { contextOf } from '../source.fixture.ts'
import type { ServerState } from './lifecycle.ts'
import { createPerPrincipalSource } from './per-principal.ts'
import type { UpstreamSettings } from './settings.ts'
import { createStartLimiter } from './start-limiter.ts'
import {
  configOf,
  DEADLINE_MS,
  fixture,
  isAlive,
  recordingWatchdog,
  until,
  validator,
  withEnv,
} from './upstream.fixture.ts'

type People = Readonly<Record<string, Readonly<Record<string, string>>>>

interface PerPersonOptions {
  readonly people?: People
  readonly maxPeople?: number
  readonly options?: Partial<UpstreamSettings>
  readonly config?: Partial<ServerConfig>
  readonly pins?: Store
}

// Built from parts, because a single string looks like a template.
const TOKEN = `$\{person.TOKEN}`
const http = (principal: string): Caller => ({ principal, era: 'modern', transport: 'http' })

function perPersonSource(connection: Connection, given: PerPersonOptions = {}) {
  const watchdog = recordingWatchdog()
  const problems: string[] = []
  const states: [string, ServerState['state']][] = []
  let people = given.people ?? {}
  const valuesOf = (name = '') => (Object.hasOwn(people, name) ? (people[name] ?? {}) : {})
  const source = createPerPrincipalSource({
    config: configOf(connection, { perPrincipal: true, ...given.config }),
    resolveFor: (person, written) => prepareConnection(written, withPersonal({}, valuesOf(person.listedAs))),
    valuesKey: (person) => JSON.stringify(valuesOf(person.listedAs)),
    store: createMemoryStore(),
    startLimiter: createStartLimiter(),
    watchdog,
    validator,
    inheritance: () => ({ env: process.env }),
    clientInfo: { name: 'toolcrib-test', version: '1.0.0' },
    maxPeople: given.maxPeople,
    pins: given.pins,
    options: { graceMs: 150, startTimeoutMs: DEADLINE_MS, ...given.options },
    onProblem: (reason) => problems.push(reason),
    onState: ({ state }, { name }) => states.push([name, state]),
  })
  onTestFinished(async () => {
    await source[Symbol.asyncDispose]()
    await watchdog.expectNoneLeft()
  })
  const call = (principal: string, tool: string, input: object = {}) =>
    source.call(tool, input, contextOf({ caller: http(principal) }))
  const connect = (principal: string) => source.settle?.(false, http(principal))
  const whoami = async (principal: string): Promise<Whoami> => {
    const result = await call(principal, 'whoami', { me: principal })
    if (!result.success || !isRecord(result.data)) throw new Error(JSON.stringify(result))
    return result.data as unknown as Whoami // the answer of the fixture
  }
  return {
    source,
    watchdog,
    problems,
    states,
    call,
    connect,
    whoami,
    setPeople(next: People) {
      people = next
    },
    running: () => watchdog.seen.filter(isAlive),
    names: async () => (await source.list(new AbortController().signal)).map(({ name }) => name),
  }
}

interface Whoami {
  readonly pid: number
  readonly env: Readonly<Record<string, string | undefined>>
  readonly seen: readonly string[]
}

sourceContract('a source per person', async () => {
  const { source } = perPersonSource(fixture('changing-list'))
  await source.ensure(new AbortController().signal)
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

describe('a server with perPrincipal', () => {
  it('starts no process before a person needs the server', async () => {
    const { source, watchdog, names } = perPersonSource(fixture('whoami'))
    expect(await names()).toEqual([])
    expect(source.settle?.()).toBeUndefined()
    source.revalidate()
    expect(source.info(http('alice'))).toMatchObject({ state: 'known', isUnknown: true })
    expect(watchdog.seen).toEqual([])
  })

  it('gives each person a process with their own values, and one list of tools', async () => {
    const people = { alice: { TOKEN: 'token-of-alice' }, bob: { TOKEN: 'token-of-bob' } }
    const { source, connect, whoami, names, watchdog } = perPersonSource(withEnv(fixture('whoami'), { TOKEN }), {
      people,
    })
    let changes = 0
    source.onChange(() => changes++)
    await connect('alice')
    const [alice, bob] = await Promise.all([whoami('alice'), whoami('bob')])
    expect([alice.env.TOKEN, bob.env.TOKEN]).toEqual(['token-of-alice', 'token-of-bob'])
    expect(alice.pid).not.toBe(bob.pid)
    expect((await whoami('alice')).pid).toBe(alice.pid)
    expect(watchdog.seen).toHaveLength(2)
    expect(await names()).toEqual(['whoami', 'wait', 'leak', 'change'])
    expect(changes).toBe(1)
  })

  it('starts one process for calls of one person at the same time', async () => {
    const { connect, whoami, watchdog } = perPersonSource(fixture('whoami'))
    await connect('alice')
    const pids = await Promise.all(Array.from({ length: 8 }, async () => (await whoami('bob')).pid))
    expect(new Set(pids).size).toBe(1)
    expect(watchdog.seen).toHaveLength(2)
  })

  it('never lets a call of one person reach the process of another, in any order of calls', async () => {
    const names = ['alice', 'bob', 'carol', 'frank', 'grace', 'local', '__proto__', 'constructor']
    // The others have no value, so their processes differ only by their owner.
    const valued = ['alice', 'bob', 'local', '__proto__']
    const people = Object.fromEntries(valued.map((name) => [name, { TOKEN: `token-of-${name}` }]))
    const connection = withEnv(fixture('whoami'), { TOKEN: `$\{person.TOKEN:-none}` })
    const tested = perPersonSource(connection, { people, maxPeople: 3 })
    await tested.connect('alice')
    const pidOwners = new Map<number, string>()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 12 }), async (order) => {
        await Promise.all(
          order.map(async (name) => {
            const result = await tested.call(name, 'whoami', { me: name })
            if (!result.success) return expect(result.error.code).toBe('SERVER_BUSY')
            const { pid, env, seen } = result.data as unknown as Whoami // the answer of the fixture
            // A remote person with this name is not the user who runs the gateway.
            const hasValue = name !== 'local' && valued.includes(name)
            expect(env.TOKEN).toBe(hasValue ? `token-of-${name}` : 'none')
            expect(new Set(seen)).toEqual(new Set([name]))
            expect(pidOwners.get(pid) ?? name).toBe(name)
            pidOwners.set(pid, name)
          }),
        )
        expect(tested.running().length).toBeLessThanOrEqual(3)
      }),
      { numRuns: 8 },
    )
    expect(new Set(pidOwners.values()).size).toBeGreaterThan(3)
  })

  it('ends the process of the person who was idle the longest when the bound is reached, and refuses a new person if all are busy', async () => {
    const { connect, whoami, call, running } = perPersonSource(fixture('whoami'), { maxPeople: 2 })
    await connect('alice')
    const [alice, bob] = [await whoami('alice'), await whoami('bob')]
    await whoami('carol')
    expect(isAlive(alice.pid)).toBe(false)
    expect(running()).toHaveLength(2)
    const waiting = [call('bob', 'wait', { ms: 600 }), call('carol', 'wait', { ms: 600 })]
    expect(await call('dave', 'whoami')).toMatchObject({
      success: false,
      error: { code: 'SERVER_BUSY', retryable: true, details: { retryAfterMs: 1_000 } },
    })
    expect(await Promise.all(waiting)).toMatchObject([{ success: true, data: { pid: bob.pid } }, { success: true }])
  })

  it('ends the process of a person who is idle, and not that of another', async () => {
    const { connect, whoami, call } = perPersonSource(fixture('whoami'), { options: { idleMs: 300 } })
    await connect('alice')
    const alice = await whoami('alice')
    const bob = await whoami('bob')
    const busy = call('bob', 'wait', { ms: 900 })
    await until(() => !isAlive(alice.pid))
    expect(isAlive(bob.pid)).toBe(true)
    expect(await busy).toMatchObject({ success: true, data: { pid: bob.pid } })
  })

  it('starts a new process after the values of a person have changed, and keeps the processes of others', async () => {
    const people = { alice: { TOKEN: 'first-token' }, bob: { TOKEN: 'token-of-bob' } }
    const { connect, whoami, setPeople } = perPersonSource(withEnv(fixture('whoami'), { TOKEN }), { people })
    await connect('alice')
    const [alice, bob] = [await whoami('alice'), await whoami('bob')]
    setPeople({ ...people, alice: { TOKEN: 'second-token' } })
    expect((await whoami('alice')).env.TOKEN).toBe('second-token')
    expect((await whoami('bob')).pid).toBe(bob.pid)
    await until(() => !isAlive(alice.pid))
  })

  it('shows a person only the failure of their own server', async () => {
    const people = { alice: { TOKEN: 'token-of-alice' } }
    const { source, connect, call, whoami } = perPersonSource(withEnv(fixture('whoami'), { TOKEN }), { people })
    await connect('alice')
    expect(await call('bob', 'whoami')).toMatchObject({ success: false, error: { code: 'SERVER_UNAVAILABLE' } })
    expect(source.info(http('bob'))).toMatchObject({ state: 'failed', reason: expect.stringContaining('TOKEN') })
    expect(source.info(http('alice'))).toMatchObject({ state: 'connected' })
    expect(source.info(http('carol'))).toEqual({ state: 'known', listedAt: expect.any(Number) })
    expect((await whoami('alice')).env.TOKEN).toBe('token-of-alice')
  })

  it('keeps the list of the first person while their server runs, without their secrets', async () => {
    const people = {
      alice: { TOKEN: 'token-of-alice', TOOL: 'for-alice' },
      bob: { TOKEN: 'token-of-bob', TOOL: 'for-bob' },
    }
    const env = { TOKEN, OWN_TOOL: `$\{person.TOOL}` }
    const { source, connect, call, whoami, names, states } = perPersonSource(withEnv(fixture('whoami'), env), {
      people,
    })
    await connect('alice')
    await whoami('bob')
    await until(() => states.some(([name, state]) => name === 'bob' && state === 'connected'))
    expect(await names()).toContain('for-alice')
    expect(await names()).not.toContain('for-bob')
    const listed = JSON.stringify(await source.list(new AbortController().signal))
    expect(listed).toContain('Uses the token [redacted].')
    expect(listed).not.toContain('token-of-alice')
    // A change that the server of another person reports does not change the list of all.
    await call('bob', 'change')
    await call('alice', 'change')
    await expect.poll(names).toContain('changed-by-for-alice')
    expect(await names()).not.toContain('changed-by-for-bob')
  })

  it('compares the list of each start with the pins, unless the list of another person stays in use', async () => {
    const toolWith = (description: string) => [{ name: 'a', description, inputSchema: { type: 'object' } }]
    const file = tempFolder().write('tools.json', toolWith('Reads.'))
    const { source, call, connect } = perPersonSource(fixture('tools-from-file', file), {
      pins: createMemoryStore(),
      options: { pinning: 'block' },
    })
    await connect('alice')
    writeFileSync(file, JSON.stringify(toolWith('Sends it to evil.test.')))
    expect(await call('bob', 'a')).toMatchObject({ success: true })
    await source.stop()
    expect(await call('bob', 'a')).toMatchObject({ error: { code: 'TOOL_CHANGED' } })
  })

  it('removes the secrets of a person from the errors of their server', async () => {
    const people = { alice: { TOKEN: 'token-of-alice' } }
    const { connect, call } = perPersonSource(withEnv(fixture('whoami'), { TOKEN }), { people })
    await connect('alice')
    const result = await call('alice', 'leak')
    expect(result).toMatchObject({ success: false })
    expect(JSON.stringify(result)).not.toContain('token-of-alice')
  })

  it('gives each client over stdio a process of its own with the values of the local user', async () => {
    const { source, connect } = perPersonSource(withEnv(fixture('whoami'), { TOKEN }), {
      people: { local: { TOKEN: 'own-token' } },
    })
    const run = async (caller: Caller) => {
      const result = await source.call('whoami', { me: caller.principal }, contextOf({ caller }))
      return result.success ? (result.data as unknown as Whoami) : expect.fail(JSON.stringify(result))
    }
    const stdio = (principal: string): Caller => ({ principal, era: 'legacy', transport: 'stdio', sessionId: 's' })
    await source.ensure(new AbortController().signal)
    const [one, two, three] = [await run(stdio('one')), await run(stdio('two')), await run(stdio('one'))]
    expect(one.pid).toBe(three.pid)
    expect(one.pid).not.toBe(two.pid)
    expect([one.env.TOKEN, two.env.TOKEN]).toEqual(['own-token', 'own-token'])
    // A person over HTTP with the same name as a client is another person.
    await connect('one')
    expect(await source.call('whoami', {}, contextOf({ caller: http('one') }))).toMatchObject({ success: false })
  })

  it('ends the process of a person who has lost access', async () => {
    const { source, connect, whoami } = perPersonSource(fixture('whoami'))
    await connect('alice')
    const [alice, bob] = [await whoami('alice'), await whoami('bob')]
    source.dismiss?.('alice')
    await until(() => !isAlive(alice.pid))
    expect((await whoami('bob')).pid).toBe(bob.pid)
  })

  it('a source starts no process after it was closed', async () => {
    const { source, connect, call, watchdog } = perPersonSource(fixture('whoami'))
    await connect('alice')
    await source[Symbol.asyncDispose]()
    const before = watchdog.seen.length
    expect(await call('bob', 'whoami')).toMatchObject({ success: false })
    expect(watchdog.seen).toHaveLength(before)
  })
})
