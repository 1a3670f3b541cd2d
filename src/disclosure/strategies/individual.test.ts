import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createBootstrapCommands } from '../../sources/commands/builtin-commands.ts'
import { commandOf, namesOf } from '../../sources/commands/command.fixture.ts'
import { contextual, plain, viewOf } from '../view.fixture.ts'
import { individual } from './individual.ts'

const strategy = individual.create({}, plain)

describe('the listing of individual', () => {
  it('lists every visible command in the order of registration, then the three built-ins', async () => {
    const view = await viewOf([commandOf('b'), commandOf('a'), ...createBootstrapCommands()], {
      unexposed: [commandOf('vault-open')],
    })
    expect(namesOf(await strategy.list(view))).toEqual([
      ...['b', 'a', 'afd-help', 'afd-docs', 'afd-schema'],
      ...['afd-call', 'afd-batch', 'afd-pipe'],
    ])
  })

  it('shows a command with its complete description, schema, hints and declared metadata', async () => {
    const command = commandOf('order-cancel', {
      title: 'Cancel an order',
      description: 'Cancel a pending order. It cannot be undone.',
      mutation: true,
      destructive: true,
      requires: ['order-list'],
      examples: [{ title: 'One', input: { id: '7' } }],
      contexts: ['sales'],
      input: z.object({ id: z.string().describe('Which one') }),
    })
    const [tool] = await strategy.list(await viewOf([command]))
    expect(tool).toEqual({
      name: 'order-cancel',
      title: 'Cancel an order',
      description: 'Cancel a pending order. It cannot be undone.',
      inputSchema: {
        type: 'object',
        properties: { id: { type: 'string', description: 'Which one' } },
        required: ['id'],
      },
      annotations: { readOnlyHint: false, destructiveHint: true },
      _meta: {
        requires: ['order-list'],
        examples: [{ title: 'One', input: { id: '7' } }],
        contexts: ['sales'],
      },
    })
  })

  it.each([
    [{}, undefined],
    [{ mutation: false }, { readOnlyHint: true }],
    [{ mutation: true }, { readOnlyHint: false }],
    [
      { mutation: true, destructive: false },
      { readOnlyHint: false, destructiveHint: false },
    ],
    [{ destructive: true }, { destructiveHint: true }],
  ])('derives hints from %j: %j', async (traits, annotations) => {
    const [tool] = await strategy.list(await viewOf([commandOf('a', traits)]))
    expect(tool?.annotations).toEqual(annotations)
    expect(tool).not.toHaveProperty('_meta')
  })

  it('shows only commands of the active context and commands without a context', async () => {
    const commands = [commandOf('a', { contexts: ['work'] }), commandOf('b', { contexts: ['home'] }), commandOf('c')]
    const inContext = individual.create({}, contextual)
    const view = await viewOf(commands, { context: 'home' })
    expect(namesOf(await inContext.list(view)).slice(0, -3)).toEqual(['b', 'c'])
  })

  it('lists its own tools under the prefix of the server', async () => {
    const renamed = individual.create({}, { prefix: 'acme', hasContexts: false })
    expect(namesOf(await renamed.list(await viewOf([])))).toEqual(['acme-call', 'acme-batch', 'acme-pipe'])
    expect(renamed.guide).toContain('acme-call')
  })

  it('refuses unknown options', () => {
    expect(() => individual.create({ groupBy: () => 'x' }, plain)).toThrow('groupBy')
    expect(() => individual.create(undefined, plain)).not.toThrow()
  })
})
