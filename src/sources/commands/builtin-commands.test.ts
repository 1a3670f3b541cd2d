import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CommandContext, CommandDescription, ContextControl, Introspection } from '../../core/call.ts'
import { type CommandResult, success } from '../../core/result.ts'
import { contextOf } from '../source.fixture.ts'
import { checkContexts, createBootstrapCommands, createContextCommands, withServerPrefix } from './builtin-commands.ts'
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

/** A context control that logs its calls. */
function controlOf(active?: string): ContextControl & { readonly log: string[] } {
  const log: string[] = []
  return {
    log,
    all: [{ name: 'billing', triggers: ['invoice'] }, { name: 'support' }],
    active,
    enter: async (context) => {
      log.push(`enter ${context}`)
      return success({ context })
    },
    exit: async () => {
      log.push('exit')
      return success({ context: null })
    },
  }
}

function runContextCommand(name: string, input: unknown, context: CommandContext): Promise<unknown> {
  const command = createContextCommands('afd').find((one) => one.name === name)
  if (command === undefined) throw new Error(`no ${name}`)
  return command.handler(input, context)
}

describe('the context commands', () => {
  it('creates three built-ins with the prefix of the server', () => {
    const commands = createContextCommands('acme')
    expect(namesOf(commands)).toEqual(['acme-context-list', 'acme-context-enter', 'acme-context-exit'])
    expect(commands.every((command) => command.builtin === true)).toBe(true)
  })

  it('marks each context command as read-only or changing', () => {
    expect(createContextCommands('afd').map((command) => command.mutation)).toEqual([false, true, true])
  })

  it('lists all contexts, and names the active one or null if none is active', async () => {
    const inside = controlOf('support')
    expect(await runContextCommand('afd-context-list', {}, contextOf({ contexts: inside }))).toEqual(
      success({ contexts: inside.all, active: 'support' }),
    )
    expect(await runContextCommand('afd-context-list', {}, contextOf({ contexts: controlOf() }))).toMatchObject({
      data: { active: null },
    })
  })

  it('enters and leaves a context through the control of the session', async () => {
    const control = controlOf()
    await runContextCommand('afd-context-enter', { context: 'billing' }, contextOf({ contexts: control }))
    await runContextCommand('afd-context-exit', {}, contextOf({ contexts: control }))
    expect(control.log).toEqual(['enter billing', 'exit'])
  })

  it('rejects context commands on a server without contexts', async () => {
    for (const command of createContextCommands('afd')) {
      await expect(command.handler({ context: 'billing' }, contextOf())).rejects.toThrow('no contexts')
    }
  })
})

describe('checkContexts', () => {
  it('sorts contexts by priority, highest first, and keeps the given order otherwise', () => {
    const checked = checkContexts([
      { name: 'a' },
      { name: 'low', priority: -1 },
      { name: 'high', priority: 5 },
      { name: 'b', priority: 0 },
    ])
    expect(namesOf(checked)).toEqual(['high', 'a', 'b', 'low'])
  })

  it('keeps every context unchanged, and does not change the given list', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.record({ name: fc.string({ minLength: 1 }), priority: fc.integer() }), {
          selector: (context) => context.name,
        }),
        (contexts) => {
          const given = structuredClone(contexts)
          const checked = checkContexts(contexts)
          expect(contexts).toEqual(given)
          expect(new Set(checked)).toEqual(new Set(contexts))
          const priorities = checked.map((context) => context.priority ?? 0)
          expect(priorities).toEqual(priorities.toSorted((a, b) => b - a))
        },
      ),
    )
  })

  it('refuses two contexts with the same name, and one without a name', () => {
    expect(() => checkContexts([{ name: 'a' }, { name: 'a' }])).toThrow("two are named 'a'")
    expect(() => checkContexts([{ name: '' }])).toThrow('entry 1: expected an object with a name')
  })

  it.each([
    ['sales', "expected a list of contexts, found 'sales'"],
    [[{ description: 'x' }], 'entry 1: expected an object with a name'],
    [[{ name: 'a' }, 'b'], "entry 2: expected an object with a name, found 'b'"],
    [[{ name: 'a', priority: 'high' }], "entry 1: `priority`: expected a number, found 'high'"],
    [[{ name: 'a', triggers: 'buy' }], "entry 1: `triggers`: expected a list of texts, found 'buy'"],
    [[{ name: 'a', trigers: [] }], "entry 1: 'trigers' is not one of its fields. Did you mean 'triggers'?"],
  ])('refuses %o with the reason', (contexts, message) => {
    // A program without types can pass this.
    expect(() => checkContexts(contexts as never)).toThrow(`Invalid contexts: ${message}`)
  })
})
