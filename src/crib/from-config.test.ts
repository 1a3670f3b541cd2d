import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type LoadedConfig, loadConfig } from '../config/load/load.ts'
import { type TempFolder, tempFolder } from '../config/temp-folder.fixture.ts'
import { scriptedSource } from '../sources/source.fixture.ts'
import { defineSource } from '../sources/source.ts'
import { fixturePath, until } from '../sources/upstream/upstream.fixture.ts'
import { createMemoryStore } from '../storage/memory.ts'
import { defineStore } from '../storage/store.ts'
import { requestOf } from './crib.fixture.ts'
import { createGateway, type Gateway, type GatewayProblem } from './from-config.ts'

interface Opened {
  readonly gateway: Gateway
  readonly folder: TempFolder
  readonly problems: readonly GatewayProblem[]
  /** Rewrites the config file. */
  edit(discovery: unknown, rest?: object): void
  ask(name: string, args?: unknown): Promise<Record<string, unknown>>
}

async function open(
  discovery: unknown,
  rest: object = {},
  env: Record<string, string> = {},
  folder: TempFolder = tempFolder(),
  plugins?: LoadedConfig['config']['plugins'],
): Promise<Opened> {
  const edit = (next: unknown, more: object = rest) =>
    void folder.write('config.json', typeof next === 'string' ? next : { discovery: next, ...more })
  edit(discovery)
  const problems: GatewayProblem[] = []
  const gateway = await createGateway({
    name: 'toolcrib',
    version: '1.0.0',
    env,
    stateDir: folder.at('state'),
    cacheDir: folder.at('cache'),
    async load(signal) {
      const loaded = await loadConfig({
        cwd: folder.path,
        home: folder.path,
        configDir: folder.at('none'),
        platform: process.platform,
        env: { ...env },
        explicit: folder.at('config.json'),
        signal,
      })
      // As from a config in code: a JSON file has no plugins.
      return plugins === undefined ? loaded : { ...loaded, config: { ...loaded.config, plugins } }
    },
    onProblem: (problem) => problems.push(problem),
  })
  onTestFinished(() => gateway[Symbol.asyncDispose]())
  return {
    gateway,
    folder,
    problems,
    edit,
    async ask(name, args = {}) {
      const { wire, error, data } = await gateway.crib.call(name, args, requestOf())
      if (error !== undefined) return { error }
      const [block] = wire?.content ?? []
      return name === 'execute_tool' ? { data } : JSON.parse(block?.type === 'text' ? block.text : '')
    },
  }
}

/** A server that keeps notes in memory. It calls them `subject` in the descriptions of its tools. */
function notesServer(subject: string): { readonly command: string; readonly args: readonly string[] } {
  return { command: process.execPath, args: [fixturePath('notes'), subject] }
}

const servers = { notes: notesServer('notes') }

/** A kind of store that counts its open stores. */
function countedStores() {
  const counts = { opened: 0, open: 0 }
  const plugin = defineStore({
    name: 'counted',
    open() {
      const store = createMemoryStore()
      let isOpen = true
      counts.opened++
      counts.open++
      const close = async () => {
        if (isOpen) counts.open--
        isOpen = false
        await store[Symbol.asyncDispose]()
      }
      return { ...store, [Symbol.asyncDispose]: close }
    },
  })
  return { plugin, counts }
}

describe('a gateway from a config', () => {
  it('starts no server until it is needed, then finds and calls its tools', async () => {
    const { gateway, ask } = await open({ servers })
    expect(gateway.sources.map((source) => source.state().state)).toEqual(['known'])
    expect(await ask('search_tools', { query: 'add a note', limit: 1 })).toMatchObject({
      results: [{ server: 'notes', tool: 'add' }],
    })
    expect(await ask('execute_tool', { tool: 'add', arguments: { text: 'hello' } })).toEqual({ data: ['hello'] })
    expect(await ask('list_mcp_servers')).toMatchObject({ servers: [{ state: 'connected', toolCount: 2 }] })
  })

  it.each([
    ['gateway', undefined, 'execute_tool'],
    ['categories', undefined, 'invoke_tool'],
    ['capabilities', undefined, 'toolcrib_capabilities'],
    ['capabilities', { prefix: 'shop' }, 'shop_tool_schema'],
    ['lazy', { prefix: 'shop' }, 'shop-call'],
  ])(
    'under %s with the options %j, warns of a server that has a tool with the same name as its own tool %s',
    async (strategy, strategyOptions, name) => {
      const args = [fixturePath('named-tools'), name, 'read_file']
      const shopping = { command: process.execPath, args }
      const { gateway } = await open({ strategy, strategyOptions, servers: { shopping } })
      const [source] = gateway.sources
      await source?.ensure(new AbortController().signal)
      const entries = (await source?.list(new AbortController().signal)) ?? []
      expect(entries.map((entry) => entry.warnings)).toEqual([
        [expect.stringContaining(`name its server too: \`toolcrib execute shopping ${name}\``)],
        undefined,
      ])
    },
  )

  it('ranks a called tool higher than an equal tool that was not called, unless `learn` is off, and keeps the counts', async () => {
    const twins = { alpha: notesServer('notes'), beta: notesServer('notes') }
    const { ask, edit, gateway } = await open({ servers: twins })
    const found = async () => {
      const { results } = await ask('search_tools', { query: 'add a note', limit: 2 })
      return (results as { server: string }[]).map(({ server }) => server) // the answer of search_tools
    }
    expect(await found()).toEqual(['alpha', 'beta'])
    await ask('execute_tool', { server: 'beta', tool: 'add', arguments: { text: 'hello' } })
    expect(await found()).toEqual(['beta', 'alpha'])
    edit({ servers: twins, search: { learn: false } })
    await gateway.reload()
    expect(await found()).toEqual(['alpha', 'beta'])
    edit({ servers: twins })
    await gateway.reload()
    expect(await found()).toEqual(['beta', 'alpha'])
  })

  it('closes its stores and the sources of plugins when it is closed, and after a failed start', async () => {
    const { plugin, counts } = countedStores()
    const openSources = new Set<string>()
    const source = defineSource({
      name: 'own',
      open({ id }) {
        openSources.add(id)
        return { ...scriptedSource(id, []), [Symbol.asyncDispose]: async () => void openSources.delete(id) }
      },
    })
    const plugins = { stores: [plugin], sources: [source] }
    const { gateway } = await open({ servers }, { store: 'counted' }, {}, tempFolder(), plugins)
    expect([counts, openSources.size]).toEqual([{ opened: 3, open: 3 }, 1])
    await gateway[Symbol.asyncDispose]()
    expect([counts, openSources.size]).toEqual([{ opened: 3, open: 0 }, 0])
    const invalid = { servers, strategy: 'lazy', strategyOptions: { speed: 11 } }
    await expect(open(invalid, { store: 'counted' }, {}, tempFolder(), plugins)).rejects.toThrow('speed')
    const noStream = { store: 'counted', audit: { stream: true } }
    await expect(open({ servers }, noStream, {}, tempFolder(), plugins)).rejects.toThrow('audit.stream')
    expect(counts.opened).toBeGreaterThan(3)
    expect([counts.open, openSources.size]).toEqual([0, 0])
  })

  it('searches with the ranker that `discovery.search.ranker` names', async () => {
    // `words` finds only tools with all words; the default also finds tools with some of them.
    const query = 'add a note zzqqxx'
    const byWords = await open({ servers, search: { ranker: 'words' } })
    expect(await byWords.ask('search_tools', { query })).toMatchObject({ results: [] })
    const byDefault = await open({ servers })
    expect(await byDefault.ask('search_tools', { query, limit: 1 })).toMatchObject({ results: [{ tool: 'add' }] })
  })

  it('refuses a ranker that does not exist', async () => {
    await expect(open({ servers, search: { ranker: 'nope' } })).rejects.toThrow("there is no ranker 'nope'")
  })

  it('keeps its state and its cache in the store that `store` names', async () => {
    const used = async (rest: object) => {
      const { ask, gateway, folder } = await open({ servers }, rest)
      await ask('execute_tool', { tool: 'add', arguments: { text: 'hello' } })
      await gateway[Symbol.asyncDispose]()
      return ['state/store', 'cache/manifests'].filter((dir) => existsSync(folder.at(dir)))
    }
    expect(await used({})).toEqual(['state/store', 'cache/manifests'])
    expect(await used({ store: 'memory' })).toEqual([])
    await expect(used({ store: 'nope' })).rejects.toThrow("there is no store 'nope'")
  })

  it('records searches next to calls in the audit log if `values` is set', async () => {
    const { ask, folder, gateway } = await open({ servers }, { audit: { values: true } })
    await ask('search_tools', { query: 'add a note' })
    await ask('execute_tool', { tool: 'add', arguments: { text: 'hello' } })
    await gateway[Symbol.asyncDispose]()
    const lines = readFileSync(folder.at('state', 'audit.jsonl'), 'utf8').trimEnd().split('\n')
    const [search, call] = lines.map((line) => JSON.parse(line))
    expect([search, call]).toMatchObject([
      { event: 'search', query: 'add a note' },
      { event: 'call', server: 'notes', tool: 'add' },
    ])
    expect(search.caller).toEqual(call.caller)
  })

  it('keeps manifests and the audit log readable only for this user, and records no argument values', async () => {
    const { ask, folder, gateway } = await open({ servers })
    await ask('execute_tool', { tool: 'add', arguments: { text: 'secret words' } })
    await gateway[Symbol.asyncDispose]()
    const [manifest = ''] = readdirSync(folder.at('cache', 'manifests'))
    for (const file of [folder.at('cache', 'manifests', manifest), folder.at('state', 'audit.jsonl')]) {
      expect(statSync(file).mode & 0o777).toBe(0o600)
    }
    const lines = readFileSync(folder.at('state', 'audit.jsonl'), 'utf8').trim().split('\n')
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ server: 'notes', tool: 'add', outcome: 'ok' })
    expect(lines[0]).not.toContain('secret')
  })

  it('answers from the cached manifest of the last run, without starting the server', async () => {
    const first = await open({ servers })
    await first.ask('search_tools', { query: 'note' })
    await first.gateway[Symbol.asyncDispose]()
    const { ask, gateway } = await open({ servers }, {}, {}, first.folder)
    expect(await ask('search_tools', { query: 'add a note', limit: 1 })).toMatchObject({ results: [{ tool: 'add' }] })
    expect(await ask('list_tools', { server: 'notes' })).toMatchObject({ total: 2 })
    expect(await ask('get_tool_details', { tool: 'add' })).toMatchObject({ server: 'notes' })
    expect(await ask('list_mcp_servers')).toMatchObject({ servers: [{ state: 'known', status: 'connected' }] })
    expect(gateway.sources[0]?.state().state).toBe('known')
  })

  it('writes no manifests to disk if the cache is off', async () => {
    const { ask, folder } = await open({ servers, cache: { enabled: false } })
    await ask('search_tools', { query: 'note' })
    expect(existsSync(folder.at('cache', 'manifests'))).toBe(false)
  })

  it('serves no server if discovery is off, and no server that is disabled itself', async () => {
    expect((await open({ servers, enabled: false })).gateway.sources).toEqual([])
    expect((await open({ servers: { notes: { ...servers.notes, enabled: false } } })).gateway.sources).toEqual([])
  })

  it('reports an unset variable only for the server that uses it', async () => {
    const broken = { ...servers.notes, env: { TOKEN: `\${NO_SUCH_VARIABLE}` } }
    const { ask } = await open({ servers: { broken, notes: servers.notes } })
    expect(await ask('search_tools', { query: 'add', limit: 1 })).toMatchObject({ results: [{ server: 'notes' }] })
    expect(await ask('list_mcp_servers', { search: 'broken' })).toMatchObject({
      servers: [{ status: 'disconnected', reason: expect.stringContaining('NO_SUCH_VARIABLE') }],
    })
    const declared = { ...broken, tools: [{ name: 'add', description: 'Adds' }] }
    for (const server of [broken, declared]) {
      const { ask: askOne } = await open({ servers: { broken: server } })
      await askOne('search_tools', { query: 'add' })
      const { error } = await askOne('execute_tool', { server: 'broken', tool: 'add', arguments: { text: 'x' } })
      expect(error).toMatchObject({
        code: 'SERVER_UNAVAILABLE',
        retryable: false,
        suggestion:
          "Tell the user to set 'NO_SUCH_VARIABLE', in the environment of the gateway or in its secrets.env; calling again does not help before that.",
      })
    }
    expect(await ask('execute_tool', { tool: 'broken:add', arguments: { text: 'x' } })).toMatchObject({
      error: { code: 'SERVER_UNAVAILABLE', server: 'broken', tool: 'add' },
    })
  })

  it('shows the tools that a config declares, without starting the server, until the server has listed its own', async () => {
    const declared = { ...servers.notes, tools: [{ name: 'add', description: 'Declared in the config' }] }
    const { ask, gateway } = await open({ servers: { notes: declared } })
    expect(await ask('list_tools', { server: 'notes' })).toMatchObject({ total: 1 })
    expect(gateway.sources[0]?.state().state).toBe('known')
    await ask('execute_tool', { tool: 'notes:add', arguments: { text: 'x' } })
    await expect.poll(async () => (await ask('list_tools', { server: 'notes' })).total).toBe(2)
  })

  it('cuts a long result and reads more of it by its handle, for the same caller only', async () => {
    const { ask, gateway } = await open({ servers }, { limits: { maxResultTokens: 100 } })
    const long = Array.from({ length: 300 }, (_, at) => `line ${at}`).join('\n')
    const { wire } = await gateway.crib.call('execute_tool', { tool: 'add', arguments: { text: long } }, requestOf())
    // The form of the note in a cut result; the assertions below check it.
    const { handle, nextOffset } = (wire?._meta?.['toolcrib/result'] ?? {}) as { handle: string; nextOffset: number }
    expect(handle).toMatch(/^[\w-]{16,}$/)
    const more = await gateway.crib.call('execute_tool', { handle, offset: nextOffset }, requestOf())
    expect(JSON.stringify(more.wire?.content)).toContain('line')
    const other = requestOf(undefined, { caller: { principal: 'other', era: 'modern', transport: 'memory' } })
    expect((await gateway.crib.call('execute_tool', { handle, offset: 0 }, other)).error?.code).toBe('HANDLE_NOT_FOUND')
    expect(await ask('list_mcp_servers')).toMatchObject({ total: 1 })
  })
})

describe('a gateway with an edited config', () => {
  it('applies the edit at once, and notifies clients that their list has changed', async () => {
    const { gateway, edit, ask } = await open({ servers })
    let notifications = 0
    gateway.crib.onListChanged(requestOf().caller, () => notifications++)
    await gateway.watch()
    await ask('search_tools', { query: 'note' })
    edit({ servers: { ...servers, second: notesServer('recipes') } })
    await until(() => gateway.sources.length === 2)
    await until(() => notifications > 0)
    expect(await ask('search_tools', { query: 'recipes', limit: 1 })).toMatchObject({ results: [{ server: 'second' }] })
  })

  it('keeps the process of a server that stays in the config', async () => {
    const { gateway, edit, ask } = await open({ servers })
    await ask('execute_tool', { tool: 'add', arguments: { text: 'first' } })
    edit({
      servers: { ...servers, second: notesServer('recipes') },
      toolRules: [{ pattern: ['list'], enabled: false }],
    })
    expect(await gateway.reload()).toMatchObject({ applied: true })
    const added = await ask('execute_tool', { tool: 'notes:add', arguments: { text: 'again' } })
    expect(added).toEqual({ data: ['first', 'again'] })
    expect(await ask('execute_tool', { tool: 'notes:list' })).toMatchObject({ error: { code: 'TOOL_DISABLED' } })
  })

  it('lets an in-flight call finish when its server is removed', async () => {
    const { gateway, edit, ask } = await open({ servers })
    await ask('search_tools', { query: 'note' })
    const slow = ask('execute_tool', { tool: 'add', arguments: { text: 'late', waitMs: 500 } })
    await until(() => gateway.sources[0]?.state().state === 'connected')
    edit({ servers: {} })
    await gateway.reload()
    expect(gateway.sources).toEqual([])
    expect(await slow).toEqual({ data: ['late'] })
  })

  it('lets an in-flight request for a prompt finish when its server is removed', async () => {
    const shelf = { command: process.execPath, args: [fixturePath('shelf')] }
    const { gateway, edit } = await open({ servers: { shelf } })
    const [source] = gateway.sources
    const asked = source?.request('prompts/get', { name: 'greet' }, AbortSignal.timeout(10_000))
    edit({ servers: {} })
    await gateway.reload()
    expect(gateway.sources).toEqual([])
    expect(await asked).toMatchObject({ kind: 'answered', result: { description: 'Prompt greet' } })
  })

  it('serves the source of a plugin only while `discovery.enabled` is true', async () => {
    const plugins = { sources: [defineSource({ name: 'own', open: ({ id }) => scriptedSource(id, ['tell']) })] }
    const { edit, gateway } = await open({ enabled: false }, {}, {}, tempFolder(), plugins)
    const call = async () => (await gateway.crib.call('execute_tool', { tool: 'own:tell' }, requestOf())).success
    expect(await call()).toBe(false)
    for (const enabled of [true, false]) {
      edit({ enabled })
      expect(await gateway.reload()).toMatchObject({ applied: true })
      expect(await call()).toBe(enabled)
    }
  })

  it('opens a source of a plugin only when discovery is enabled, and then reports why it cannot be opened', async () => {
    const broken = defineSource({
      name: 'own',
      open: () => {
        throw new Error('no database')
      },
    })
    const { edit, gateway, problems } = await open({ enabled: false }, {}, {}, tempFolder(), { sources: [broken] })
    expect(problems).toEqual([])
    edit({ enabled: true, servers })
    expect(await gateway.reload()).toMatchObject({ applied: true })
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('no database')])
    expect(gateway.sources).toHaveLength(1)
  })

  it('refuses an invalid config as a whole, reports it once, and keeps the last valid one', async () => {
    const { gateway, edit, ask, problems, folder } = await open({ servers })
    await gateway.watch()
    edit({ servers: { ...servers, broken: { command: 7 } } })
    await until(() => problems.length > 1)
    expect(problems).toHaveLength(2)
    expect(problems[1]?.message).toContain('stays in force')
    expect(problems[0]?.config).toMatchObject({
      file: folder.at('config.json'),
      path: expect.stringContaining('broken'),
    })
    expect(gateway.sources).toHaveLength(1)
    expect(await ask('search_tools', { query: 'note', limit: 1 })).toMatchObject({ results: [{ server: 'notes' }] })
    edit('{ not json')
    await until(() => problems.length > 3)
    expect(gateway.sources).toHaveLength(1)
    edit({ servers: { renamed: servers.notes } })
    await until(() => gateway.sources[0]?.id === 'renamed')
  })

  it.each(['', 'null', ' \n'])(
    'stops no server if the file is empty for a moment, as during a slow save: %j',
    async (text) => {
      const { gateway, edit } = await open({ servers })
      edit(text)
      expect(await gateway.reload()).toMatchObject({
        applied: false,
        problems: [{ found: expect.stringContaining('empty') }],
      })
      expect(gateway.sources).toHaveLength(1)
      edit('{}')
      expect(await gateway.reload()).toMatchObject({ applied: true })
      expect(gateway.sources).toEqual([])
    },
  )

  it('applies a config with warnings, and reports each warning once', async () => {
    const { gateway, edit, problems } = await open({ servers })
    await gateway.watch()
    const notes = { name: 'notes', ...servers.notes }
    edit({ servers: [notes, notes] })
    await until(() => problems.length > 0)
    edit({ servers: [notes, notes, { ...notes, name: 'more' }] })
    await until(() => gateway.sources.length === 2)
    edit({ servers: [notes, notes, { ...notes, name: 'more' }, { ...notes, name: 'more' }] })
    await until(() => problems.length > 1)
    expect(problems.map(({ config }) => [config?.severity, config?.path])).toEqual([
      ['warning', 'discovery.servers[1]'],
      ['warning', 'discovery.servers[3]'],
    ])
  })

  it('applies an edit except for settings that are read at the start, and reports those', async () => {
    const { gateway, edit } = await open({ servers })
    edit({ strategy: 'manage', servers: { renamed: servers.notes } })
    const expected = {
      applied: true,
      problems: [
        { path: 'discovery.strategy', severity: 'warning', message: expect.stringContaining('started again') },
      ],
    }
    expect(await gateway.reload()).toMatchObject(expected)
    expect(gateway.sources.map(({ id }) => id)).toEqual(['renamed'])
    // The setting still waits for a start, even though the file has not changed again.
    expect(await gateway.reload()).toMatchObject(expected)
  })

  it('reports an edit of `shared` or `limits.sharedIdleMs`, because it takes effect at the next start', async () => {
    const { gateway, edit } = await open({ servers })
    edit({ servers }, { shared: true, limits: { sharedIdleMs: 1_000 } })
    const { applied, problems } = await gateway.reload()
    expect(applied).toBe(true)
    expect(problems.map(({ path }) => path)).toEqual(['shared', 'limits.sharedIdleMs'])
  })

  it('restarts only the server that refers to a changed variable', async () => {
    const env: Record<string, string> = {}
    const keyed = { ...servers.notes, env: { KEY: `\${KEY}` } }
    const { gateway } = await open({ servers: { keyed, ...servers } }, {}, env)
    const [before, other] = gateway.sources
    await gateway.reload()
    expect(gateway.sources[0]).toBe(before)
    env.KEY = 'now there is one'
    expect(await gateway.reload()).toMatchObject({ applied: true })
    expect(gateway.sources[0]).not.toBe(before)
    expect(gateway.sources[1]).toBe(other)
    await gateway.sources[0]?.ensure(AbortSignal.timeout(10_000))
  })

  it('keeps the server and sends no notification if only the formatting of the file changes', async () => {
    const { gateway, edit } = await open({ servers })
    let notifications = 0
    gateway.crib.onListChanged(requestOf().caller, () => notifications++)
    const [before] = gateway.sources
    edit(`${JSON.stringify({ discovery: { servers } })}   `)
    expect(await gateway.reload()).toMatchObject({ applied: true })
    expect(gateway.sources[0]).toBe(before)
    expect(notifications).toBe(0)
  })
})
