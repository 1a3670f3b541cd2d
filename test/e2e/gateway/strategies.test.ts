// Other strategies than `gateway`, over real servers: manage for two principals, and a learned core.

import { describe, expect, it } from 'vitest'
import { eras } from './client.ts'
import { covers, gatewayForTest, useGateway } from './harness.ts'
import { homeForTest } from './home.ts'
import { fixtureServer } from './servers.ts'

const soon = { interval: 20, timeout: 10_000 }
const servers = { notes: fixtureServer('notes'), diary: fixtureServer('notes', 'diary') }
const tokens = { alice: 'token-of-alice-0123456789', bob: 'token-of-bob-0123456789' }
const http = { tokens: { alice: `\${ALICE}`, bob: `\${BOB}` } }
const env = { ALICE: tokens.alice, BOB: tokens.bob }

describe.each(eras)('manage in the %s era', (era) => {
  const gateway = useGateway({
    door: 'http',
    env,
    config: {
      http,
      discovery: { listWaitMs: 30_000, strategy: 'manage', strategyOptions: { maxEnabled: 2 }, servers },
    },
  })
  const connect = (token: string) => gateway().connect({ era, token })
  const namesOf = async (client: Awaited<ReturnType<typeof connect>>) => (await client.list()).map(({ name }) => name)

  it('manage gives each principal its own list, and notifications only for its own changes', async () => {
    covers('MG-1', 'MG-2', 'MG-3')
    const [alice, bob] = [await connect(tokens.alice), await connect(tokens.bob)]
    expect(await namesOf(alice)).toEqual(['manage_tools'])
    const answer = await alice.ask('manage_tools', {
      action: 'enable',
      tools: ['notes__add', 'diary__add', 'notes__ad'],
    })
    expect(answer).toMatchObject({
      enabled: ['diary__add', 'notes__add'],
      errors: [{ name: 'notes__ad', code: 'TOOL_NOT_FOUND', suggestion: expect.stringContaining('notes__add') }],
    })
    await expect.poll(() => alice.notifications, soon).toEqual(['tools changed'])
    expect(await namesOf(alice)).toEqual(['manage_tools', 'diary__add', 'notes__add'])
    await alice.ask('manage_tools', { action: 'enable', tools: 'notes__add' })
    await bob.ask('manage_tools', { action: 'enable', category: 'diary' })
    await expect.poll(() => bob.notifications, soon).toEqual(['tools changed'])
    expect(await namesOf(alice)).toEqual(['manage_tools', 'diary__add', 'notes__add'])
    expect(alice.notifications).toEqual(['tools changed'])
    expect(await namesOf(bob)).toEqual(['manage_tools', 'diary__add', 'diary__list'])
  })

  it('manage refuses and records a call of a tool that is not enabled, and runs an enabled one', async () => {
    covers('MG-4')
    const alice = await connect(tokens.alice)
    await alice.ask('manage_tools', { action: 'disable', tools: ['notes__add', 'diary__add'] })
    const call = () => alice.client.callTool({ name: 'notes__add', arguments: { text: 'hello' } })
    const refused = await call()
    expect(refused.isError).toBe(true)
    expect(JSON.stringify(refused.content)).toMatch(/TOOL_NOT_ENABLED.*manage_tools/)
    const lines = () =>
      gateway()
        .home.lines('state/toolcrib/audit.jsonl')
        .map((line) => JSON.parse(line))
    await expect
      .poll(() => lines().filter(({ outcome }) => outcome === 'TOOL_NOT_ENABLED'), soon)
      .toMatchObject([{ server: 'notes', tool: 'add' }])
    await alice.ask('manage_tools', { action: 'enable', tools: 'notes__add' })
    expect((await call()).isError).not.toBe(true)
  })

  it('manage refuses to enable more tools than allowed, with the count', async () => {
    const client = await connect(tokens.bob)
    const refused = await client.ask('manage_tools', {
      action: 'enable',
      tools: ['notes__add', 'diary__add', 'notes__list'],
    })
    expect(refused).toMatchObject({
      success: false,
      error: { code: 'TOO_MANY_TOOLS', message: expect.stringMatching(/3.*2/) },
    })
  })

  it('the instructions of manage explain how to enable tools', async () => {
    covers('CG-2')
    const { client } = await connect(tokens.bob)
    expect(client.getInstructions()).toContain('manage_tools {"action": "enable"')
  })
})

describe('a principal of the modern era', () => {
  it('a principal of the modern era keeps its enabled tools after a restart', async () => {
    covers('MG-3')
    const home = homeForTest()
    const options = { door: 'http', env, home, config: { http, discovery: { strategy: 'manage', servers } } } as const
    const first = await gatewayForTest(options)
    const before = await first.connect({ era: 'modern', token: tokens.alice })
    await before.ask('manage_tools', { action: 'enable', tools: 'notes__add' })
    await before.close()
    await first.close()
    const again = await (await gatewayForTest(options)).connect({ era: 'modern', token: tokens.alice })
    expect((await again.list()).map(({ name }) => name)).toEqual(['manage_tools', 'notes__add'])
  })
})

describe('a hybrid listing with a learned core', () => {
  it('a learned core lists the tools that were called most before the gateway started', async () => {
    covers('CG-1')
    const home = homeForTest()
    const config = { discovery: { listWaitMs: 30_000, servers } }
    const first = await gatewayForTest({ home, config })
    const client = await first.connect()
    for (const text of ['one', 'two', 'three']) await client.run({ server: 'diary', tool: 'add', arguments: { text } })
    await first.close()
    const args = ['serve', '--config', home.config, '--strategy', 'categories', '--listing', 'hybrid']
    const second = await gatewayForTest({ home, config, args })
    const learned = await second.connect()
    const names = async () => (await learned.list()).map(({ name }) => name)
    const listed = ['list_tool_categories', 'get_category_tools', 'get_tool_schema', 'diary__add']
    expect(await names()).toEqual(listed)
    await learned.client.callTool({ name: 'notes__add', arguments: { text: 'four' } })
    expect(await names()).toEqual(listed)
  })
})
