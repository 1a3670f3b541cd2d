// The types of the public API, as an editor shows them. `npm run types` checks them; the tests run the same code.

import { McpServer as SdkServer } from '@modelcontextprotocol/server'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
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
  defineStrategy,
  failure,
  isFailure,
  isSuccess,
  lazyTools,
  type McpServer,
  type PipeOutcome,
  type StrategyName,
  type StrategyOptions,
  success,
  wrapServer,
} from '../src/index.ts'

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

  it('isSuccess and isFailure narrow a result too', () => {
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

  it('a result has data only if it is a success', () => {
    // @ts-expect-error: a success has data
    const empty: CommandResult<string> = { success: true }
    // @ts-expect-error: a failure has an error
    const mute: CommandResult<string> = { success: false }
    expect([empty.data, mute.error]).toEqual([undefined, undefined])
  })

  it('the result of a batch or a pipe is narrowed in the same way', () => {
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
  const of = { name: 'todos', version: '1.0.0', transport: 'http' } as const
  const fromServer = createDirectClient(createMcpServer({ ...of, commands: [add, list] }))
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
    // @ts-expect-error: the text is not a text
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
      createDirectClient(createMcpServer({ ...of, commands })),
      createDirectClient(registry),
      createDirectClient<Command>(createMcpServer({ ...of, commands: [add, list] })),
    ]
    for (const client of clients) {
      const name: string = 'todo-list'
      const listed = await client.call<string[]>(name, { limit: 1 })
      expectTypeOf(listed).toEqualTypeOf<CommandResult<string[]>>()
      expect(listed.data).toEqual(['tea'])
    }
    const empty = createDirectClient(createMcpServer({ ...of, commands: [] }))
    expect((await empty.call('later')).success).toBe(false)
  })

  it('a direct client can be made from a server that is passed to a function', async () => {
    const call = (server: McpServer) => createDirectClient(server).call('todo-list')
    expect((await call(createMcpServer({ ...of, commands: [add, list] }))).success).toBe(true)
  })
})

describe('a strategy', () => {
  it('a strategy can be chosen by each of its names, which an editor offers', () => {
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

  it('every strategy has its own options and a prefix', () => {
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

  const of = { name: 'todos', version: '1.0.0', commands: [add], transport: 'http' } as const

  it('createMcpServer checks a strategy together with its options', () => {
    createMcpServer({ ...of, toolStrategy: 'auto', strategyOptions: { budget: 100, prefix: 'acme' } })
    createMcpServer({ ...of, toolStrategy: 'gateway', strategyOptions: { prefix: 'acme' } })
    createMcpServer({ ...of, strategyOptions: { prefix: 'acme', builtins: false } })
    // @ts-expect-error: no such strategy
    expect(() => createMcpServer({ ...of, toolStrategy: 'lazzy' })).toThrow("'lazzy'")
    // @ts-expect-error: an option of another strategy
    expect(() => createMcpServer({ ...of, toolStrategy: 'lazy', strategyOptions: { budget: 1 } })).toThrow('budget')
    // @ts-expect-error: not a number
    expect(() => createMcpServer({ ...of, toolStrategy: 'auto', strategyOptions: { budget: '1' } })).toThrow('budget')
    // @ts-expect-error: an option of another strategy than the default
    expect(() => createMcpServer({ ...of, strategyOptions: { budget: 1 } })).toThrow('budget')
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

  it('defineConfig accepts a strategy of the author by its name', () => {
    const options = z.object({ limit: z.number() })
    const own = defineStrategy({
      name: 'own',
      options,
      create: () => ({ metaTools: [], list: async () => [], guide: '' }),
    })
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
  })
})
