// The config is edited while the gateway runs: what is valid is in force at once, what is not changes nothing.

import { chmodSync, readFileSync, renameSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { combinations, covers, gatewayForTest, OVER, useClient, useEveryClient } from './harness.ts'
import { homeForTest, useHome } from './home.ts'
import { made, type ServerEntry, withEnv } from './servers.ts'

const withServers = (servers: Readonly<Record<string, ServerEntry>>, more: object = {}) => ({
  discovery: { listWaitMs: 30_000, servers, ...more },
})
const soon = { interval: 20, timeout: 10_000 }

describe('every client', () => {
  const home = useHome()
  const first = { diary: made('notes', 'diary') }
  // All of them read the same file.
  const { clientOf } = useEveryClient({ config: withServers(first), home })
  let isEdited = false

  it.each(combinations)(`is told of a server that is added, and finds its tools: ${OVER}`, async (combination) => {
    covers('CF-10', 'CA-3')
    const client = clientOf(combination)
    const find = async () => (await client.ask('search_tools', { query: 'add to the ledger', limit: 1 })).results
    if (!isEdited) {
      expect(await find()).toMatchObject([{ server: 'diary' }])
      home.write('gateway.json', withServers({ ...first, ledger: made('notes', 'ledger') }))
      isEdited = true
    }
    await expect.poll(() => client.heard, soon).toContain('tools changed')
    expect(await find()).toMatchObject([{ server: 'ledger', tool: 'add' }])
    expect((await client.list())[1]?.description).toMatch(/Servers: .*ledger/)
  })
})

const good = withServers({ notes: made('notes') })
const { gateway, client } = useClient({ config: good })

describe('a valid edit', () => {
  const names = async () => {
    const { servers } = await client().ask('list_mcp_servers')
    return (servers as { name: string }[]).map(({ name }) => name)
  }

  it('leaves the process of a server that stays alone', async () => {
    covers('CF-10')
    const box = { box: made('toolbox') }
    gateway().edit(withServers(box))
    await expect.poll(names, soon).toEqual(['box'])
    const pid = () => client().run({ server: 'box', tool: 'pid' })
    const before = await pid()
    expect(before).toMatchObject({ structuredContent: { result: { pid: expect.any(Number) } } })
    gateway().edit(
      withServers({ ...box, notes: made('notes') }, { toolRules: [{ pattern: ['leak'], enabled: false }] }),
    )
    await expect.poll(names, soon).toEqual(['box', 'notes'])
    expect(await pid()).toEqual(before)
    expect(await client().ask('execute_tool', { tool: 'leak' })).toMatchObject({ error: { code: 'TOOL_DISABLED' } })
  })

  it('lets a call finish whose server it takes away', async () => {
    covers('CF-10')
    const slow = client().run({ server: 'notes', tool: 'add', arguments: { text: 'late', waitMs: 600 } })
    await expect
      .poll(() => client().ask('list_mcp_servers', { search: 'notes' }), soon)
      .toMatchObject({ servers: [{ state: 'connected' }] })
    gateway().edit(withServers({ box: made('toolbox') }))
    await expect.poll(names, soon).toEqual(['box'])
    expect(await slow).toMatchObject({ structuredContent: { success: true, result: ['late'] } })
    expect(await client().ask('execute_tool', { server: 'notes', tool: 'add' })).toMatchObject({
      error: { code: 'SERVER_NOT_FOUND' },
    })
  })

  it('counts also where an editor puts another file in its place', async () => {
    covers('CF-10')
    const { home } = gateway()
    const draft = home.write('draft.json', withServers({ replaced: made('notes') }))
    renameSync(draft, home.config)
    await expect.poll(names, soon).toEqual(['replaced'])
  })

  it('that switches discovery off takes all servers away, and one that switches it on brings them back', async () => {
    covers('CF-10', 'CF-1')
    const { discovery } = withServers({ box: made('toolbox') })
    gateway().edit({ discovery: { ...discovery, enabled: false } })
    await expect.poll(names, soon).toEqual([])
    gateway().edit({ discovery })
    await expect.poll(names, soon).toEqual(['box'])
  })

  it('is in force in half a second', async () => {
    covers('NU-4')
    const times: number[] = []
    for (const server of ['one', 'two', 'three', 'four', 'five']) {
      const before = performance.now()
      gateway().edit(withServers({ box: made('toolbox'), [server]: { ...made('notes'), tools: [{ name: 'x' }] } }))
      await expect.poll(names, { interval: 5, timeout: 10_000 }).toEqual(['box', server])
      times.push(performance.now() - before)
    }
    expect(times.toSorted((a, b) => a - b)[2]).toBeLessThan(500)
  })
})

describe('an invalid edit', () => {
  const run = async () => (await client().run({ server: 'notes', tool: 'list' })).structuredContent
  const reports = (pattern: RegExp) => gateway().stderr.match(new RegExp(pattern, 'g'))?.length ?? 0

  it.each([
    ['is no JSON', '{ "discovery": ', /gateway\.json: .*JSON/i],
    [
      'has a mistake beside what is right',
      withServers({ added: made('notes', 'added'), wrong: { connection: { type: 'stdio', command: [] } } }),
      /gateway\.json discovery\.servers\.wrong\.connection\.command: Expected a string/,
    ],
    ['has a key that does not exist', { ...good, discovry: {} }, /gateway\.json discovry: /],
    [
      'has a rule that cannot be read',
      withServers({ added: made('notes', 'added') }, { toolRules: [{ pattern: ['/(/'], enabled: false }] }),
      /toolRules\[0\]|rule 1\b/i,
    ],
  ])('that %s is reported once, as a whole refused, and the last good config stays', async (_, edit, report) => {
    covers('CF-11')
    gateway().edit(good)
    await expect.poll(run, soon).toEqual({ success: true, result: [] })
    const before = reports(report)
    gateway().edit(edit)
    await expect.poll(() => reports(report), soon).toBe(before + 1)
    const { servers } = await client().ask('list_mcp_servers')
    expect(servers).toMatchObject([{ name: 'notes' }])
    expect(await run()).toEqual({ success: true, result: [] })
  })

  it('is forgotten when it is mended', async () => {
    covers('CF-11', 'CF-10')
    gateway().edit(withServers({ mended: made('notes', 'mended') }))
    await expect
      .poll(() => client().ask('list_mcp_servers'), soon)
      .toMatchObject({ servers: [{ name: 'mended' }], total: 1 })
  })
})

describe('the file of secrets', () => {
  it('is read again when it changes: servers that refer to it start anew with it, the others stay', async () => {
    covers('CF-13')
    const home = homeForTest()
    const API_KEY = '$'.concat('{API_KEY}')
    const config = withServers({ box: withEnv(made('toolbox'), { API_KEY }), other: made('toolbox') })
    const running = await gatewayForTest({ home, config: { ...config, audit: { values: true } } })
    const user = await running.connect()
    const box = async () => {
      const { servers } = await user.ask('list_mcp_servers', { search: 'box' })
      return (servers as { state: string; reason?: string }[])[0]
    }
    const pid = async (server: string) => (await user.run({ server, tool: 'pid' })).structuredContent
    const other = await pid('other')
    await expect.poll(box, soon).toMatchObject({ reason: expect.stringContaining("'API_KEY' is not set") })

    // As people do it: written with the rights that files have, then made their own.
    const file = home.write('config/toolcrib/secrets.env', 'API_KEY=first-of-two-keys\n')
    chmodSync(file, 0o600)
    const leak = async () => (await user.run({ server: 'box', tool: 'leak' })).content
    // The gateway redacts the value that it handed over, so this shows that the server has that value.
    await expect.poll(async () => JSON.stringify(await leak()), soon).toContain('The key [redacted]')
    const before = await pid('box')

    home.write('config/toolcrib/secrets.env', 'API_KEY=second-of-two-keys\n')
    await expect.poll(() => pid('box'), soon).not.toEqual(before)
    expect(JSON.stringify(await leak())).toContain('The key [redacted]')
    expect(await pid('other')).toEqual(other)

    await user.run({ server: 'box', tool: 'pid', arguments: { said: 'second-of-two-keys' } })
    await running.close()
    const audit = readFileSync(home.at('state', 'toolcrib', 'audit.jsonl'), 'utf8')
    expect(audit).toContain('"said":"[redacted]"')
    expect(audit).not.toContain('of-two-keys')
  }, 60_000)
})
