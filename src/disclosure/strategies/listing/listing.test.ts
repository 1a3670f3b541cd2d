import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { manyCommands } from '../../../../test/fixtures/many-commands.ts'
import { success } from '../../../core/result.ts'
import { loadTokenCounter } from '../../../core/tokens.ts'
import type { ListedTool } from '../../../core/tool.ts'
import { commandOf, namesOf } from '../../../sources/commands/command.fixture.ts'
import { listInFull } from '../../listed.ts'
import type { StrategyEnvironment } from '../../strategy.ts'
import { plain, viewOf } from '../../view.fixture.ts'
import { createInvokeTool, createListing, listingShape, STRIPPED_BUDGET } from './listing.ts'
import { BRACKET_TOKENS, createToolCost, tokensInListing } from './tool-cost.ts'

const own: readonly ListedTool[] = [{ name: 'find', description: 'Finds.', inputSchema: { type: 'object' } }]
const options = z.strictObject(listingShape)

const commands = [commandOf('order-create'), commandOf('order-list'), commandOf('mail-send'), commandOf('mail-list')]

const open = (given: object, environment: StrategyEnvironment = plain) =>
  createListing(options.parse(given), environment, { find: 'find', ownTools: () => own }).listing

async function listed(given: object, environment: StrategyEnvironment = plain, of = commands): Promise<string[]> {
  const listing = open(given, environment)
  return namesOf(await listing.list(await viewOf(of)))
}

describe('createListing', () => {
  it('strips schemas by default if that costs at most 8,000 tokens, else hides tools', async () => {
    const countTokens = await loadTokenCounter()
    const listing = open({})
    for (const count of [100, 175, 300]) {
      const tools = await listing.list(await viewOf(manyCommands(count)))
      const tokens = countTokens(JSON.stringify({ tools }))
      if (tools.length > 2) expect(tokens).toBeLessThanOrEqual(STRIPPED_BUDGET)
      else expect(namesOf(tools)).toEqual(['find', 'invoke_tool'])
    }
    expect(namesOf(await listing.list(await viewOf(manyCommands(300))))).toEqual(['find', 'invoke_tool'])
    expect(await listing.list(await viewOf(manyCommands(100)))).toHaveLength(101)
  })

  it('explains its choice with the reason', async () => {
    const listing = open({})
    expect(listing.explain()).toBeUndefined()
    await listing.list(await viewOf(commands))
    expect(listing.explain()).toMatchObject({
      strategy: 'stripped',
      reason: 'the list with 4 tools without their schemas costs at most 8,000 tokens',
    })
    await listing.list(await viewOf(manyCommands(300)))
    expect(listing.explain()).toMatchObject({
      strategy: 'hidden',
      reason: 'the list with 300 tools without their schemas costs more than 8,000 tokens',
    })
  })

  it.each(['stripped', 'hidden', 'hybrid', 'full'])("explains nothing if the mode '%s' is configured", async (mode) => {
    const listing = open({ listing: mode })
    await listing.list(await viewOf(commands))
    expect(listing.explain()).toBeUndefined()
  })

  it('does not list invoke_tool beside hidden tools if `invoke` is false', async () => {
    expect(await listed({ invoke: false }, plain, manyCommands(300))).toEqual(['find'])
  })

  it('gives the same bytes for the same tools, even after other listings', async () => {
    const used = open({})
    await used.list(await viewOf(manyCommands(300)))
    const fresh = open({})
    const view = await viewOf(manyCommands(50))
    expect(JSON.stringify(await used.list(view))).toBe(JSON.stringify(await fresh.list(view)))
  })
})

describe('the core of the hybrid listing', () => {
  it.each([
    [['order-list'], ['order-list']],
    ['mail-*', ['mail-send', 'mail-list']],
    [['*-list', '!order-*'], ['mail-list']],
    [['!mail-*'], ['order-create', 'order-list']],
    [['commands_order-create'], ['order-create']],
    ['/^mail/', ['mail-send', 'mail-list']],
    [[], []],
  ])('selects the tools of the core option %j: %j', async (core, names) => {
    expect(await listed({ listing: 'hybrid', core })).toEqual(['find', ...names])
  })

  it('lists the core tools in full', async () => {
    const listing = open({ listing: 'hybrid', core: 'order-create' })
    const view = await viewOf([commandOf('order-create', { input: z.object({ item: z.string() }) })])
    expect((await listing.list(view))[1]?.inputSchema).toHaveProperty('properties.item')
  })

  it('learns the core by default: the most used tools, in the order of the catalog', async () => {
    const usage = { top: () => ['commands:mail-list', 'gone:tool', 'commands:order-create'] }
    expect(await listed({ listing: 'hybrid' }, { ...plain, usage })).toEqual(['find', 'order-create', 'mail-list'])
    expect(await listed({ listing: 'hybrid' })).toEqual(['find'])
  })

  it('learns the core from the tools that the caller can see, even if 150 other tools are used more', async () => {
    const others = Array.from({ length: 150 }, (_, at) => `foreign:tool-${at}`)
    const usage = { top: (limit: number) => [...others, 'commands:mail-list'].slice(0, limit) }
    expect(await listed({ listing: 'hybrid' }, { ...plain, usage })).toEqual(['find', 'mail-list'])
  })

  it('learns the core once, so that the listing does not change while the server runs', async () => {
    const used = ['commands:mail-list']
    const listing = open({ listing: 'hybrid' }, { ...plain, usage: { top: () => [...used] } })
    used[0] = 'commands:order-list'
    expect(namesOf(await listing.list(await viewOf(commands)))).toEqual(['find', 'mail-list'])
  })

  it('learns a core within coreBudget tokens, starting with the most used tools', async () => {
    const big = commandOf('report-make', { description: 'A long story. '.repeat(50) })
    const usage = { top: () => ['commands:mail-list', 'commands:report-make', 'commands:order-list'] }
    const within = (coreBudget: number) =>
      listed({ listing: 'hybrid', coreBudget }, { ...plain, usage }, [...commands, big])
    expect(await within(0)).toEqual(['find'])
    expect(await within(100)).toEqual(['find', 'order-list', 'mail-list'])
    expect(await within(4_000)).toEqual(['find', 'order-list', 'mail-list', 'report-make'])
  })

  it('counts the brackets of the list once against the budget of a learned core', async () => {
    const count = await loadTokenCounter()
    const { tools } = (await viewOf(commands)).visible
    const usage = { top: () => tools.map(({ id }) => id) }
    const cost = tools.reduce((sum, tool) => sum + tokensInListing(listInFull(tool), count), BRACKET_TOKENS)
    const core = async (coreBudget: number) =>
      (await listed({ listing: 'hybrid', coreBudget }, { ...plain, usage })).length - 1
    expect(await core(cost)).toBe(tools.length)
    expect(await core(cost - 1)).toBe(tools.length - 1)
  })
})

describe('invoke_tool', () => {
  const tool = createInvokeTool(plain, 'find')

  it('runs a tool with its arguments, and delivers the result', async () => {
    const view = await viewOf(commands, { answer: success('sent') })
    const delivered: unknown[] = []
    const deliver: typeof view.deliver = async (result) => {
      delivered.push(result.data)
      return result
    }
    const result = await tool.call({ tool: 'mail-send', arguments: { to: 'a' } }, { ...view, deliver })
    expect(result.data).toBe('sent')
    expect(view.calls).toEqual([['invoke', 'mail-send', { to: 'a' }]])
    expect(delivered).toEqual(['sent'])
  })

  it('decodes arguments sent as JSON text, and uses an empty object by default', async () => {
    const view = await viewOf(commands)
    await tool.call({ tool: 'mail-send', arguments: '{"to":"a"}' }, view)
    await tool.call({ tool: 'mail-send' }, view)
    expect(view.calls).toEqual([
      ['invoke', 'mail-send', { to: 'a' }],
      ['invoke', 'mail-send', {}],
    ])
  })

  it('names the tool of the strategy that finds tools, if a call has neither a tool nor a handle', async () => {
    const reading = createInvokeTool({ ...plain, keepsResults: true }, 'tana_capabilities')
    const { error } = await reading.call({}, await viewOf(commands))
    expect(error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: "Invalid input for 'invoke_tool': Required field 'tool' is missing",
      suggestion: 'Use tana_capabilities to find a tool.',
    })
  })

  it('passes its own name to view.invoke as the name of a tool, instead of running itself again', async () => {
    const view = await viewOf(commands, { metaTools: [tool] })
    await tool.call({ tool: 'invoke_tool', arguments: { tool: 'mail-send' } }, view)
    expect(view.calls).toEqual([['invoke', 'invoke_tool', { tool: 'mail-send' }]])
  })
})

describe('the cost of tools', () => {
  it('counts the exact tokens of the listing of tools, and gives no figure above the limit', async () => {
    const countTokens = await loadTokenCounter()
    const list = (tool: { listedName: string; description: string; inputSchema: object }) => ({
      name: tool.listedName,
      description: tool.description,
      inputSchema: { ...tool.inputSchema },
    })
    const costOf = createToolCost(list)
    const { tools } = (await viewOf(manyCommands(60))).visible
    const real = countTokens(JSON.stringify(tools.map(list)))
    const whole = await costOf(tools, Number.POSITIVE_INFINITY)
    expect(whole).toEqual({ tokens: real, isWithin: true })
    const parts = tools.map((tool) => tokensInListing(list(tool), countTokens))
    expect(parts.reduce((sum, tokens) => sum + tokens, BRACKET_TOKENS)).toBe(real)
    expect(await costOf(tools, real - 1)).toEqual({ isWithin: false })
    expect(await costOf([], 0)).toEqual({ tokens: 0, isWithin: true })
  })
})
