// Two people with different rights use one gateway. Each of them finds only their own tools with every request.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { measuredListings } from '../../src/disclosure/strategies/create-strategy.ts'
import { eras } from '../e2e/gateway/client.ts'
import { gatewayForTest, mainPath, openGateway, useGateway } from '../e2e/gateway/harness.ts'
import { createHome, homeForTest } from '../e2e/gateway/home.ts'
import { filesystem, memory } from '../e2e/gateway/servers.ts'
import { addToken, ask, connectRecorded, initialize, tokenCommand } from './tokens.ts'

const home = createHome()
afterAll(() => home.remove())

const configFor = (strategy: string, strategyOptions: unknown = {}) => ({
  discovery: {
    strategy,
    strategyOptions,
    listWaitMs: 30_000,
    passthrough: true,
    servers: { shelf: filesystem(home.at('')), brain: memory(home.at('memory.jsonl')) },
  },
})

interface Person {
  readonly name: string
  readonly server: string
  readonly own: RegExp
  /** Names and words of descriptions that only the other person may see. */
  readonly foreign: RegExp
  /** Misspelt names and words that would find the tools of the other person. They do not match `foreign`. */
  readonly probes: readonly string[]
  /** Exact names of tools of the other person, with their servers. */
  readonly names: readonly string[]
}

const people: readonly Person[] = [
  {
    name: 'alice',
    server: 'shelf',
    own: /read_text_file|shelf/,
    foreign: /brain|create_entities|read_graph|knowledge|observations|entities/i,
    probes: ['create_entitie', 'brian'],
    names: ['brain:create_entities'],
  },
  {
    name: 'bob',
    server: 'brain',
    own: /create_entities|brain/,
    foreign: /shelf|read_text_file|directory|list_allowed|edit_file/i,
    probes: ['read_text_fil', 'shelv'],
    names: ['shelf:read_text_file'],
  },
]

/** Requests with this name or word to the tools of all strategies that find, describe and call tools. */
function requestsFor(word: string): readonly (readonly [string, Readonly<Record<string, unknown>>])[] {
  return [
    [word, {}],
    ['search_tools', { query: word, limit: 50 }],
    ['search_tools', { query: 'a', server: word }],
    ['list_tools', { server: word, includeDisabled: true }],
    ['list_mcp_servers', { search: word }],
    ['get_tool_details', { tool: word, schema: true }],
    ['execute_tool', { tool: word, arguments: {} }],
    ['execute_tool', { server: word, tool: 'x', arguments: {} }],
    ['afd-discover', { search: word }],
    ['afd-discover', { category: word }],
    ['afd-detail', { command: [word] }],
    ['afd-call', { command: word, input: {} }],
    ['afd-batch', { commands: [{ command: word, input: {} }] }],
    ['afd-pipe', { steps: [{ command: word, input: {} }] }],
    ['manage_tools', { action: 'list', search: word }],
    ['manage_tools', { action: 'enable', tools: word }],
    ['get_category_tools', { category: word }],
    ['get_tool_schema', { toolName: word }],
    ['invoke_tool', { tool: word, arguments: {} }],
    ['crib_capabilities', { category: word }],
    ['crib_tool_schema', { tool: word }],
  ]
}

const BROWSING: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['list_mcp_servers', {}],
  ['afd-discover', {}],
  ['manage_tools', { action: 'list' }],
  ['list_tool_categories', {}],
  ['crib_capabilities', {}],
]

/** The tokens of the two people, for all gateways of this home. */
const tokens = new Map<string, string>()

beforeAll(async () => {
  // This gateway lists the servers once and caches their manifests; the others read the cache.
  const gateway = await openGateway({ home, config: configFor('gateway') })
  await (await gateway.connect()).ask('search_tools', { query: 'anything' })
  await gateway.close()
  for (const { name, server } of people) tokens.set(name, addToken(home, name, '--servers', server))
})

describe.each(measuredListings)('two people under $name', ({ strategy, options }) => {
  const isHybrid = options.listing === 'hybrid'
  const given = {
    ...options,
    ...(strategy === 'capabilities' ? { prefix: 'crib', quickActions: ['read_text_file', 'create_entities'] } : {}),
    ...(isHybrid ? { core: ['read_text_file', 'create_entities'] } : {}),
  }
  const gateway = useGateway(() => ({ door: 'http', home, config: configFor(strategy, given) }))

  it.each(eras)('two people see nothing of the servers and tools of each other in the %s era', async (era) => {
    for (const { name, own, foreign, probes, names } of people) {
      const client = await connectRecorded(gateway().url, tokens.get(name) ?? '', era)
      const call = async (tool: string, args: Readonly<Record<string, unknown>>): Promise<string> =>
        JSON.stringify(await client.client.callTool({ name: tool, arguments: args }).catch((error) => String(error)))
      await client.list()
      await client.client.listPrompts()
      await client.client.listResources()
      await client.client.listResourceTemplates()
      for (const [tool, args] of [...BROWSING, ...probes.flatMap(requestsFor)]) await call(tool, args)
      const bytes = await client.bytes()
      expect(bytes).toMatch(own)
      expect(bytes).not.toMatch(foreign)
      // The exact names get the same refusals as names that no server has.
      const codes = async (word: string) => {
        const told: string[] = []
        for (const [tool, args] of requestsFor(word)) told.push((await call(tool, args)).replaceAll(word, '<asked>'))
        for (const answer of told) expect(answer).not.toMatch(foreign)
        return told.map((answer) => /"code\\?":\\?"\w+|success\\?":true/.exec(answer)?.[0])
      }
      for (const wanted of names) expect(await codes(wanted)).toEqual(await codes(wanted.replace(/[a-z]/g, 'q')))
      await client.close()
    }
  })
})

describe('two people who search at the same time', () => {
  const gateway = useGateway(() => ({ door: 'http', home, config: configFor('gateway') }))

  it('two people get only their own tools in 1,000 interleaved searches', async () => {
    const clients = await Promise.all(
      people.map(async (person, at) => {
        const token = tokens.get(person.name) ?? ''
        return { ...person, client: await connectRecorded(gateway().url, token, eras[at % 2] ?? 'legacy') }
      }),
    )
    const queries = ['read', 'create', 'delete everything', 'list', 'search nodes and documents']
    let hits = 0
    for (let turn = 0; turn < 1_000; turn += 20) {
      await Promise.all(
        Array.from({ length: 20 }, async (_, at) => {
          const { client, own, foreign } = clients[at % 2] ?? expect.fail()
          const told = JSON.stringify(await client.ask('search_tools', { query: queries[(turn + at) % 5], limit: 20 }))
          if (own.test(told)) hits++
          expect(told).not.toMatch(foreign)
        }),
      )
    }
    expect(hits).toBeGreaterThanOrEqual(800)
    for (const { client, foreign } of clients) expect(await client.bytes()).not.toMatch(foreign)
  })
})

describe('a token', () => {
  it('token add prints a new token once and alone on stdout, and no file contains it', async () => {
    const own = homeForTest()
    own.write('gateway.json', {})
    const args = [mainPath(), 'token', 'add', 'alice', '--servers', 'shelf', '--config', own.config]
    const ran = spawnSync(process.execPath, args, { env: { ...own.env }, cwd: own.path, encoding: 'utf8' })
    expect(ran.stdout).toMatch(/^toolcrib_[\w-]{43}\n$/)
    expect(ran.stderr).toContain('only time')
    expect(ran.stderr).not.toContain(ran.stdout.trim())
    const listed = tokenCommand(own, 'list', '--json')
    expect(JSON.parse(listed)).toMatchObject({ tokens: [{ name: 'alice', servers: ['shelf'] }] })
    const gateway = await gatewayForTest({ door: 'http', home: own, config: {} })
    expect((await initialize(gateway.url, ran.stdout.trim())).status).toBe(200)
    const secret = ran.stdout.trim().slice('toolcrib_'.length)
    const texts = own.files().map((file) => readFileSync(file, 'utf8'))
    expect([...texts, listed, gateway.stdout, gateway.stderr].filter((text) => text.includes(secret))).toEqual([])
  })

  it('token add refuses taken, reserved and invalid names and invalid options, and token revoke an unknown name', () => {
    const own = homeForTest()
    own.write('gateway.json', { http: { tokens: { carol: 'carol-0123456789abcdef' } } })
    addToken(own, 'alice')
    for (const name of ['alice', 'carol', 'user', 'anonymous', 'oauth:eve', 'a b', '-x', '../x']) {
      expect(() => tokenCommand(own, 'add', '--', name)).toThrow(/already|name/)
    }
    expect(() => addToken(own, 'bob', '--expires', 'soon')).toThrow(/not a time/)
    expect(() => addToken(own, 'bob', '--tools', '/(/')).toThrow(/pattern|\(/i)
    expect(() => tokenCommand(own, 'revoke', 'nobody')).toThrow(/no token/)
  })

  it.each(['anonymous', 'oauth:eve'])('serve refuses a token with the name %s in the configuration', (name) => {
    const own = homeForTest()
    own.write('gateway.json', { http: { tokens: { [name]: 'eve-0123456789abcdef' } } })
    const args = [mainPath(), 'serve', '--http', '--port', '0', '--config', own.config]
    const ran = spawnSync(process.execPath, args, {
      env: { ...own.env },
      cwd: own.path,
      encoding: 'utf8',
      timeout: 30_000,
    })
    expect(ran.status).toBe(2)
    expect(ran.stderr).toMatch(/clients without a token|company logins/)
  })

  it('a revoked token ends with its sessions and streams within a second', async () => {
    const own = homeForTest()
    const gateway = await gatewayForTest({ door: 'http', home: own, config: {} })
    const token = addToken(own, 'alice')
    const bystander = addToken(own, 'bob')
    for (const one of [token, bystander]) {
      await expect.poll(async () => (await initialize(gateway.url, one)).status, { timeout: 1_000 }).toBe(200)
    }
    const open = async (owner: string) => {
      const session = (await initialize(gateway.url, owner)).headers.get('mcp-session-id') ?? ''
      const stream = await ask(gateway.url, owner, { headers: { 'mcp-session-id': session } })
      expect(stream.status).toBe(200)
      let endedAt = 0
      const ended = stream
        .text()
        .catch(() => '')
        .then(() => (endedAt = performance.now()))
      return { session, ended, isOpen: () => endedAt === 0, endedAt: () => endedAt }
    }
    const [revoked, kept] = [await open(token), await open(bystander)]
    tokenCommand(own, 'revoke', 'alice')
    const revokedAt = performance.now()
    await revoked.ended
    expect(revoked.endedAt() - revokedAt).toBeLessThan(1_000)
    expect((await initialize(gateway.url, token)).status).toBe(401)
    expect(kept.isOpen()).toBe(true)
    expect((await initialize(gateway.url, bystander)).status).toBe(200)
    // The session does not come back with a new token of the same name.
    const next = addToken(own, 'alice')
    await expect.poll(async () => (await initialize(gateway.url, next)).status, { timeout: 1_000 }).toBe(200)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })
    const headers = { 'mcp-session-id': revoked.session }
    expect((await ask(gateway.url, next, { method: 'POST', body, headers })).status).toBe(404)
  })

  it('a token expires at its time, with its open stream and its sessions', async () => {
    const own = homeForTest()
    const gateway = await gatewayForTest({ door: 'http', home: own, config: { http: { metrics: { enabled: true } } } })
    const sessions = async () => {
      const page = await ask(gateway.url.replace(/mcp$/, 'metrics'), gateway.token ?? '')
      return /^toolcrib_sessions (\d+)$/m.exec(await page.text())?.[1]
    }
    const token = addToken(own, 'alice', '--expires', '3s')
    const madeAt = performance.now()
    await expect.poll(async () => (await initialize(gateway.url, token)).status, { timeout: 1_000 }).toBe(200)
    const session = (await initialize(gateway.url, token)).headers.get('mcp-session-id') ?? ''
    const stream = await ask(gateway.url, token, { headers: { 'mcp-session-id': session } })
    expect(Number(await sessions())).toBeGreaterThan(1)
    await stream.text().catch(() => '')
    expect(performance.now() - madeAt).toBeLessThan(4_500)
    await expect.poll(sessions).toBe('0')
    expect((await initialize(gateway.url, token)).status).toBe(401)
    expect(tokenCommand(own, 'list')).toContain('(expired)')
  })

  it.each(eras)('a token with --read-only allows only tools that state that they read, in the %s era', async (era) => {
    const gateway = await gatewayForTest({ door: 'http', home, config: configFor('individual') })
    const token = addToken(home, `reader-${era}`, '--servers', 'shelf', '--read-only')
    await expect.poll(async () => (await initialize(gateway.url, token)).status, { timeout: 1_000 }).toBe(200)
    const client = await connectRecorded(gateway.url, token, era)
    const names = (await client.list()).map(({ name }) => name)
    expect(names).toContain('shelf__read_text_file')
    expect(names.filter((name) => /write|edit|move|create/.test(name))).toEqual([])
    const args = { path: home.at('made.txt'), content: 'x' }
    const { content } = await client.client.callTool({ name: 'shelf__write_file', arguments: args })
    expect(JSON.stringify(content)).toContain('TOOL_NOT_FOUND')
    expect(home.files()).not.toContain(args.path)
    tokenCommand(home, 'revoke', `reader-${era}`)
  })

  it('a token in the configuration has its rights, and a change of the rights closes its session', async () => {
    const own = homeForTest()
    const token = 'carol-0123456789abcdef'
    const config = (servers: readonly string[]) => ({
      http: { tokens: { carol: { token, servers } } },
      discovery: { strategy: 'individual', servers: configFor('').discovery.servers },
    })
    const gateway = await gatewayForTest({ door: 'http', home: own, config: config(['brain']) })
    const client = await connectRecorded(gateway.url, token, 'legacy')
    const names = (await client.list()).map(({ name }) => name)
    expect(names).toContain('brain__create_entities')
    expect(names.join()).not.toContain('shelf')
    gateway.edit(config([]))
    await expect.poll(() => client.list().then(String, String), { timeout: 5_000 }).toMatch(/session|404/i)
    const again = await connectRecorded(gateway.url, token, 'legacy')
    expect(await again.list()).toEqual([])
  })
})
