import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { manyCommands } from '../../../test/fixtures/many-commands.ts'
import { loadTokenCounter } from '../../core/tokens.ts'
import { createBootstrapCommands, createContextCommands } from '../../sources/commands/builtin-commands.ts'
import { commandOf, namesOf } from '../../sources/commands/command.fixture.ts'
import { contextual, plain, viewOf } from '../view.fixture.ts'
import { lazy } from './lazy.ts'

const FIVE = ['afd-discover', 'afd-detail', 'afd-call', 'afd-batch', 'afd-pipe']

describe('the listing of lazy', () => {
  it('lists exactly five tools', async () => {
    expect(namesOf(await lazy.create({}, plain).list(await viewOf(manyCommands(20))))).toEqual(FIVE)
  })

  it('still lists five tools with bootstrap and context commands', async () => {
    const view = await viewOf([...createBootstrapCommands(), ...createContextCommands('afd')])
    expect(namesOf(await lazy.create({}, contextual).list(view))).toEqual(FIVE)
  })

  it('gives the same bytes for 0, 5 and 500 commands', async () => {
    const bytes = await Promise.all(
      [0, 5, 500].map(async (count) =>
        JSON.stringify(await lazy.create({}, plain).list(await viewOf(manyCommands(count)))),
      ),
    )
    expect(new Set(bytes).size).toBe(1)
  })

  it('costs at most 700 tokens, and at most 1,000 if the server has contexts', async () => {
    const countTokens = await loadTokenCounter()
    const cost = async (environment: typeof plain) =>
      countTokens(JSON.stringify({ tools: await lazy.create({}, environment).list(await viewOf([])) }))
    expect(await cost(plain)).toBeLessThanOrEqual(700)
    expect(await cost(contextual)).toBeLessThanOrEqual(1_000)
  })

  it('also lists the tools of a configured core, with their schemas', async () => {
    const commands = [commandOf('order-list', { input: z.object({ limit: z.int() }) }), commandOf('order-create')]
    const strategy = lazy.create({ core: ['*-list'] }, plain)
    const tools = await strategy.list(await viewOf(commands))
    expect(namesOf(tools)).toEqual([...FIVE, 'order-list'])
    expect(tools.at(-1)?.inputSchema).toHaveProperty('properties.limit')
    expect(strategy.listsCatalog).toBe(true)
    expect(lazy.create({}, plain).listsCatalog).toBe(false)
  })

  it('lists a learned core of the most called tools, within its budget', async () => {
    const usage = { top: () => ['commands:order-create', 'commands:gone', 'commands:order-list'] }
    const commands = [commandOf('order-list'), commandOf('order-create'), commandOf('mail-send')]
    const list = async (options: object) =>
      namesOf(await lazy.create({ core: 'learned', ...options }, { ...plain, usage }).list(await viewOf(commands)))
    expect(await list({})).toEqual([...FIVE, 'order-list', 'order-create'])
    expect(await list({ coreBudget: 0 })).toEqual(FIVE)
  })

  it('refuses a pattern that cannot be read', () => {
    expect(() => lazy.create({ core: ['/('] }, plain)).toThrow('cannot be used')
  })

  it('marks the tools that only read', async () => {
    const tools = await lazy.create({}, plain).list(await viewOf([]))
    expect(tools.map((tool) => tool.annotations?.readOnlyHint === true)).toEqual([true, true, false, false, false])
  })

  it('mentions contexts only if the server has contexts', async () => {
    const text = async (environment: typeof plain) =>
      JSON.stringify(await lazy.create({}, environment).list(await viewOf([])))
    expect(await text(plain)).not.toContain('context')
    const tools = await lazy.create({}, contextual).list(await viewOf([]))
    const takers = tools.filter((tool) => 'context' in (tool.inputSchema.properties as object))
    expect(namesOf(takers)).toEqual(['afd-discover', 'afd-call', 'afd-batch', 'afd-pipe'])
  })

  it('declares in its schemas that it accepts one name or several, and one tag or several', async () => {
    const [discover, detail] = await lazy.create({}, plain).list(await viewOf([]))
    expect(discover?.inputSchema.properties).toMatchObject({
      tag: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      limit: { minimum: 1, maximum: 200, default: 50 },
    })
    expect(detail?.inputSchema.properties).toMatchObject({
      command: { anyOf: [{ type: 'string' }, { type: 'array', maxItems: 10 }] },
    })
  })

  it('names all five tools in its guide, and discover and detail name the tool of the next step', async () => {
    const strategy = lazy.create({}, { prefix: 'acme', hasContexts: false })
    for (const name of FIVE) expect(strategy.guide).toContain(name.replace('afd', 'acme'))
    const [discover, detail] = await strategy.list(await viewOf([]))
    expect(discover?.description).toContain('acme-detail')
    expect(detail?.description).toContain('acme-call')
  })
})
