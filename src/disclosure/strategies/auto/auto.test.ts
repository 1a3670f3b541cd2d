import { describe, expect, it } from 'vitest'
import { manyCommands } from '../../../../test/fixtures/many-commands.ts'
import type { Caller } from '../../../core/call.ts'
import { loadTokenCounter } from '../../../core/tokens.ts'
import { commandOf, namesOf } from '../../../sources/commands/command.fixture.ts'
import type { Command } from '../../../sources/commands/define.ts'
import type { Hints, Strategy } from '../../strategy.ts'
import { plain, type ViewOptions, viewOf } from '../../view.fixture.ts'
import type { View } from '../../view.ts'
import { auto } from './auto.ts'

const FIVE = ['list_mcp_servers', 'search_tools', 'list_tools', 'get_tool_details', 'execute_tool']
const few = [commandOf('order-list'), commandOf('order-create')]
const claudeCode: ViewOptions = { caller: { era: 'legacy', clientName: 'claude-code' } }

function hintsFor({ hints }: Strategy, caller: Caller): Hints {
  if (typeof hints !== 'function') throw new Error('the hints of auto depend on the caller')
  return hints(caller)
}

function openAuto(options: object = {}) {
  const strategy = auto.create(options, plain)
  const listed = async (commands: readonly Command[], viewOptions: ViewOptions = {}) =>
    namesOf(await strategy.list(await viewOf(commands, viewOptions)))
  return { strategy, listed }
}

describe('auto', () => {
  it('lists all tools if they cost at most 5,000 tokens', async () => {
    const { strategy, listed } = openAuto()
    expect(await listed(few)).toEqual(['order-list', 'order-create'])
    expect(strategy.explain?.()).toMatchObject({
      strategy: 'individual',
      reason: expect.stringMatching(/^2 tools cost \d+ tokens, within the budget of 5,000$/),
    })
  })

  it('lists the five tools of the gateway if the tools cost more than 5,000 tokens', async () => {
    const { strategy, listed } = openAuto()
    expect(await listed(manyCommands(114))).toEqual(FIVE)
    const choice = strategy.explain?.()
    expect(choice).toMatchObject({ strategy: 'gateway', reason: '114 tools cost more than the budget of 5,000 tokens' })
    expect(choice?.tokens).not.toHaveProperty('individual')
    expect(choice?.tokens.gateway).toBeLessThan(600)
  })

  it('accepts another budget, and compares it with the real cost of tools/list', async () => {
    const countTokens = await loadTokenCounter()
    const { strategy, listed } = openAuto()
    await listed(few)
    const cost = strategy.explain?.()?.tokens.individual ?? 0
    const real = countTokens(JSON.stringify(await strategy.list(await viewOf(few))))
    expect(cost).toBe(real)
    expect(await openAuto({ budget: cost }).listed(few)).toHaveLength(2)
    expect(await openAuto({ budget: cost - 1 }).listed(few)).toEqual(FIVE)
    expect(() => openAuto({ budget: -1 })).toThrow('budget')
  })

  it.each(['known', 'starting'] as const)(
    "chooses the gateway if a server in state '%s' has not listed its tools",
    async (state) => {
      const { strategy, listed } = openAuto()
      expect(await listed(few, { servers: { slow: [] }, about: { slow: { state } } })).toEqual(FIVE)
      expect(strategy.explain?.()?.reason).toBe('not all servers have listed their tools')
    },
  )

  it.each(['failed', 'connected'] as const)(
    "lists all tools although a server in state '%s' has none",
    async (state) => {
      expect(await openAuto().listed(few, { servers: { none: [] }, about: { none: { state } } })).toHaveLength(2)
    },
  )

  it('chooses the gateway if there are no tools at all, and gives that as the reason', async () => {
    const { strategy, listed } = openAuto()
    expect(await listed([])).toEqual(FIVE)
    expect(strategy.explain?.()?.reason).toBe('there are no tools to list')
  })

  it('keeps the choice between the full list and the gateway when the tools change', async () => {
    const small = openAuto()
    await small.listed(few)
    expect(await small.listed(manyCommands(114))).toHaveLength(114)
    const large = openAuto()
    await large.listed(manyCommands(114))
    expect(await large.listed(few)).toEqual(FIVE)
  })

  it('chooses only once for two concurrent requests', async () => {
    const { listed } = openAuto()
    const [first, second] = await Promise.all([listed(manyCommands(114)), listed(few)])
    expect([first, second]).toEqual([FIVE, FIVE])
  })

  it('lists every tool for a legacy client that searches tools itself, and for no other client', async () => {
    const { strategy, listed } = openAuto()
    const many = manyCommands(114)
    expect(await listed(many, claudeCode)).toHaveLength(114)
    expect(await listed(many)).toEqual(FIVE)
    for (const clientName of ['Claude-Code', 'claude-code-2', 'cursor']) {
      expect(await listed(many, { caller: { era: 'legacy', clientName } })).toEqual(FIVE)
    }
    expect(await listed(many, { caller: { era: 'modern', clientName: 'claude-code' } })).toEqual(FIVE)
    const { caller } = await viewOf(many, claudeCode)
    expect(strategy.explain?.(caller)).toMatchObject({
      strategy: 'individual',
      reason: "the client 'claude-code' searches tools itself",
    })
    expect(strategy.explain?.()?.strategy).toBe('gateway')
  })

  it('gives each caller the error hints for its own listing; before its first one, only claude-code gets those of the full list', async () => {
    const { strategy, listed } = openAuto()
    const all = await viewOf(manyCommands(114))
    const limited: ViewOptions = { caller: { rights: { tools: ['order-*'] } } }
    const findFor = ({ caller }: View) => hintsFor(strategy, caller).find
    const views = { all, claude: await viewOf([], claudeCode), limited: await viewOf(few, limited) }
    expect([views.all, views.claude, views.limited].map(findFor)).toEqual([
      'search_tools',
      'tools/list',
      'search_tools',
    ])
    await listed(few, limited)
    await listed(manyCommands(114))
    await listed(manyCommands(114), claudeCode)
    expect([views.all, views.claude, views.limited].map(findFor)).toEqual(['search_tools', 'tools/list', 'tools/list'])
    const [tool] = all.visible.tools
    if (tool === undefined) throw new Error('no tool')
    expect(hintsFor(strategy, views.all.caller).invalid(tool).hint).toContain('get_tool_details')
    expect(hintsFor(strategy, views.limited.caller).invalid(tool).hint).not.toContain('get_tool_details')
  })

  it('explains nothing before it has chosen', () => {
    expect(openAuto().strategy.explain?.()).toBeUndefined()
  })

  it('also lists afd-call, afd-batch and afd-pipe if `builtins` is set', async () => {
    expect(await openAuto({ builtins: true }).listed(few)).toEqual([
      ...['order-list', 'order-create'],
      ...['afd-call', 'afd-batch', 'afd-pipe'],
    ])
  })
})
