import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { manyCommands } from '../../../../test/fixtures/many-commands.ts'
import { loadTokenCounter } from '../../../core/tokens.ts'
import { commandOf, namesOf } from '../../../sources/commands/command.fixture.ts'
import { defineCommand } from '../../../sources/commands/define.ts'
import type { StrategyEnvironment } from '../../strategy.ts'
import { blocksOf, plain, type ViewOptions, viewOf } from '../../view.fixture.ts'
import { capabilities } from './capabilities.ts'
import { createExampleAdder } from './capabilities-tool.ts'
import { CATEGORIES, QUICK_ACTIONS, tanaCommands } from './tana.fixture.ts'

interface Inventory {
  readonly categories: readonly { readonly tools: readonly { readonly example?: string }[] }[]
}

const environment: StrategyEnvironment = { ...plain, server: { name: 'tana', version: '1.2.3' } }
const commands = [
  commandOf('order-create', { description: 'Create an order. Slowly.', examples: [{ title: 'Two of 7', input: {} }] }),
  commandOf('order-list'),
  commandOf('mail-send', { examples: [{ input: { to: 'ann' } }] }),
]

async function open(options: object = {}, of = commands, viewOptions: ViewOptions = {}, given = environment) {
  const strategy = capabilities.create(options, given)
  const view = await viewOf(of, { ...viewOptions, metaTools: strategy.metaTools })
  const call = (name: string, args: unknown, by = view) =>
    strategy.metaTools.find((tool) => tool.listed.name.endsWith(name))!.call(args, by)
  return { strategy, view, call, listed: () => strategy.list(view) }
}

describe('the listing of capabilities', () => {
  it("lists two tools in the mode 'hidden', named after the server or with the prefix", async () => {
    const names = async (options: object, given: StrategyEnvironment) =>
      namesOf(await (await open({ listing: 'hidden', ...options }, commands, {}, given)).listed())
    expect(await names({}, environment)).toEqual(['tana_capabilities', 'tana_tool_schema'])
    expect(await names({ prefix: 'acme' }, environment)).toEqual(['acme_capabilities', 'acme_tool_schema'])
    const scoped = { ...plain, server: { name: '@scope/My Server!', version: '1' } }
    expect(await names({}, scoped)).toEqual(['my_server_capabilities', 'my_server_tool_schema'])
    expect(await names({}, { ...plain, server: { name: '名前', version: '1' } })).toContain('server_capabilities')
    expect(await names({}, plain)).toContain('afd_capabilities')
    expect(await names({}, { ...environment, prefix: 'acme' })).toContain('acme_capabilities')
  })

  it("lists the tools unchanged in the mode 'full', after its own two tools", async () => {
    const tools = await (await open({ listing: 'full' })).listed()
    expect(namesOf(tools)).toEqual([
      ...['tana_capabilities', 'tana_tool_schema'],
      ...['order-create', 'order-list', 'mail-send'],
    ])
  })

  it('declares the existing categories as the allowed values of `category`', async () => {
    const [inventory] = await (await open()).listed()
    expect(inventory?.inputSchema).toMatchObject({
      properties: { category: { type: 'string', enum: ['order', 'mail', 'system'] } },
    })
  })

  it('omits the allowed values of `category` if they would cost too many tokens', async () => {
    const many = Array.from({ length: 900 }, (_, index) => commandOf(`kind${index}-list`))
    const [inventory] = await (await open({ listing: 'hidden' }, many)).listed()
    expect(inventory?.inputSchema).toMatchObject({ properties: { category: { type: 'string', minLength: 1 } } })
  })

  it('refuses a prefix that is not a legal name, and unknown options', () => {
    expect(() => capabilities.create({ prefix: 'a b' }, plain)).toThrow('prefix')
    expect(() => capabilities.create({ prefixes: 'a' }, plain)).toThrow('prefixes')
  })
})

describe('the inventory', () => {
  it("the inventory contains the version, the tools by category with examples, and the server's own tools as system", async () => {
    const { call } = await open({ listing: 'hidden', descriptions: { mail: 'Letters' }, quickActions: ['order'] })
    expect(blocksOf(await call('capabilities', {}))).toEqual([
      {
        version: '1.2.3',
        categories: [
          {
            name: 'order',
            description: 'Create, list: order',
            tools: [
              { name: 'order-create', description: 'Create an order', example: 'Two of 7' },
              { name: 'order-list', description: 'Does order-list.' },
            ],
          },
          {
            name: 'mail',
            description: 'Letters',
            tools: [{ name: 'mail-send', description: 'Does mail-send.', example: '{"to":"ann"}' }],
          },
          {
            name: 'system',
            description: 'This server itself',
            tools: [
              { name: 'tana_capabilities', description: 'This inventory' },
              { name: 'tana_tool_schema', description: 'The schema of one tool' },
            ],
          },
        ],
        quickActions: ['order'],
      },
    ])
  })

  it.each([
    [{ listing: 'auto' }, false],
    [{ listing: 'stripped' }, false],
    [{ listing: 'hidden', invoke: true }, true],
  ])('the inventory under %j names invoke_tool only if it is listed: %s', async (options, isListed) => {
    const { call, listed } = await open(options)
    expect(namesOf(await listed()).includes('invoke_tool')).toBe(isListed)
    expect(JSON.stringify(blocksOf(await call('capabilities', {}))).includes('invoke_tool')).toBe(isListed)
  })

  it('makes up a valid example for a tool without one, while there is room', async () => {
    const input = z.object({ to: z.email(), urgent: z.boolean().optional() })
    const some = [commandOf('mail-send', { input }), commandOf('mail-count')]
    const { call } = await open({ listing: 'hidden' }, some)
    const [{ categories }] = blocksOf(await call('capabilities', {})) as [Inventory]
    const [send, counted] = categories[0]!.tools
    expect(input.safeParse(JSON.parse(send!.example!)).success).toBe(true)
    expect(Object.keys(JSON.parse(send!.example!))).toEqual(['to'])
    expect(counted).not.toHaveProperty('example')

    const refusing = commandOf('mail-send', { input: input.refine(() => false) })
    const [inventory] = blocksOf(await (await open({}, [refusing])).call('capabilities', {})) as [Inventory]
    expect(inventory.categories[0]!.tools[0]).not.toHaveProperty('example')

    const description = 'Does one of the many things that can be done to a letter on its way to somebody'
    const many = await open(
      { listing: 'hidden' },
      Array.from({ length: 20 }, (_, at) => commandOf(`mail-${at}`, { input, description })),
    )
    expect(JSON.stringify(blocksOf(await many.call('capabilities', {})))).not.toContain('"example"')
    expect(JSON.stringify(blocksOf(await many.call('capabilities', { category: 'mail' })))).toContain('"example"')
  })

  it('makes up no example for a schema of more than 4,000 characters, and continues with other tools', async () => {
    const fields = Array.from({ length: 1_000 }, (_, at) => [
      `p${at}`,
      z.union([z.string().min(at), z.number().min(at)]),
    ])
    const long = commandOf('mail-bomb', { input: z.object(Object.fromEntries(fields)) })
    const validate = vi.fn(() => ({ ok: true as const, value: {} }))
    const view = await viewOf([long, commandOf('mail-send', { input: z.object({ to: z.string() }) })])
    const hostile = view.visible.tools.map((tool) => (tool.name === 'mail-bomb' ? { ...tool, validate } : tool))
    const visible = { ...view.visible, find: (name: string) => hostile.find((tool) => tool.name === name) }
    const tools = hostile.map(({ name, description }) => ({ name, description }))
    const [category] = await createExampleAdder()([{ name: 'mail', description: '', tools }], visible)
    expect(validate).not.toHaveBeenCalled()
    expect(category?.tools.map(({ generatedArguments }) => generatedArguments)).toEqual([
      undefined,
      expect.stringContaining('"to"'),
    ])
  })

  it('leaves out a quick action that is the name of a tool that the caller cannot see', async () => {
    const { call, view } = await open({ quickActions: ['mail-send', 'Send a letter', 'secret-wipe'] })
    const lookup: typeof view.lookup = (ref) => {
      const found = view.lookup('mail-send')
      if (ref !== 'secret-wipe' || !found.found) return view.lookup(ref)
      return { ...found, visibility: { degree: 'disabled', rule: 1 } }
    }
    expect(blocksOf(await call('capabilities', {}, { ...view, lookup }))).toMatchObject([
      { quickActions: ['mail-send', 'Send a letter'] },
    ])
  })

  it('adds its own two tools to an existing category named system', async () => {
    const { call } = await open({ listing: 'hidden' }, [commandOf('cache-clear', { category: 'system' })])
    const [{ categories }] = blocksOf(await call('capabilities', {})) as [{ categories: { tools: object[] }[] }]
    expect(categories).toHaveLength(1)
    expect(categories[0]?.tools).toMatchObject([{ name: 'cache-clear' }, { name: 'tana_capabilities' }, {}])
  })

  it('filters the inventory by category, ignoring letter case', async () => {
    const { call } = await open()
    expect(blocksOf(await call('capabilities', { category: 'Mail' }))).toMatchObject([
      { categories: [{ name: 'mail' }] },
    ])
    const { error } = await call('capabilities', { category: 'mial' })
    expect(error).toMatchObject({ code: 'CATEGORY_NOT_FOUND', details: { similar: ['mail'] } })
  })

  it('offers the most used tools as quick actions, unless quick actions are configured', async () => {
    const usage = { top: () => ['commands:mail-send', 'gone:tool', 'commands:order-list'] }
    const { call } = await open({}, commands, {}, { ...environment, usage })
    expect(blocksOf(await call('capabilities', {}))).toMatchObject([{ quickActions: ['mail-send', 'order-list'] }])
    const configured = await open({ quickActions: [] }, commands, {}, { ...environment, usage })
    expect(blocksOf(await configured.call('capabilities', {}))).toMatchObject([{ quickActions: [] }])
  })

  it('offers the most used tools that the caller can see, even if 50 other tools are used more', async () => {
    const others = Array.from({ length: 50 }, (_, at) => `foreign:tool-${at}`)
    const usage = { top: (limit: number) => [...others, 'commands:mail-send'].slice(0, limit) }
    const { call } = await open({}, commands, {}, { ...environment, usage })
    expect(blocksOf(await call('capabilities', {}))).toMatchObject([{ quickActions: ['mail-send'] }])
  })

  it('names the servers that could not be started', async () => {
    const { call } = await open({}, commands, { servers: { slow: [] }, about: { slow: { state: 'failed' } } })
    expect(blocksOf(await call('capabilities', {}))).toMatchObject([{ note: "Could not be started: 'slow'." }])
  })

  it('costs less than 500 tokens for 14 tools with their examples', async () => {
    const countTokens = await loadTokenCounter()
    const { call } = await open(
      { descriptions: CATEGORIES, quickActions: QUICK_ACTIONS, listing: 'hidden' },
      tanaCommands.map(defineCommand),
    )
    const text = JSON.stringify(blocksOf(await call('capabilities', {}))[0])
    expect(text.match(/"example"/g)).toHaveLength(14)
    expect(countTokens(text)).toBeLessThan(500)
  })

  it('stays within its budget on a large server, and names every category', async () => {
    const countTokens = await loadTokenCounter()
    const { call } = await open({}, manyCommands(500))
    const [inventory] = blocksOf(await call('capabilities', {})) as [{ categories: object[]; note: string }]
    expect(countTokens(JSON.stringify(inventory))).toBeLessThanOrEqual(1_500)
    expect(inventory.categories).toHaveLength(26)
    expect(inventory.categories).toContainEqual(expect.objectContaining({ name: 'order', toolCount: 20 }))
    expect(inventory.note).toContain('pass category')
  })
})

describe('the schema tool', () => {
  it('gives the full JSON Schema of one tool, for less than 300 tokens', async () => {
    const countTokens = await loadTokenCounter()
    const { call, view } = await open({}, tanaCommands.map(defineCommand))
    const [schema] = blocksOf(await call('tool_schema', { tool: 'tana-search' }))
    expect(schema).toEqual(view.visible.find('tana-search')?.inputSchema)
    expect(countTokens(JSON.stringify(schema))).toBeLessThan(300)
  })

  it("also gives the schemas of the server's own tools", async () => {
    const { call } = await open()
    const [schema] = blocksOf(await call('tool_schema', { tool: 'tana_tool_schema' }))
    expect(schema).toMatchObject({ properties: { tool: { type: 'string' } }, required: ['tool'] })
  })

  it('suggests a similar name for an unknown tool', async () => {
    const { error } = await (await open()).call('tool_schema', { tool: 'mail-sent' })
    expect(error).toMatchObject({
      code: 'COMMAND_NOT_FOUND',
      details: { similar: ['mail-send'] },
    })
  })

  it('builds each schema once, and counts cache hits and misses', async () => {
    const { strategy, call } = await open()
    for (const tool of ['mail-send', 'mail-send', 'order-list', 'mail-send', 'nowhere'])
      await call('tool_schema', { tool })
    expect(strategy.stats?.()).toEqual({ schemaCache: { hits: 2, misses: 2 } })
  })
})
