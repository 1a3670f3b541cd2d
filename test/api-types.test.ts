// The types of the public API, as an editor shows them. `npm run types` checks them; the tests run the same code.

import { McpServer as SdkServer } from '@modelcontextprotocol/server'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { importers } from '../src/config/imports/builtins.ts'
import { strategies } from '../src/disclosure/strategies/builtins.ts'
import {
  type BatchEntryResult,
  type BatchOutcome,
  type Command,
  type CommandError,
  type CommandResult,
  type ConfigInput,
  createCommandRegistry,
  createDirectClient,
  createMcpServer,
  type DirectClient,
  defineCommand,
  defineConfig,
  defineImporter,
  defineRanker,
  defineStrategy,
  failure,
  type Importer,
  type ImporterName,
  isFailure,
  isSuccess,
  lazyTools,
  type McpServer,
  type McpServerOptions,
  type PipeOutcome,
  type RankerName,
  type RankerPlugin,
  type StrategyName,
  type StrategyOptions,
  type StrategyPlugin,
  success,
  wrapServer,
} from '../src/index.ts'
import { rankers } from '../src/search/rankers/builtins.ts'

describe('a result', () => {
  const found = success({ id: 7 }) as CommandResult<{ id: number }>
  const missing = failure({ code: 'GONE', message: 'No such order' }) as CommandResult<{ id: number }>

  it('the field success narrows a result to its data or to its error', () => {
    for (const result of [found, missing]) {
      if (result.success) expectTypeOf(result.data).toEqualTypeOf<{ id: number }>()
      else expectTypeOf(result.error).toEqualTypeOf<CommandError>()
    }
    expect(found.success && found.data.id).toBe(7)
    expect(missing.success || missing.error.code).toBe('GONE')
  })

  it('isSuccess and isFailure narrow a result to its data or to its error', () => {
    if (isSuccess(found)) expectTypeOf(found.data).toEqualTypeOf<{ id: number }>()
    else expectTypeOf(found.error).toEqualTypeOf<CommandError>()
    if (isFailure(missing)) expectTypeOf(missing.error).toEqualTypeOf<CommandError>()
    else expectTypeOf(missing.data).toEqualTypeOf<{ id: number }>()
    expect([isSuccess(found), isFailure(missing)]).toEqual([true, true])
  })

  it('a result can be read before it is narrowed: the data and the error may be undefined', () => {
    expectTypeOf(found.data?.id).toEqualTypeOf<number | undefined>()
    expectTypeOf(missing.error?.code).toEqualTypeOf<string | undefined>()
    expect([found.data?.id, missing.error?.code]).toEqual([7, 'GONE'])
  })

  it('the compiler refuses a success without data and a failure without an error', () => {
    // @ts-expect-error: a success has data
    const empty: CommandResult<string> = { success: true }
    // @ts-expect-error: a failure has an error
    const mute: CommandResult<string> = { success: false }
    expect([empty.data, mute.error]).toEqual([undefined, undefined])
  })

  it('the field success narrows the result of a batch or a pipe', () => {
    const outcomes = (batch: BatchOutcome, pipe: PipeOutcome) => {
      if (batch.success) expectTypeOf(batch.results).toEqualTypeOf<readonly BatchEntryResult[]>()
      else expectTypeOf(batch.error).toEqualTypeOf<CommandError>()
      if (pipe.success) expectTypeOf(pipe.metadata.completedSteps).toEqualTypeOf<number>()
      else expectTypeOf(pipe.error).toEqualTypeOf<CommandError>()
      return [batch.success, pipe.success]
    }
    const refused = failure({ code: 'INVALID_BATCH_REQUEST', message: 'No commands' })
    expect(outcomes(refused, refused)).toEqual([false, false])
  })
})

const add = defineCommand({
  name: 'todo-add',
  description: 'Add a todo.',
  input: z.object({ text: z.string(), tags: z.array(z.string()).default([]) }),
  handler: ({ text, tags }) => success({ id: 1, text, tags }),
})
const list = defineCommand({
  name: 'todo-list',
  description: 'List the todos.',
  input: z.object({ limit: z.int().optional() }),
  handler: ({ limit = 2 }) =>
    limit > 0 ? success(['tea', 'milk'].slice(0, limit)) : failure({ code: 'NO_LIMIT', message: 'No limit' }),
})

describe('a direct client', () => {
  const base = { name: 'todos', version: '1.0.0', transport: 'http' } as const
  const fromServer = createDirectClient(createMcpServer({ ...base, commands: [add, list] }))
  const fromRegistry = createDirectClient(createCommandRegistry({ commands: [add, list] }))

  it.each([
    ['a server', fromServer],
    ['a registry', fromRegistry],
  ])('a direct client of %s knows the names, inputs and results of its commands', async (_, client) => {
    const added = await client.call('todo-add', { text: 'tea' })
    expectTypeOf(added).toEqualTypeOf<CommandResult<{ id: number; text: string; tags: string[] }>>()
    expect(added.data).toEqual({ id: 1, text: 'tea', tags: [] })
    const listed = await client.call('todo-list')
    expectTypeOf(listed).toEqualTypeOf<CommandResult<string[]>>()
    expect(listed.data).toEqual(['tea', 'milk'])
    expect((await client.call('todo-list', { limit: 1 }, { traceId: 't' })).data).toEqual(['tea'])
  })

  it('a direct client refuses unknown names and wrong inputs at compile time', async () => {
    // @ts-expect-error: no such command
    expect((await fromServer.call('todo-ad', { text: 'tea' })).error?.code).toBe('COMMAND_NOT_FOUND')
    // @ts-expect-error: the text is missing
    expect((await fromServer.call('todo-add', {})).error?.code).toBe('VALIDATION_ERROR')
    // @ts-expect-error: the input is missing
    expect((await fromServer.call('todo-add')).error?.code).toBe('VALIDATION_ERROR')
    // @ts-expect-error: the text is a number
    expect((await fromServer.call('todo-add', { text: 7 })).error?.code).toBe('VALIDATION_ERROR')
    // @ts-expect-error: no such field
    expect((await fromServer.call('todo-list', { text: 'tea' })).success).toBe(true)
  })

  it('a direct client calls the tools of the server itself', async () => {
    const found = await fromServer.call('afd-discover', { search: 'add' })
    expectTypeOf(found).toEqualTypeOf<CommandResult<unknown>>()
    expect(found).toMatchObject({ data: { commands: [{ name: 'todo-add' }] } })
  })

  it('a direct client accepts any name if the compiler does not know the commands', async () => {
    const commands: readonly Command[] = [add, list]
    const registry = createCommandRegistry()
    registry.register(add, list)
    const clients: readonly DirectClient[] = [
      createDirectClient(createMcpServer({ ...base, commands })),
      createDirectClient(registry),
      createDirectClient<Command>(createMcpServer({ ...base, commands: [add, list] })),
    ]
    for (const client of clients) {
      const name: string = 'todo-list'
      const listed = await client.call<string[]>(name, { limit: 1 })
      expectTypeOf(listed).toEqualTypeOf<CommandResult<string[]>>()
      expect(listed.data).toEqual(['tea'])
    }
    const empty = createDirectClient(createMcpServer({ ...base, commands: [] }))
    expect((await empty.call('later')).success).toBe(false)
  })

  it('a direct client can be made from a server that is passed to a function', async () => {
    const call = (server: McpServer) => createDirectClient(server).call('todo-list')
    expect((await call(createMcpServer({ ...base, commands: [add, list] }))).success).toBe(true)
  })
})

const strategyOf = <const Name extends string, O extends z.ZodObject>(name: Name, options: O) =>
  defineStrategy({ name, options, create: () => ({ metaTools: [], list: async () => [], guide: '' }) })
const own = strategyOf('own', z.strictObject({ limit: z.number().default(5) }))
const bare = strategyOf('bare', z.strictObject({}))
const loose = strategyOf('loose', z.looseObject({ limit: z.number() }))
const BARE_WITH_LIMIT = { strategy: 'bare', strategyOptions: { limit: 3 } } as const

describe('a strategy', () => {
  it('the type StrategyName has exactly the names of the built-in strategies', () => {
    expectTypeOf<StrategyName>().toEqualTypeOf<
      'individual' | 'grouped' | 'lazy' | 'gateway' | 'manage' | 'categories' | 'capabilities' | 'auto'
    >()
    const names: Record<StrategyName, true> = {
      individual: true,
      grouped: true,
      lazy: true,
      gateway: true,
      manage: true,
      categories: true,
      capabilities: true,
      auto: true,
    }
    expect(Object.keys(names)).toEqual([...strategies.keys()])
  })

  it('the type StrategyOptions has the options of the given strategy, and a prefix', () => {
    expectTypeOf<StrategyOptions<'auto'>['budget']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<StrategyOptions<'manage'>['autoEnable']>().toEqualTypeOf<boolean | undefined>()
    expectTypeOf<StrategyOptions<'categories'>['listing']>().toEqualTypeOf<
      'auto' | 'full' | 'stripped' | 'hidden' | 'hybrid' | undefined
    >()
    expectTypeOf<StrategyOptions['prefix']>().toEqualTypeOf<string | undefined>()
    const fields: Record<string, string[]> = {}
    for (const { name, options } of strategies.values()) fields[name] = Object.keys(options.shape)
    expect(fields).toMatchObject({ auto: ['budget', 'builtins'], gateway: [] })
  })

  const base = { name: 'todos', version: '1.0.0', commands: [add], transport: 'http' } as const

  it('createMcpServer checks a strategy together with its options', () => {
    createMcpServer({ ...base, toolStrategy: 'auto', strategyOptions: { budget: 100, prefix: 'acme' } })
    createMcpServer({ ...base, toolStrategy: 'gateway', strategyOptions: { prefix: 'acme' } })
    createMcpServer({ ...base, strategyOptions: { prefix: 'acme', builtins: false } })
    // @ts-expect-error: no such strategy
    expect(() => createMcpServer({ ...base, toolStrategy: 'lazzy' })).toThrow("'lazzy'")
    // @ts-expect-error: an option of another strategy
    expect(() => createMcpServer({ ...base, toolStrategy: 'lazy', strategyOptions: { budget: 1 } })).toThrow('budget')
    // @ts-expect-error: not a number
    expect(() => createMcpServer({ ...base, toolStrategy: 'auto', strategyOptions: { budget: '1' } })).toThrow('budget')
    // @ts-expect-error: an option of another strategy than the default
    expect(() => createMcpServer({ ...base, strategyOptions: { budget: 1 } })).toThrow('budget')
  })

  it('wrapServer and lazyTools check a strategy together with its options', () => {
    const connection = { type: 'stdio', command: 'node' } as const
    const server = new SdkServer({ name: 'todos', version: '1.0.0' })
    wrapServer(connection, { transport: 'http', strategy: 'manage', strategyOptions: { maxEnabled: 5 } })
    wrapServer(connection, { transport: 'http', strategyOptions: { budget: 5 } })
    // @ts-expect-error: no such strategy
    wrapServer(connection, { transport: 'http', strategy: 'lazzy' })
    // @ts-expect-error: an option of another strategy
    wrapServer(connection, { transport: 'http', strategy: 'manage', strategyOptions: { budget: 5 } })
    // @ts-expect-error: no such strategy
    expect(() => lazyTools(server, { strategy: 'lazzy' })).toThrow()
    // @ts-expect-error: an option of another strategy
    expect(() => lazyTools(server, { strategy: 'manage', strategyOptions: { budget: 5 } })).toThrow()
  })

  it('defineConfig checks a strategy together with its options', () => {
    const config = defineConfig({
      http: { port: 0 },
      discovery: { strategy: 'manage', strategyOptions: { maxEnabled: 5 }, sources: [{ type: 'cursor' }] },
    })
    expect(config.discovery?.strategy).toBe('manage')
    // The strategy may come from a flag or from the environment.
    expect(defineConfig({ discovery: { strategyOptions: { maxEnabled: 5 } } })).toBeDefined()
    // @ts-expect-error: no such strategy
    expect(defineConfig({ discovery: { strategy: 'lazzy' } })).toBeDefined()
    // @ts-expect-error: an option of another strategy
    expect(defineConfig({ discovery: { strategy: 'manage', strategyOptions: { budget: 5 } } })).toBeDefined()
    // @ts-expect-error: a misspelled key
    expect(defineConfig({ discovry: {} })).toBeDefined()
  })

  it('defineConfig accepts a strategy of the author by its name, with its own options', () => {
    const plugins = { strategies: [own] }
    const config = defineConfig({ plugins, discovery: { strategy: 'own', strategyOptions: { limit: 3 } } })
    expect(config.discovery?.strategy).toBe('own')
    expect(
      defineConfig({ plugins, discovery: { strategy: 'manage', strategyOptions: { maxEnabled: 5 } } }),
    ).toBeDefined()
    const annotated: ConfigInput = { plugins, discovery: { strategy: 'manage' } }
    expect(annotated).toBeDefined()
    // @ts-expect-error: no such strategy, built-in or in `plugins`
    expect(defineConfig({ plugins, discovery: { strategy: 'onw' } })).toBeDefined()
    // @ts-expect-error: a config has the name of a strategy, not the strategy
    expect(defineConfig({ plugins, discovery: { strategy: own } })).toBeDefined()
    // @ts-expect-error: a misspelled option
    expect(defineConfig({ plugins, discovery: { strategy: 'own', strategyOptions: { limt: 3 } } })).toBeDefined()
    // @ts-expect-error: not a number
    expect(defineConfig({ plugins, discovery: { strategy: 'own', strategyOptions: { limit: '3' } } })).toBeDefined()
    // @ts-expect-error: an option of another strategy in `plugins`
    expect(defineConfig({ plugins: { strategies: [own, bare] }, discovery: BARE_WITH_LIMIT })).toBeDefined()
    // @ts-expect-error: an option of a strategy of the author for a built-in strategy
    expect(defineConfig({ plugins, discovery: { strategy: 'lazy', strategyOptions: { limit: 3 } } })).toBeDefined()
  })

  it('a strategy of the author is checked together with its options', () => {
    const connection = { type: 'stdio', command: 'node' } as const
    const server = () => new SdkServer({ name: 'todos', version: '1.0.0' })
    createMcpServer({ ...base, toolStrategy: own, strategyOptions: { limit: 3, prefix: 'acme' } })
    createMcpServer({ ...base, toolStrategy: own, strategyOptions: { limit: 3 } })
    createMcpServer({ ...base, toolStrategy: bare })
    createMcpServer({ ...base, toolStrategy: loose, strategyOptions: { limit: 3, anything: true } })
    wrapServer(connection, { transport: 'http', strategy: own, strategyOptions: { limit: 3 } })
    lazyTools(server(), { strategy: own, strategyOptions: { limit: 3 } })
    // @ts-expect-error: a misspelled option
    expect(() => createMcpServer({ ...base, toolStrategy: own, strategyOptions: { limt: 3 } })).toThrow('limt')
    // @ts-expect-error: not a number
    expect(() => createMcpServer({ ...base, toolStrategy: own, strategyOptions: { limit: '3' } })).toThrow('limit')
    // @ts-expect-error: the strategy has no options
    expect(() => createMcpServer({ ...base, toolStrategy: bare, strategyOptions: { limit: 3 } })).toThrow('limit')
    // @ts-expect-error: not a number
    expect(() => createMcpServer({ ...base, toolStrategy: loose, strategyOptions: { limit: '3' } })).toThrow('limit')
    // @ts-expect-error: a misspelled option
    wrapServer(connection, { transport: 'http', strategy: own, strategyOptions: { limt: 3 } })
    // @ts-expect-error: a misspelled option
    expect(() => lazyTools(server(), { strategy: own, strategyOptions: { limt: 3 } })).toThrow('limt')
  })

  it('a strategy of an unknown type accepts all options at compile time', () => {
    const some: StrategyPlugin = own
    createMcpServer({ ...base, toolStrategy: some, strategyOptions: { limit: 3 } })
    const options: McpServerOptions = { ...base, toolStrategy: own, strategyOptions: { limit: 3 } }
    expect(createMcpServer(options).getTransport()).toBe('http')
  })
})

describe('a ranker and an importer', () => {
  const mine = defineRanker({ name: 'mine', rank: async () => ({ search: async () => [] }) })
  const acme = defineImporter({ name: 'acme', paths: () => [], plan: () => ({ sections: [] }) })
  const base = { name: 'todos', version: '1.0.0', commands: [add], transport: 'http' } as const
  const connection = { type: 'stdio', command: 'node' } as const

  it('the type RankerName has exactly the names of the built-in rankers', () => {
    expectTypeOf<RankerName>().toEqualTypeOf<'bm25f' | 'bm25' | 'words'>()
    const names: Record<RankerName, true> = { bm25f: true, bm25: true, words: true }
    expect(Object.keys(names)).toEqual([...rankers.keys()])
  })

  it('the type ImporterName has exactly the names of the built-in importers', () => {
    const names: Record<ImporterName, true> = {
      'docker-mcp': true,
      'claude-desktop': true,
      'claude-code': true,
      cursor: true,
      vscode: true,
      copilot: true,
      windsurf: true,
      codex: true,
      gemini: true,
      zed: true,
      opencode: true,
      custom: true,
    }
    expect(Object.keys(names)).toEqual([...importers.keys()])
  })

  it('the functions that take a ranker check its name', () => {
    const server = () => new SdkServer({ name: 'todos', version: '1.0.0' })
    createMcpServer({ ...base, ranker: 'bm25' })
    createMcpServer({ ...base, ranker: mine })
    wrapServer(connection, { transport: 'http', ranker: 'words' })
    wrapServer(connection, { transport: 'http', ranker: mine })
    lazyTools(server(), { ranker: 'words' })
    lazyTools(server(), { ranker: mine })
    // @ts-expect-error: no such ranker
    expect(() => createMcpServer({ ...base, ranker: 'bm26' })).toThrow("'bm26'")
    // @ts-expect-error: no such ranker
    expect(() => wrapServer(connection, { transport: 'http', ranker: 'bm26' })).toThrow("'bm26'")
    // @ts-expect-error: no such ranker
    expect(() => lazyTools(server(), { ranker: 'bm26' })).toThrow("'bm26'")
  })

  it('defineConfig checks the name of a ranker', () => {
    const plugins = { rankers: [mine] }
    expect(defineConfig({ discovery: { search: { ranker: 'words', learn: false } } })).toBeDefined()
    expect(defineConfig({ plugins, discovery: { search: { ranker: 'mine' } } })).toBeDefined()
    expect(defineConfig({ plugins, discovery: { search: { ranker: 'bm25' } } })).toBeDefined()
    // @ts-expect-error: no such ranker
    expect(defineConfig({ discovery: { search: { ranker: 'bm26' } } })).toBeDefined()
    // @ts-expect-error: no such ranker, built-in or in `plugins`
    expect(defineConfig({ plugins, discovery: { search: { ranker: 'mien' } } })).toBeDefined()
    // @ts-expect-error: the ranker is not in `plugins`
    expect(defineConfig({ discovery: { search: { ranker: 'mine' } } })).toBeDefined()
  })

  it('defineConfig checks the names of the clients that it imports servers from', () => {
    const plugins = { importers: [acme] }
    expect(defineConfig({ discovery: { sources: [{ type: 'cursor', scope: 'project' }] } })).toBeDefined()
    expect(defineConfig({ plugins, discovery: { sources: [{ type: 'acme' }, { type: 'zed' }] } })).toBeDefined()
    // @ts-expect-error: no such client
    expect(defineConfig({ discovery: { sources: [{ type: 'cursr' }] } })).toBeDefined()
    // @ts-expect-error: no such client, built-in or in `plugins`
    expect(defineConfig({ plugins, discovery: { sources: [{ type: 'amce' }] } })).toBeDefined()
  })

  it('defineConfig accepts any name if the compiler does not know the names of the plugins', () => {
    const some: RankerPlugin = mine
    expect(defineConfig({ plugins: { rankers: [some] }, discovery: { search: { ranker: 'x' } } })).toBeDefined()
    const other: Importer = acme
    expect(defineConfig({ plugins: { importers: [other] }, discovery: { sources: [{ type: 'x' }] } })).toBeDefined()
    const third: StrategyPlugin = own
    const discovery = { strategy: 'x', strategyOptions: { y: 1 } }
    expect(defineConfig({ plugins: { strategies: [third] }, discovery })).toBeDefined()
  })
})
