import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createBootstrapCommands } from '../../sources/commands/builtin-commands.ts'
import { commandOf, namesOf } from '../../sources/commands/command.fixture.ts'
import type { Command } from '../../sources/commands/define.ts'
import { plain, type TestView, type ViewOptions, viewOf } from '../view.fixture.ts'
import { grouped } from './grouped.ts'

const todos = [
  commandOf('todo-create', {
    description: 'Create a todo. Then tell everyone.',
    input: z.object({ title: z.string(), tags: z.array(z.string()).optional() }),
    mutation: true,
  }),
  commandOf('todo-list', {
    description: 'List todos.',
    input: z.object({ limit: z.number().default(10) }),
    mutation: false,
  }),
  commandOf('order-list', { description: 'List orders.', mutation: false }),
]

function raiseError(): never {
  throw new Error('no group for you')
}

interface Opened {
  readonly view: TestView
  readonly strategy: ReturnType<typeof grouped.create>
}

async function open(
  commands: readonly Command[] = todos,
  options: ViewOptions = {},
  groupBy?: unknown,
): Promise<Opened> {
  const strategy = grouped.create(groupBy === undefined ? {} : { groupBy }, plain)
  return { strategy, view: await viewOf(commands, options) }
}

async function listed(commands: readonly Command[], options?: ViewOptions, groupBy?: unknown) {
  const { strategy, view } = await open(commands, options, groupBy)
  return strategy.list(view)
}

describe('the listing of grouped', () => {
  it('lists one tool per category and the three built-ins', async () => {
    expect(namesOf(await listed(todos))).toEqual(['todo', 'order', 'afd-call', 'afd-batch', 'afd-pipe'])
  })

  it('shows the actions with their parameters and descriptions', async () => {
    const [todo] = await listed(todos)
    expect(todo).toEqual({
      name: 'todo',
      description: 'Actions on todo:\ncreate(title, tags[]?): Create a todo\nlist(limit?): List todos.',
      inputSchema: {
        type: 'object',
        properties: {
          action: { type: 'string', enum: ['create', 'list'] },
          params: {
            type: 'object',
            properties: {
              title: { type: 'string' },
              tags: { type: 'array', items: { type: 'string' } },
              limit: { type: 'number', default: 10 },
            },
          },
        },
        required: ['action'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false },
    })
  })

  it('allows every schema that actions declare for a parameter, and lists each schema once', async () => {
    const id = (schema: z.ZodType) => ({ input: z.object({ id: schema }) })
    const [group] = await listed([
      commandOf('x-a', id(z.string())),
      commandOf('x-b', id(z.number())),
      commandOf('x-c', id(z.string())),
    ])
    expect(group?.inputSchema).toMatchObject({
      properties: { params: { properties: { id: { anyOf: [{ type: 'string' }, { type: 'number' }] } } } },
    })
  })

  it('contains no reference to a definition outside its own schema', async () => {
    interface Node {
      children: Node[]
    }
    const node: z.ZodType<Node> = z.lazy(() => z.object({ children: z.array(node) })).meta({ id: 'Node' })
    const tools = await listed([commandOf('tree-grow', { input: z.object({ root: node }) }), commandOf('tree-cut')])
    expect(JSON.stringify(tools)).not.toContain('$ref')
  })

  it('allows any value for a parameter that refers to the whole input', async () => {
    const input = z.object({
      name: z.string(),
      get parent() {
        return input.optional()
      },
    })
    const [tool] = await listed([commandOf('tree-grow', { input }), commandOf('tree-cut')])
    expect(tool?.inputSchema).toMatchObject({
      properties: { params: { properties: { name: { type: 'string' }, parent: {} } } },
    })
    expect(JSON.stringify(tool)).not.toContain('$ref')
  })

  it('marks a group read-only if every action is, and destructive if one action is', async () => {
    const tools = await listed([
      commandOf('a-read', { mutation: false }),
      commandOf('b-read', { mutation: false }),
      commandOf('b-purge', { mutation: true, destructive: true }),
      commandOf('c-silent'),
    ])
    expect(tools.slice(0, 3).map((tool) => tool.annotations)).toEqual([
      { readOnlyHint: true },
      { readOnlyHint: false, destructiveHint: true },
      undefined,
    ])
  })

  it('shows requires, examples and contexts of each action in _meta', async () => {
    const [todo, order] = await listed([
      commandOf('todo-create', {
        requires: ['user-get'],
        examples: [{ title: 'One', input: {} }],
        contexts: ['work'],
        version: '1.0.0',
      }),
      commandOf('todo-list', { requires: ['todo-create'] }),
      commandOf('todo-count', { version: '1.0.0' }),
      commandOf('order-list', { version: '1.0.0' }),
    ])
    expect(todo?._meta).toEqual({
      actions: {
        create: { requires: ['user-get'], examples: [{ title: 'One', input: {} }], contexts: ['work'] },
        list: { requires: ['todo-create'] },
      },
    })
    expect(order).not.toHaveProperty('_meta')
  })

  it('shows only visible actions, and no group without a visible action', async () => {
    const tools = await listed(
      [
        commandOf('todo-create', { contexts: ['work'], input: z.object({ secretParam: z.string() }) }),
        commandOf('todo-list', { requires: ['login'] }),
        commandOf('order-list', { contexts: ['work'] }),
      ],
      { context: 'home', unexposed: [commandOf('vault-open')] },
    )
    expect(namesOf(tools)).toEqual(['todo', 'afd-call', 'afd-batch', 'afd-pipe'])
    expect(JSON.stringify(tools)).not.toMatch(/create|secretParam|order|vault/)
  })

  it('shows built-in commands next to the groups, each under its own name', async () => {
    const tools = await listed([...todos, ...createBootstrapCommands()])
    expect(namesOf(tools)).toEqual([
      ...['todo', 'order'],
      ...['afd-help', 'afd-docs', 'afd-schema'],
      ...['afd-call', 'afd-batch', 'afd-pipe'],
    ])
  })

  it.each(['Time Tracking', 'Zeit & Geld', '日本', '__proto__', 'x'.repeat(100)])(
    'gives a legal name to the group of category %j',
    async (category) => {
      const [group] = await listed([commandOf('time-start', { category })])
      expect(group?.name).toMatch(/^[A-Za-z0-9_.-]{1,64}$/)
      expect(group?.description).toContain(category)
    },
  )

  it.each(['afd-call', 'afd-batch', 'afd-help'])(
    'gives no group the name %s, because a tool of the server has that name',
    async (category) => {
      const names = namesOf(await listed([commandOf('time-start', { category }), ...createBootstrapCommands()]))
      expect(names).toHaveLength(7)
      expect(new Set(names).size).toBe(7)
    },
  )

  it('groups commands by the groupBy function', async () => {
    const tools = await listed(todos, {}, ({ name }: { name: string }) =>
      name.endsWith('list') ? 'Reading' : 'Writing',
    )
    expect(namesOf(tools).slice(0, 2)).toEqual(['Writing', 'Reading'])
  })

  it.each([
    ['throws', () => raiseError()],
    ['gives a number', () => 7],
    ['gives an object', () => ({})],
    ['gives null', () => null],
    ['gives an empty text', () => ''],
    ['gives nothing', () => undefined],
  ])('falls back to the category if groupBy %s', async (_, groupBy) => {
    expect(namesOf(await listed(todos, {}, groupBy)).slice(0, 2)).toEqual(['todo', 'order'])
  })

  it('refuses a groupBy that is not a function, and unknown options', () => {
    expect(() => grouped.create({ groupBy: 'category' }, plain)).toThrow("strategyOptions of 'grouped'")
    expect(() => grouped.create({ gruopBy: () => 'x' }, plain)).toThrow('gruopBy')
  })
})

describe('a call to a group', () => {
  it.each([
    ['todo', { action: 'create', params: { title: 'x' } }, 'commands:todo-create', { title: 'x' }],
    ['todo', { action: 'list' }, 'commands:todo-list', {}],
    ['todo', { action: 'todo-list' }, 'commands:todo-list', {}],
    ['todo', { action: 'list', params: '{"limit":5}' }, 'commands:todo-list', { limit: 5 }],
    ['todo', '{"action":"list"}', 'commands:todo-list', {}],
  ])('runs the action of a call to the group %s with %j', async (name, args, id, input) => {
    const { strategy, view } = await open()
    await strategy.call?.(name, args, view)
    expect(view.calls).toEqual([['invoke', id, input]])
  })

  it('returns the result unchanged', async () => {
    const answer = { success: true, data: 7, reasoning: 'Lucky' } as const
    const { strategy, view } = await open(todos, { answer })
    expect(await strategy.call?.('order', { action: 'list' }, view)).toBe(answer)
  })

  it('runs the command of a group and action even if the name of the command has another prefix', async () => {
    const commands = [commandOf('order-audit', { category: 'Admin Tools' }), commandOf('admin-audit')]
    const { strategy, view } = await open(commands)
    await strategy.call?.('Admin_Tools', { action: 'order-audit' }, view)
    await strategy.call?.('admin', { action: 'audit' }, view)
    expect(view.calls.map(([, name]) => name)).toEqual(['commands:order-audit', 'commands:admin-audit'])
    const byFn = await open(todos, {}, () => 'Everything')
    await byFn.strategy.call?.('Everything', { action: 'todo-create' }, byFn.view)
    expect(byFn.view.calls.map(([, name]) => name)).toEqual(['commands:todo-create'])
  })

  it.each([
    ['no arguments', undefined, '`action` is missing'],
    ['no action', { params: {} }, '`action` is missing'],
    ['an action that is not a string', { action: 7 }, '`action` is not a string'],
    ['an unknown action', { action: 'crate' }, "it has no action 'crate'"],
    ['an action of another group', { action: 'order-list' }, "it has no action 'order-list'"],
    ['an action named like an inherited property', { action: 'constructor' }, "it has no action 'constructor'"],
    ['params that are not an object', { action: 'list', params: [1] }, '`params` is not an object'],
    ['params that are not JSON', { action: 'list', params: '{oops' }, '`params` is not an object'],
    ['params that are null', { action: 'list', params: null }, '`params` is not an object'],
    ['arguments that are not an object', [1], 'the arguments are not an object'],
  ])(
    'answers INVALID_GROUPED_CALL, and names the actions of the group, if a call has %s',
    async (_what, args, reason) => {
      const { strategy, view } = await open()
      const result = await strategy.call?.('todo', args, view)
      expect(result?.error).toMatchObject({
        code: 'INVALID_GROUPED_CALL',
        message: `Cannot call 'todo': ${reason}`,
        suggestion: expect.stringContaining("its actions are 'create', 'list'."),
        details: { actions: ['create', 'list'] },
      })
      expect(view.calls).toEqual([])
    },
  )

  it('suggests the nearest visible action, and never one that is not visible', async () => {
    const commands = [commandOf('todo-create'), commandOf('todo-delete', { contexts: ['admin'] })]
    const { strategy, view } = await open(commands, { context: 'home' })
    const near = await strategy.call?.('todo', { action: 'craete' }, view)
    expect(near?.error?.suggestion).toContain("Did you mean 'create'?")
    const hidden = await strategy.call?.('todo', { action: 'delet' }, view)
    expect(JSON.stringify(hidden)).not.toContain('delete')
  })

  it('passes on an action that is not visible, so that the refusal gives the reason', async () => {
    const { strategy, view } = await open([commandOf('todo-delete', { contexts: ['admin'] }), commandOf('todo-list')], {
      context: 'home',
    })
    await strategy.call?.('todo', { action: 'delete' }, view)
    expect(view.calls).toEqual([['invoke', 'commands:todo-delete', {}]])
  })

  it('gives a suggestion without an empty list if no action of the group is visible', async () => {
    const { strategy, view } = await open([commandOf('todo-delete', { contexts: ['admin'] })], { context: 'home' })
    const result = await strategy.call?.('todo', {}, view)
    expect(result?.error?.suggestion ?? '').not.toMatch(/actions are \.$/)
  })

  it('does not handle a call to a name that is not a group', async () => {
    const { strategy, view } = await open()
    for (const name of ['todo-create', 'nope', '', '__proto__']) expect(strategy.call?.(name, {}, view)).toBeUndefined()
  })

  it('uses the same action names for callers that see only part of the group', async () => {
    const commands = [commandOf('todo-create'), commandOf('create', { category: 'todo', contexts: ['admin'] })]
    const propertiesIn = async (options: ViewOptions) => {
      const [group] = await listed(commands, options)
      return group?.inputSchema.properties
    }
    expect(await propertiesIn({})).toMatchObject({ action: { enum: ['todo-create', 'create'] } })
    expect(await propertiesIn({ context: 'home' })).toMatchObject({ action: { enum: ['todo-create'] } })
  })
})
