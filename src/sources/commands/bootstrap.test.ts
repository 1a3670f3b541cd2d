import { describe, expect, it } from 'vitest'
import type { CommandDescription, Introspection } from '../../core/call.ts'
import type { CommandResult } from '../../core/result.ts'
import { contextOf } from '../source.fixture.ts'
import { createBootstrapCommands, withServerPrefix } from './bootstrap.ts'
import { commandOf, namesOf } from './command.fixture.ts'

function described(name: string, fields: Partial<CommandDescription> = {}): CommandDescription {
  return {
    name,
    description: `Does ${name}. And says so at length.`,
    category: name.split('-')[0] ?? '',
    tags: [],
    mutation: false,
    inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
    ...fields,
  }
}

const introspection: Introspection = {
  server: { name: 'shop', version: '1.2.3' },
  strategy: 'lazy',
  guide: 'First look, then call.',
  commands: [
    described('order-create', { mutation: true, tags: ['crud'] }),
    described('user-list'),
    described('order-cancel'),
  ],
}

async function run(name: string, input: unknown, prefix?: string): Promise<CommandResult> {
  const commands = createBootstrapCommands(prefix === undefined ? {} : { prefix })
  const command = commands.find((one) => one.name === name)
  if (command === undefined) throw new Error(`no ${name}`)
  const context = contextOf({ introspect: async () => introspection, command: { name, category: 'afd' } })
  return (await command.handler(input, context)) as CommandResult // these handlers return a CommandResult
}

describe('the bootstrap commands', () => {
  it('creates help, docs and schema as read-only built-ins with the prefix', () => {
    expect(namesOf(createBootstrapCommands())).toEqual(['afd-help', 'afd-docs', 'afd-schema'])
    const renamed = createBootstrapCommands({ prefix: 'acme' })
    expect(namesOf(renamed)).toEqual(['acme-help', 'acme-docs', 'acme-schema'])
    expect(renamed.every((command) => command.builtin === true && command.mutation === false)).toBe(true)
  })
})

describe('withServerPrefix', () => {
  it('renames only built-ins that have the default prefix', () => {
    const renamed = (name: string, builtin: boolean) =>
      withServerPrefix({ ...commandOf('x'), name, builtin }, 'acme').name
    expect(renamed('afd-help', true)).toBe('acme-help')
    expect(renamed('shop-help', true)).toBe('shop-help')
    expect(renamed('afdhelp', true)).toBe('afdhelp')
    expect(renamed('afd-help', false)).toBe('afd-help')
  })

  it("names the discover tool with the server's prefix in the suggestion for an unknown command", async () => {
    const [, docs] = createBootstrapCommands().map((command) => withServerPrefix(command, 'acme'))
    const command = { name: 'acme-docs', category: 'acme' }
    const context = contextOf({ introspect: async () => introspection, command })
    expect(await docs?.handler({ command: 'zzzzzzzz' }, context)).toMatchObject({
      error: { suggestion: 'Use acme-discover to list all commands.' },
    })
  })
})

describe('afd-help', () => {
  it('afd-help explains the active strategy and lists the commands by category, one line each', async () => {
    expect((await run('afd-help', {})).data).toEqual({
      server: introspection.server,
      strategy: 'lazy',
      guide: 'First look, then call.',
      categories: [
        {
          category: 'order',
          commands: [
            { name: 'order-create', description: 'Does order-create' },
            { name: 'order-cancel', description: 'Does order-cancel' },
          ],
        },
        { category: 'user', commands: [{ name: 'user-list', description: 'Does user-list' }] },
      ],
    })
  })

  it('afd-help shows only the requested category, and an empty list for an unknown one', async () => {
    expect((await run('afd-help', { category: 'user' })).data).toMatchObject({ categories: [{ category: 'user' }] })
    expect((await run('afd-help', { category: 'nope' })).data).toMatchObject({ categories: [] })
  })
})

describe('afd-docs', () => {
  it('afd-docs returns the whole documentation of every command', async () => {
    const { markdown } = (await run('afd-docs', {})).data as { markdown: string }
    for (const { name, description } of introspection.commands) {
      expect(markdown).toContain(`## ${name}\n\n${description}`)
    }
    expect(markdown).toContain('category order · changes state · #crud')
    expect(markdown).toContain('category user · read-only')
  })

  it('afd-docs returns the documentation of one command, with its schema', async () => {
    const { markdown } = (await run('afd-docs', { command: 'user-list' })).data as { markdown: string }
    expect(markdown.match(/^## /gm)).toHaveLength(1)
    expect(markdown).toContain('"properties"')
  })
})

describe('afd-schema', () => {
  it('afd-schema returns all input schemas by name, or the requested one', async () => {
    const all = (await run('afd-schema', {})).data as { schemas: Record<string, unknown> }
    expect(Object.keys(all.schemas)).toEqual(['order-create', 'user-list', 'order-cancel'])
    const one = (await run('afd-schema', { command: 'order-cancel' })).data
    expect(one).toEqual({ schemas: { 'order-cancel': introspection.commands[2]?.inputSchema } })
  })
})

describe('the name of an unknown command', () => {
  it.each(['afd-docs', 'afd-schema'])(
    '%s answers COMMAND_NOT_FOUND with suggestions if the command is unknown',
    async (name) => {
      expect(await run(name, { command: 'order-cancle' })).toMatchObject({
        success: false,
        error: {
          code: 'COMMAND_NOT_FOUND',
          message: "No command named 'order-cancle'",
          suggestion: "Did you mean 'order-cancel'? Use afd-discover to list all commands.",
        },
      })
    },
  )

  it('suggests only the discover tool of the configured prefix if no command is similar', async () => {
    const result = await run('acme-docs', { command: 'zzzzzzzz' }, 'acme')
    expect(result.error?.suggestion).toBe('Use acme-discover to list all commands.')
    expect(result.error?.details).toBeUndefined()
  })
})
