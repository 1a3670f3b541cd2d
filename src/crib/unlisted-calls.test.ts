// Tools that a listing hides or strips can be called by name, with the same checks as listed tools.

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { commandOf, namesOf } from '../sources/commands/command.fixture.ts'
import { scriptedSource } from '../sources/source.fixture.ts'
import { cribOf, requestOf } from './crib.fixture.ts'
import { createCrib } from './crib.ts'

const commands = [
  commandOf('order-create', { input: z.object({ item: z.string() }) }),
  commandOf('order-list'),
  commandOf('mail-send'),
]

const cases = ['categories', 'capabilities'].flatMap((strategy) =>
  ['full', 'stripped', 'hidden', 'hybrid', 'auto'].map((listing) => [strategy, listing] as const),
)

describe.each(cases)('%s with listing %s', (strategy, listing) => {
  const open = () =>
    cribOf(commands, {
      strategy,
      strategyOptions: { listing, core: ['mail-*'], invoke: true },
      about: { name: 'shop', version: '1.0.0' },
    })
  const schemaToolOf = async (crib: ReturnType<typeof open>) =>
    namesOf(await crib.list(requestOf('one'))).find((name) => name.endsWith('tool_schema')) ?? ''

  it('runs a tool by its name, listed or not', async () => {
    const result = await open().call('order-create', { item: 'cup' }, requestOf('one'))
    expect(result.data).toEqual({ command: 'order-create', input: { item: 'cup' } })
  })

  it('validates arguments on the server, and names the tool that gives the schema', async () => {
    const crib = open()
    const { error } = await crib.call('order-create', { item: 7 }, requestOf('one'))
    expect(error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining("'item'"),
      details: { parameters: [{ name: 'item', type: 'string', required: true }] },
    })
    expect(error?.suggestion).toContain(await schemaToolOf(crib))
  })

  it('lists invoke_tool only if the listing is hidden or hybrid, and runs a tool through it with the same checks', async () => {
    const crib = open()
    const isListed = namesOf(await crib.list(requestOf('one'))).includes('invoke_tool')
    expect(isListed).toBe(listing === 'hidden' || listing === 'hybrid')
    if (!isListed) return
    const invoke = (args: unknown) => crib.call('invoke_tool', args, requestOf('one'))
    expect((await invoke({ tool: 'order-create', arguments: { item: 'cup' } })).data).toMatchObject({
      command: 'order-create',
    })
    expect((await invoke({ tool: 'order-create', arguments: {} })).error?.code).toBe('VALIDATION_ERROR')
    expect((await invoke({ tool: 'order-creat' })).error?.details).toEqual({ similar: ['order-create', 'order-list'] })
  })
})

describe('a crib with two tools of one name', () => {
  it("calls the server's own tool if a source has a tool with the same name", async () => {
    const sources = [scriptedSource('far', ['shop_tool_schema'])]
    const strategyOptions = { listing: 'hidden' }
    const crib = createCrib({
      about: { name: 'shop', version: '1.0.0' },
      sources,
      strategy: 'capabilities',
      strategyOptions,
    })
    const { wire } = await crib.call('shop_tool_schema', { tool: 'shop_tool_schema' }, requestOf('one'))
    expect(wire?.content).toMatchObject([{ text: expect.stringContaining('"properties":{"tool":') }])
  })
})
