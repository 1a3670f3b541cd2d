// Servers with `perPrincipal`: each person has their own process and values, and never reaches those of another person.

import { describe, expect, it } from 'vitest'
import { isRecord } from '../../src/core/is-record.ts'
import { isAlive } from '../../src/sources/upstream/upstream.fixture.ts'
import { run } from '../e2e/cli/harness.ts'
import { eras, type GatewayClient } from '../e2e/gateway/client.ts'
import { gatewayForTest, useGateway } from '../e2e/gateway/harness.ts'
import { homeForTest } from '../e2e/gateway/home.ts'
import { startedBy } from '../e2e/gateway/processes.ts'
import { fixtureServer, withEnv } from '../e2e/gateway/servers.ts'

const NAMES = ['alice', 'bob', 'carol'] as const
const tokens = Object.fromEntries(NAMES.map((name) => [name, `${name}-0123456789abcdef`]))
const [ALICE, BOB] = ['gh-secret-of-alice', 'gh-secret-of-bob']
// The brace is escaped, because `${` in a plain string looks like a forgotten template.
const people = { alice: { GITHUB: `$\{ALICE_GITHUB}` }, bob: { GITHUB: BOB }, carol: { GITHUB: 'gh-secret-of-carol' } }
const TOKEN = `$\{person.GITHUB}`

interface Whoami {
  readonly pid: number
  readonly env: Readonly<Record<string, string | undefined>>
  readonly seen: readonly string[]
}

function personal(more: object = {}) {
  return { ...withEnv(fixtureServer('whoami'), { TOKEN }), perPrincipal: true, ...more }
}

async function execute(client: GatewayClient, tool: string, args: object = {}): Promise<Record<string, unknown>> {
  const { structuredContent } = await client.run({ server: 'hub', tool, arguments: args })
  return { ...(isRecord(structuredContent) ? structuredContent : {}) }
}

async function whoami(client: GatewayClient, me: string): Promise<Whoami> {
  const { success, result, error } = await execute(client, 'whoami', { me })
  expect(error).toBeUndefined()
  expect(success).toBe(true)
  return (typeof result === 'string' ? JSON.parse(result) : result) as Whoami // the answer of the fixture
}

describe.each(eras)('people of a gateway in the %s era', (era) => {
  const gateway = useGateway({
    door: 'http',
    env: { ALICE_GITHUB: ALICE, OF_OPERATOR: 'an-account' },
    config: { http: { tokens }, people, discovery: { servers: { hub: personal(), shared: fixtureServer('whoami') } } },
  })
  const connect = (name: string) => gateway().connect({ era, token: tokens[name] ?? '' })

  it('the banner says that each person has a server of their own', async () => {
    const shown = () => gateway().stdout
    await expect.poll(shown, { timeout: 60_000 }).toContain('hub: one process or connection for each person')
  })

  it('each person has a process of their own with their own values', async () => {
    const clients = await Promise.all(NAMES.map(connect))
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, at) => at % 3).map(async (at) => {
        const [client, name] = [clients[at], NAMES[at]]
        if (client === undefined || name === undefined) throw new Error('no client')
        return { name, ...(await whoami(client, name)) }
      }),
    )
    for (const name of NAMES) {
      const own = answers.filter((answer) => answer.name === name)
      expect(new Set(own.map(({ pid }) => pid)).size).toBe(1)
      expect(new Set(own.map(({ env }) => env.TOKEN))).toEqual(new Set([`gh-secret-of-${name}`]))
      expect(new Set(own.flatMap(({ seen }) => seen))).toEqual(new Set([name]))
    }
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(3)
  })

  it('people do not inherit the variables of others, in their own servers or in shared ones', async () => {
    const [alice, bob] = [await connect('alice'), await connect('bob')]
    expect((await whoami(bob, 'bob')).env).not.toHaveProperty('ALICE_GITHUB')
    // A server of a person gets only a few basic variables of the gateway.
    expect((await whoami(bob, 'bob')).env).not.toHaveProperty('OF_OPERATOR')
    expect((await whoami(bob, 'bob')).env).toHaveProperty('PATH')
    // The value reaches her process only under the name that the config gives it.
    expect((await whoami(alice, 'alice')).env).not.toHaveProperty('ALICE_GITHUB')
    const answer = await bob.run({ server: 'shared', tool: 'whoami', arguments: {} })
    expect(JSON.stringify(answer)).toContain('OF_OPERATOR')
    expect(JSON.stringify(answer)).not.toContain(ALICE)
  })

  it('a person finds the tool of each server once', async () => {
    const client = await connect('carol')
    await whoami(client, 'carol')
    const found = await client.ask('search_tools', { query: 'whoami' })
    // The fields of a hit are pinned elsewhere.
    const hits = (found.results as readonly { server: string; tool: string }[]).filter(({ tool }) => tool === 'whoami')
    expect(hits.map(({ server }) => server).sort()).toEqual(['hub', 'shared'])
  })
})

describe('the servers of people', () => {
  it('the server of a person ends when it is idle, and a new call starts a new one', async () => {
    const config = { http: { tokens }, people, discovery: { servers: { hub: personal({ idleMs: 400 }) } } }
    const gateway = await gatewayForTest({ door: 'http', env: { ALICE_GITHUB: ALICE }, config })
    const [alice, bob] = [
      await gateway.connect({ token: tokens.alice ?? '' }),
      await gateway.connect({ token: tokens.bob ?? '' }),
    ]
    const first = await whoami(alice, 'alice')
    const busy = execute(bob, 'wait', { ms: 1_500 })
    await expect.poll(() => isAlive(first.pid)).toBe(false)
    expect(await busy).toMatchObject({ success: true })
    expect((await whoami(alice, 'alice')).pid).not.toBe(first.pid)
  })

  it('the servers of people never exceed their limit: the one that is idle longest ends, and a call is refused while all others work', async () => {
    const limits = { maxPeoplePerServer: 2 }
    const config = { http: { tokens }, people, limits, discovery: { servers: { hub: personal() } } }
    const gateway = await gatewayForTest({ door: 'http', env: { ALICE_GITHUB: ALICE }, config })
    const [alice, bob, carol] = await Promise.all(NAMES.map((name) => gateway.connect({ token: tokens[name] ?? '' })))
    if (alice === undefined || bob === undefined || carol === undefined) throw new Error('no client')
    const [one, two] = [await whoami(alice, 'alice'), await whoami(bob, 'bob')]
    const three = await whoami(carol, 'carol')
    expect([one, two, three].map(({ pid }) => isAlive(pid))).toEqual([false, true, true])
    const working = [execute(bob, 'wait', { ms: 1_500 }), execute(carol, 'wait', { ms: 1_500 })]
    await expect
      .poll(async () => (await execute(alice, 'whoami')).error)
      .toMatchObject({ code: 'SERVER_BUSY', retryable: true, suggestion: expect.stringContaining('Wait 1 s and') })
    expect(await Promise.all(working)).toMatchObject([{ success: true }, { success: true }])
    expect(await whoami(alice, 'alice')).toMatchObject({ env: { TOKEN: ALICE } })
  })

  it('an edit with a new value starts a new server, and a removed token ends the server of its owner', async () => {
    const home = homeForTest()
    const configOf = (given: object, names: readonly string[]) => ({
      http: { tokens: Object.fromEntries(names.map((name) => [name, tokens[name]])) },
      people: given,
      discovery: { servers: { hub: personal() } },
    })
    const start = { alice: { GITHUB: 'gh-first-of-alice' }, bob: { GITHUB: BOB } }
    const gateway = await gatewayForTest({ door: 'http', home, config: configOf(start, NAMES) })
    const [alice, bob] = [
      await gateway.connect({ token: tokens.alice ?? '' }),
      await gateway.connect({ token: tokens.bob ?? '' }),
    ]
    const [one, two] = [await whoami(alice, 'alice'), await whoami(bob, 'bob')]
    home.write('gateway.json', configOf({ ...start, alice: { GITHUB: 'gh-second-of-alice' } }, NAMES))
    await expect.poll(async () => (await whoami(alice, 'alice')).env.TOKEN).toBe('gh-second-of-alice')
    expect((await whoami(bob, 'bob')).pid).toBe(two.pid)
    await expect.poll(() => isAlive(one.pid)).toBe(false)
    home.write('gateway.json', configOf(start, ['alice']))
    await expect.poll(() => isAlive(two.pid)).toBe(false)
  })

  it('the server of a person ends within three seconds after the token of that person is revoked', async () => {
    const home = homeForTest()
    const config = { discovery: { servers: { hub: { ...fixtureServer('whoami'), perPrincipal: true } } } }
    const command = (...args: readonly string[]) => run({ cwd: home.path, env: { ...home.env } }, args)
    const added = await command('token', 'add', 'dave', '--json')
    const { token } = JSON.parse(added.stdout) as { readonly token: string } // the output of the command
    const gateway = await gatewayForTest({ door: 'http', home, config })
    const { pid } = await whoami(await gateway.connect({ token }), 'dave')
    expect((await command('token', 'revoke', 'dave')).code).toBe(0)
    await expect.poll(() => isAlive(pid), { timeout: 3_000 }).toBe(false)
  })

  it('`config validate` reports an unset variable of a person, and prints no values', async () => {
    const home = homeForTest()
    home.write('gateway.json', { people, discovery: { servers: { hub: personal() } } })
    const { stdout } = await run({ cwd: home.path, env: { ...home.env } }, [
      'config',
      'validate',
      '--config',
      home.config,
    ])
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain("'ALICE_GITHUB' is not set, so 'alice' has no value for 'GITHUB'")
    expect(stdout).not.toContain(BOB)
    expect(stdout).not.toContain('person.')
  })

  it('a person without a value gets the key to set, and others do not', async () => {
    const config = {
      http: { tokens },
      people: { alice: { GITHUB: ALICE } },
      discovery: { servers: { hub: personal() } },
    }
    const gateway = await gatewayForTest({ door: 'http', config })
    const [alice, bob] = [
      await gateway.connect({ token: tokens.alice ?? '' }),
      await gateway.connect({ token: tokens.bob ?? '' }),
    ]
    await whoami(alice, 'alice')
    const { error } = await execute(bob, 'whoami')
    expect(error).toMatchObject({
      code: 'SERVER_UNAVAILABLE',
      message: expect.stringContaining('people.bob.GITHUB'),
      retryable: false,
    })
    const seen = JSON.stringify(await alice.ask('list_mcp_servers'))
    expect(seen).not.toContain('bob')
    expect(seen).not.toContain('GITHUB')
    expect(JSON.stringify(await bob.ask('list_mcp_servers'))).toContain('people.bob.GITHUB')
  })

  it('the servers of people leave no secret in logs, in errors or in files', async () => {
    const config = { http: { tokens }, people, audit: { values: true }, discovery: { servers: { hub: personal() } } }
    // A home of the test, because `close` removes a home that the gateway has created.
    const home = homeForTest()
    const gateway = await gatewayForTest({ door: 'http', home, env: { ALICE_GITHUB: ALICE }, config })
    const [alice, bob] = [
      await gateway.connect({ token: tokens.alice ?? '' }),
      await gateway.connect({ token: tokens.bob ?? '' }),
    ]
    const answers = [await execute(alice, 'leak'), await execute(bob, 'leak', { of: ALICE })]
    // The tool has run, and its text arrives without the secret.
    for (const { error } of answers) expect(JSON.stringify(error)).toContain('was refused')
    expect(JSON.stringify(answers)).not.toContain(ALICE)
    expect(JSON.stringify(answers)).not.toContain(BOB)
    await gateway.close()
    const written = home
      .files()
      .filter((file) => file !== home.config)
      .map((file) => home.lines(file.slice(home.path.length + 1)).join('\n'))
    expect(written.filter((text) => text.includes('"leak"'))).not.toEqual([])
    for (const text of [gateway.stderr, ...written]) {
      expect(text).not.toContain(ALICE)
      expect(text).not.toContain(BOB)
    }
  })

  it('the servers of people end with the gateway', async () => {
    const config = { http: { tokens }, people, discovery: { servers: { hub: personal() } } }
    const gateway = await gatewayForTest({ door: 'http', env: { ALICE_GITHUB: ALICE }, config })
    const pids: number[] = []
    for (const name of NAMES) pids.push((await whoami(await gateway.connect({ token: tokens[name] ?? '' }), name)).pid)
    expect(startedBy(gateway.pid)).toEqual(expect.arrayContaining(pids))
    await gateway.close()
    expect(pids.filter(isAlive)).toEqual([])
  })
})
