// Edits of the config while the gateway runs: a valid edit is applied at once, an invalid one is refused.

import { chmodSync, readFileSync, renameSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { combinations, covers, gatewayForTest, OVER, useClient, useEveryClient } from './harness.ts'
import { homeForTest, useHome } from './home.ts'
import { fixtureServer, type ServerEntry, withEnv } from './servers.ts'

const withServers = (servers: Readonly<Record<string, ServerEntry>>, more: object = {}) => ({
  discovery: { listWaitMs: 30_000, servers, ...more },
})
const soon = { interval: 20, timeout: 10_000 }

describe('every client', () => {
  const home = useHome()
  const first = { diary: fixtureServer('notes', 'diary') }
  // All gateways read the same file.
  const { clientOf } = useEveryClient({ config: withServers(first), home })
  let isEdited = false

  it.each(combinations)(`a client is notified of an added server and finds its tools: ${OVER}`, async (combination) => {
    covers('CF-10', 'CA-3')
    const client = clientOf(combination)
    const find = async () => (await client.ask('search_tools', { query: 'add to the ledger', limit: 1 })).results
    if (!isEdited) {
      expect(await find()).toMatchObject([{ server: 'diary' }])
      home.write('gateway.json', withServers({ ...first, ledger: fixtureServer('notes', 'ledger') }))
      isEdited = true
    }
    await expect.poll(() => client.notifications, soon).toContain('tools changed')
    expect(await find()).toMatchObject([{ server: 'ledger', tool: 'add' }])
    expect((await client.list())[1]?.description).toMatch(/Servers: .*ledger/)
  })
})

const good = withServers({ notes: fixtureServer('notes') })
const { gateway, client } = useClient({ config: good })

describe('a valid edit', () => {
  const names = async () => {
    const { servers } = await client().ask('list_mcp_servers')
    return (servers as { name: string }[]).map(({ name }) => name)
  }

  it('an edit does not restart a server that stays in the config', async () => {
    covers('CF-10')
    const box = { box: fixtureServer('toolbox') }
    gateway().edit(withServers(box))
    await expect.poll(names, soon).toEqual(['box'])
    const pid = () => client().run({ server: 'box', tool: 'pid' })
    const before = await pid()
    expect(before).toMatchObject({ structuredContent: { result: { pid: expect.any(Number) } } })
    gateway().edit(
      withServers({ ...box, notes: fixtureServer('notes') }, { toolRules: [{ pattern: ['leak'], enabled: false }] }),
    )
    await expect.poll(names, soon).toEqual(['box', 'notes'])
    expect(await pid()).toEqual(before)
    expect(await client().ask('execute_tool', { tool: 'leak' })).toMatchObject({ error: { code: 'TOOL_DISABLED' } })
  })

  it('a call in flight finishes when an edit removes its server', async () => {
    covers('CF-10')
    const slow = client().run({ server: 'notes', tool: 'add', arguments: { text: 'late', waitMs: 600 } })
    await expect
      .poll(() => client().ask('list_mcp_servers', { search: 'notes' }), soon)
      .toMatchObject({ servers: [{ state: 'connected' }] })
    gateway().edit(withServers({ box: fixtureServer('toolbox') }))
    await expect.poll(names, soon).toEqual(['box'])
    expect(await slow).toMatchObject({ structuredContent: { success: true, result: ['late'] } })
    expect(await client().ask('execute_tool', { server: 'notes', tool: 'add' })).toMatchObject({
      error: { code: 'SERVER_NOT_FOUND' },
    })
  })

  it('the gateway applies an edit that replaces the file', async () => {
    covers('CF-10')
    const { home } = gateway()
    const draft = home.write('draft.json', withServers({ replaced: fixtureServer('notes') }))
    renameSync(draft, home.config)
    await expect.poll(names, soon).toEqual(['replaced'])
  })

  it('the gateway removes all servers when an edit disables discovery, and adds them again when an edit enables discovery', async () => {
    covers('CF-10', 'CF-1')
    const { discovery } = withServers({ box: fixtureServer('toolbox') })
    gateway().edit({ discovery: { ...discovery, enabled: false } })
    await expect.poll(names, soon).toEqual([])
    gateway().edit({ discovery })
    await expect.poll(names, soon).toEqual(['box'])
  })

  it('the gateway applies an edit within half a second, in the median of five edits', async () => {
    covers('NU-4')
    const times: number[] = []
    for (const server of ['one', 'two', 'three', 'four', 'five']) {
      const before = performance.now()
      gateway().edit(
        withServers({ box: fixtureServer('toolbox'), [server]: { ...fixtureServer('notes'), tools: [{ name: 'x' }] } }),
      )
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
    ['is not JSON', '{ "discovery": ', /gateway\.json: .*JSON/i],
    [
      'has an error beside valid entries',
      withServers({ added: fixtureServer('notes', 'added'), wrong: { connection: { type: 'stdio', command: [] } } }),
      /gateway\.json discovery\.servers\.wrong\.connection\.command: Expected a string/,
    ],
    ['has an unknown key', { ...good, discovry: {} }, /gateway\.json discovry: /],
    [
      'has a rule that cannot be read',
      withServers({ added: fixtureServer('notes', 'added') }, { toolRules: [{ pattern: ['/(/'], enabled: false }] }),
      /toolRules\[0\]|rule 1\b/i,
    ],
  ])(
    'an edit that %s is reported once and refused as a whole, and the last valid config stays',
    async (_, edit, report) => {
      covers('CF-11')
      gateway().edit(good)
      await expect.poll(run, soon).toEqual({ success: true, result: [] })
      const before = reports(report)
      gateway().edit(edit)
      await expect.poll(() => reports(report), soon).toBe(before + 1)
      const { servers } = await client().ask('list_mcp_servers')
      expect(servers).toMatchObject([{ name: 'notes' }])
      expect(await run()).toEqual({ success: true, result: [] })
    },
  )

  it('the gateway applies the next valid edit after an invalid one', async () => {
    covers('CF-11', 'CF-10')
    const report = /gateway\.json discovry: /
    const before = reports(report)
    gateway().edit({ ...good, discovry: {} })
    await expect.poll(() => reports(report), soon).toBe(before + 1)
    gateway().edit(withServers({ mended: fixtureServer('notes', 'mended') }))
    await expect
      .poll(() => client().ask('list_mcp_servers'), soon)
      .toMatchObject({ servers: [{ name: 'mended' }], total: 1 })
  })
})

describe('secrets.env', () => {
  it('the gateway restarts only the servers that refer to a changed value of secrets.env', async () => {
    covers('CF-13')
    const home = homeForTest()
    const API_KEY = `\${API_KEY}`
    const config = withServers({ box: withEnv(fixtureServer('toolbox'), { API_KEY }), other: fixtureServer('toolbox') })
    const running = await gatewayForTest({ home, config: { ...config, audit: { values: true } } })
    const user = await running.connect()
    const box = async () => {
      const { servers } = await user.ask('list_mcp_servers', { search: 'box' })
      return (servers as { state: string; reason?: string }[])[0]
    }
    const pid = async (server: string) => (await user.run({ server, tool: 'pid' })).structuredContent
    const other = await pid('other')
    await expect.poll(box, soon).toMatchObject({ reason: expect.stringContaining("'API_KEY' is not set") })

    // As a user would do it: the file is written with the default mode, then its mode is changed.
    const file = home.write('config/toolcrib/secrets.env', 'API_KEY=first-of-two-keys\n')
    chmodSync(file, 0o600)
    const leak = async () => (await user.run({ server: 'box', tool: 'leak' })).content
    // The gateway redacts the value, so this text shows that the server has it.
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
