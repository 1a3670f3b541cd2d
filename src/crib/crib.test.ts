import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { CommandContext } from '../core/call.ts'
import { ToolcribError } from '../core/errors.ts'
import { success } from '../core/result.ts'
import { strategies } from '../disclosure/strategies/builtins.ts'
import { createBootstrapCommands } from '../sources/commands/builtin-commands.ts'
import { commandOf, namesOf } from '../sources/commands/command.fixture.ts'
import { scriptedSource } from '../sources/source.fixture.ts'
import { cribOf, requestOf } from './crib.fixture.ts'
import { createCrib } from './crib.ts'

describe('a crib', () => {
  it('refuses an unknown strategy, and lists the existing ones', () => {
    try {
      cribOf([], { strategy: 'psychic' })
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(ToolcribError)
      expect(error).toMatchObject({ code: 'UNKNOWN_STRATEGY', suggestion: expect.stringContaining("'lazy'") })
    }
  })

  it('refuses options that its strategy does not have', () => {
    expect(() => cribOf([], { strategy: 'lazy', strategyOptions: { speed: 11 } })).toThrow('speed')
  })

  it.each(['individual', 'grouped', 'lazy'])(
    'gives the same result for a command on every path under %s',
    async (strategy) => {
      const crib = cribOf([commandOf('todo-create', { input: z.object({ title: z.string() }) })], { strategy })
      const input = { title: 'Milk' }
      const expected = success({ command: 'todo-create', input })
      expect(await crib.call('todo-create', input, requestOf())).toEqual(expected)
      expect(await crib.call('commands:todo-create', input, requestOf())).toEqual(expected)
      expect(await crib.execute('todo-create', input, requestOf())).toEqual(expected)
      expect(await crib.call('afd-call', { command: 'todo-create', input }, requestOf())).toEqual(expected)
      expect(await crib.execute('afd-call', { command: 'todo-create', input }, requestOf())).toEqual(expected)
      const batch = await crib.call('afd-batch', { commands: [{ command: 'todo-create', input }] }, requestOf())
      expect(batch).toMatchObject({ results: [{ result: expected }] })
      expect(await crib.batch({ commands: [{ command: 'todo-create', input }] }, requestOf())).toMatchObject({
        results: [{ result: expected }],
      })
      const pipe = await crib.call('afd-pipe', { steps: [{ command: 'todo-create', input }] }, requestOf())
      expect(pipe).toMatchObject({ data: expected.data })
      expect(await crib.pipe({ steps: [{ command: 'todo-create', input }] }, requestOf())).toMatchObject({
        data: expected.data,
      })
    },
  )

  it.each([
    ['gateway', 'serch_tools', 'search_tools'],
    ['categories', 'list_tool_category', 'list_tool_categories'],
    ['lazy', 'afd-discovr', 'afd-discover'],
    ['grouped', 'ordr', 'order'],
  ])('with strategy %s, answers the unknown name %s with the suggestion %s', async (strategy, wrong, meant) => {
    const crib = cribOf([commandOf('order-list'), commandOf('order-create')], { strategy })
    const { error } = await crib.call(wrong, {}, requestOf())
    expect(error?.details?.similar).toContain(meant)
    expect(error?.suggestion).toContain(`'${meant}'`)
  })

  it.each(['afd-cal', 'afd-exec', 'afd-delete-all', 'AFD-call'])(
    'suggests for %s only tools of the server itself, and no command with a similar name',
    async (name) => {
      const commands = ['app-delete', 'add-call', 'fd-delete-all', 'afds-call'].map((one) => commandOf(one))
      const { error } = await cribOf(commands, { strategy: 'lazy' }).call(name, {}, requestOf())
      const similar = error?.details?.similar as readonly string[] // the errors for these names have it
      expect(similar.length).toBeGreaterThan(0)
      expect(similar.filter((one) => !one.startsWith('afd-'))).toEqual([])
    },
  )

  it.each([...strategies.keys()])(
    'answers afd-call, afd-batch, afd-pipe and afd-detail under %s, listed or not',
    async (strategy) => {
      const crib = cribOf([commandOf('order-list')], { strategy })
      const run = (name: string, args: unknown) => crib.call(name, args, requestOf('one'))
      const entry = { command: 'order-list' }
      expect(await run('afd-call', entry)).toMatchObject({ success: true, data: entry })
      expect(await run('afd-batch', { commands: [entry] })).toMatchObject({ summary: { successCount: 1 } })
      expect(await run('afd-pipe', { steps: [entry] })).toMatchObject({ success: true, data: entry })
      expect(await run('afd-detail', entry)).toMatchObject({ data: [{ found: true }] })
    },
  )

  it.each([
    ['gateway', 'execute_tool', { server: 'commands', tool: 'order-list', a: 1, b: 2 }, '`arguments`'],
    ['lazy', 'afd-call', { command: 'order-list', a: 1, b: 2 }, '`input`'],
  ])('with strategy %s, names the right field for misplaced arguments of %s', async (strategy, name, args, where) => {
    const { error } = await cribOf([commandOf('order-list')], { strategy }).call(name, args, requestOf())
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR' })
    expect(error?.suggestion).toContain(`into ${where}: 'a', 'b'.`)
  })

  it('reports each choice of its strategy once', async () => {
    const lines: string[] = []
    const crib = cribOf([commandOf('order-list')], {
      strategy: 'auto',
      onChoice: (line) => lines.push(line),
    })
    await crib.list(requestOf())
    await crib.list(requestOf())
    expect(lines).toEqual([
      expect.stringMatching(/^auto lists as individual: 1 tool costs .* \(tokens: individual \d+, gateway [\d,]+\)$/),
    ])
  })

  it('prefers the group in `call` and the command in `execute` if both have the same name', async () => {
    const crib = cribOf([commandOf('analytics'), commandOf('analytics-run')], { strategy: 'grouped' })
    expect(await crib.call('analytics', { action: 'run' }, requestOf())).toMatchObject({
      data: { command: 'analytics-run' },
    })
    expect((await crib.call('analytics', {}, requestOf())).error?.code).toBe('INVALID_GROUPED_CALL')
    expect(await crib.execute('analytics', { action: 'run' }, requestOf())).toMatchObject({
      data: { command: 'analytics', input: { action: 'run' } },
    })
  })

  it('answers COMMAND_NOT_FOUND if `execute` gets the name of a group', async () => {
    const crib = cribOf([commandOf('todo-create')], { strategy: 'grouped' })
    expect((await crib.execute('todo', { action: 'create' }, requestOf())).error?.code).toBe('COMMAND_NOT_FOUND')
  })

  it('runs middleware once on every path that runs a command, and never for introspection', async () => {
    const ran: string[] = []
    const crib = cribOf([commandOf('todo-create'), ...createBootstrapCommands()], {
      strategy: 'grouped',
      contexts: ['work'],
      calls: {
        middleware: [
          (name, _input, _context, next) => {
            ran.push(name)
            return next()
          },
        ],
      },
    })
    const look = ['afd-help', 'afd-discover', 'afd-context-list']
    for (const name of look) expect((await crib.call(name, {}, requestOf('s'))).success).toBe(true)
    await crib.call('afd-call', { command: 'afd-help' }, requestOf())
    expect(ran).toEqual([])
    await crib.call('todo', { action: 'create' }, requestOf())
    await crib.call('todo-create', {}, requestOf())
    await crib.call('afd-call', { command: 'todo-create' }, requestOf())
    await crib.call('afd-batch', { commands: [{ command: 'todo-create' }, { command: 'todo-create' }] }, requestOf())
    await crib.call('afd-pipe', { steps: [{ command: 'todo-create' }] }, requestOf())
    await crib.execute('todo-create', {}, requestOf())
    expect(ran).toHaveLength(7)
  })

  it('calls onCommand for each command that afd-call or afd-batch runs', async () => {
    const reported: string[] = []
    const crib = cribOf([commandOf('todo-create')], {
      strategy: 'lazy',
      calls: { onCommand: ({ command, context }) => void reported.push(`${command} ${context.traceId}`) },
    })
    await crib.call('afd-call', { command: 'todo-create' }, requestOf(undefined, { traceId: 't1' }))
    await crib.call('afd-batch', { commands: [{ command: 'todo-create' }] }, requestOf(undefined, { traceId: 't2' }))
    expect(reported).toEqual(['todo-create t1', 'todo-create t2'])
  })

  it('lets handlers introspect the server as this caller sees it', async () => {
    let seen: unknown
    const curious = commandOf('curious', {
      handler: async (_input, context: CommandContext) => {
        seen = await context.introspect()
        return success(null)
      },
    })
    const commands = [curious, commandOf('night-watch', { contexts: ['night'] }), commandOf('day-care')]
    const crib = cribOf(commands, {
      strategy: 'lazy',
      contexts: ['day', 'night'],
      unexposed: [commandOf('vault-open')],
    })
    await crib.execute('curious', {}, requestOf(undefined, { context: 'day' }))
    expect(seen).toMatchObject({ server: { name: 'test', version: '1.0.0' }, strategy: 'lazy' })
    expect(JSON.stringify(seen)).not.toMatch(/night-watch|vault-open/)
    expect(JSON.stringify(seen)).toContain('day-care')
  })

  it.each(['individual', 'grouped', 'lazy'])(
    'answers afd-help under %s with the guide of the strategy, also through afd-call',
    async (strategy) => {
      const crib = cribOf([commandOf('todo-create'), ...createBootstrapCommands()], { strategy })
      const help = await crib.call('afd-help', {}, requestOf())
      expect(help.data).toMatchObject({ strategy, guide: expect.stringContaining('afd-call') })
      expect(await crib.call('afd-call', { command: 'afd-help' }, requestOf())).toEqual(help)
      expect(await crib.call('afd-discover', { search: 'afd-help' }, requestOf())).toMatchObject({
        data: { filtered: 1 },
      })
    },
  )

  it("lists no name twice if a source has a tool named like one of the crib's own", async () => {
    const crib = createCrib({
      about: { name: 'test', version: '1' },
      sources: [scriptedSource('upstream', ['afd-call', 'read'])],
      strategy: 'individual',
    })
    const names = namesOf(await crib.list(requestOf()))
    expect(names).toHaveLength(5)
    expect(new Set(names).size).toBe(5)
  })

  it('uses its prefix for its own tools everywhere, also in messages', async () => {
    const crib = cribOf([commandOf('todo-create', { contexts: ['work'] })], {
      strategy: 'lazy',
      prefix: 'acme',
      contexts: ['work', 'home'],
    })
    const listed = await crib.list(requestOf())
    expect(namesOf(listed)).toEqual(['discover', 'detail', 'call', 'batch', 'pipe'].map((tool) => `acme-${tool}`))
    const answers = [
      await crib.call('todo-craete', {}, requestOf()),
      await crib.call('acme-call', { command: 'todo-create', context: 'home' }, requestOf()),
      await crib.call('acme-context-enter', { context: 'work' }, requestOf()),
    ]
    expect(answers.map((answer) => answer.error?.code)).toEqual(['COMMAND_NOT_FOUND', 'CONTEXT_MISMATCH', 'NO_SESSION'])
    expect(JSON.stringify([listed, answers])).not.toContain('afd-')
  })

  it('gives the schema of a tool that the caller can call, and of no other', async () => {
    const crib = cribOf([commandOf('a', { input: z.object({ id: z.string() }) })], { unexposed: [commandOf('b')] })
    expect(await crib.inputSchemaOf('a', requestOf())).toMatchObject({ properties: { id: { type: 'string' } } })
    expect(await crib.inputSchemaOf('b', requestOf())).toBeUndefined()
    expect(await crib.inputSchemaOf('nope', requestOf())).toBeUndefined()
  })

  it('answers a request that was cancelled before it started with CANCELLED', async () => {
    const crib = cribOf([commandOf('a')])
    const gone = requestOf(undefined, { signal: AbortSignal.abort() })
    expect(await crib.call('a', {}, gone)).toMatchObject({ error: { code: 'CANCELLED' } })
    expect(await crib.execute('a', {}, gone)).toMatchObject({ error: { code: 'CANCELLED' } })
  })

  it('can be closed twice without an error', async () => {
    const crib = cribOf([commandOf('a')])
    await crib.list(requestOf())
    await crib[Symbol.asyncDispose]()
    await crib[Symbol.asyncDispose]()
  })
})

describe('a crib after a registration', () => {
  it('lists the new command, and can call it at once', async () => {
    const crib = cribOf([commandOf('a')])
    await crib.list(requestOf())
    crib.register(commandOf('b'))
    expect(await crib.call('b', {}, requestOf())).toMatchObject({ success: true })
    expect(namesOf(await crib.list(requestOf()))).toContain('b')
  })

  it.each([
    ['individual', 1],
    ['grouped', 1],
    ['lazy', 0],
  ])('with strategy %s, the number of reported list changes after a new command is %i', async (strategy, expected) => {
    const crib = cribOf([commandOf('todo-create')], { strategy })
    let notifications = 0
    crib.onListChanged(requestOf().caller, () => notifications++)
    await crib.list(requestOf())
    crib.register(commandOf('todo-list'))
    await crib.list(requestOf())
    await new Promise((resolve) => setImmediate(resolve))
    expect(notifications).toBe(expected)
  })
})
