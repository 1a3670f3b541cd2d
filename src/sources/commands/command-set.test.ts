import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ToolcribError } from '../../core/errors.ts'
import { type CommandResult, failure, success } from '../../core/result.ts'
import { sourceContract } from '../source.contract.ts'
import { contextOf } from '../source.fixture.ts'
import { commandOf, namesOf } from './command.fixture.ts'
import { createCommandSet, createCommandSource } from './command-set.ts'

function codeOf(action: () => void): string | undefined {
  try {
    action()
  } catch (error) {
    return error instanceof ToolcribError ? error.code : String(error)
  }
  return undefined
}

describe('a command set', () => {
  it('keeps commands by name, in the order of registration', () => {
    const create = commandOf('todo-create')
    const set = createCommandSet([create])
    set.register(commandOf('todo-list'), commandOf('a'))
    expect(namesOf(set.list())).toEqual(['todo-create', 'todo-list', 'a'])
    expect(set.get('todo-create')).toBe(create)
    expect(set.get('todo-delete')).toBeUndefined()
    expect([set.has('a'), set.has('b'), set.has('__proto__')]).toEqual([true, false, false])
  })

  it('refuses a command if its name is already registered, and shows the name', () => {
    const set = createCommandSet([commandOf('todo-create')])
    expect(() => set.register(commandOf('todo-create'))).toThrow("'todo-create'")
    expect(codeOf(() => set.register(commandOf('todo-create')))).toBe('DUPLICATE_COMMAND')
  })

  it('refuses a list that contains the same name twice', () => {
    expect(codeOf(() => createCommandSet([commandOf('a'), commandOf('a')]))).toBe('DUPLICATE_COMMAND')
  })

  it('refuses a value that is not a command, and shows its position in the list', () => {
    const set = createCommandSet()
    // A program without types can pass this.
    const wrong = [undefined, null, 'todo', { name: 'todo-list' }] as never[]
    for (const one of wrong) {
      expect(() => set.register(commandOf('a'), one)).toThrow(
        /entry 2: expected the result of defineCommand\(\), found (nothing|null|'todo'|an object)/,
      )
    }
    expect(set.list()).toEqual([])
  })

  it('registers all commands of a list or none, and calls no listener if it registers none', () => {
    const set = createCommandSet([commandOf('b')])
    let notified = 0
    set.onChange(() => notified++)
    expect(codeOf(() => set.register(commandOf('a'), commandOf('b'), commandOf('c')))).toBe('DUPLICATE_COMMAND')
    expect(namesOf(set.list())).toEqual(['b'])
    expect(notified).toBe(0)
  })

  it('returns a copy of its list, so that callers cannot change it', () => {
    const set = createCommandSet([commandOf('a')])
    const list = set.list() as unknown[] // a caller without types can do this
    list.push('rubbish')
    expect(namesOf(set.list())).toEqual(['a'])
  })

  it('calls each listener once per registration, until it unsubscribes', () => {
    const set = createCommandSet()
    let notified = 0
    const stop = set.onChange(() => notified++)
    set.register(commandOf('a'), commandOf('b'))
    expect(notified).toBe(1)
    stop()
    set.register(commandOf('c'))
    expect(notified).toBe(1)
  })
})

describe('a listener that throws', () => {
  it('a listener that throws does not stop the registration or the other listeners', () => {
    const set = createCommandSet()
    let notified = 0
    set.onChange(() => {
      throw new Error('listener')
    })
    set.onChange(() => notified++)
    codeOf(() => set.register(commandOf('a')))
    expect(set.has('a')).toBe(true)
    expect(notified).toBe(1)
  })
})

describe('listing a command set', () => {
  const set = createCommandSet([
    commandOf('todo-create', { tags: ['crud', 'write'] }),
    commandOf('todo-list', { tags: ['crud', 'read'] }),
    commandOf('order-audit', { category: 'todo', tags: ['read'] }),
    commandOf('analytics'),
  ])

  it('lists the commands of a category: the given one, or the first word of the name', () => {
    expect(namesOf(set.listByCategory('todo'))).toEqual(['todo-create', 'todo-list', 'order-audit'])
    expect(namesOf(set.listByCategory('order'))).toEqual([])
    expect(namesOf(set.listByCategory('analytics'))).toEqual(['analytics'])
  })

  it('lists commands with any of the tags by default, and with all of them on request', () => {
    expect(namesOf(set.listByTags(['write', 'read']))).toEqual(['todo-create', 'todo-list', 'order-audit'])
    expect(namesOf(set.listByTags(['crud', 'read'], 'any'))).toEqual(['todo-create', 'todo-list', 'order-audit'])
    expect(namesOf(set.listByTags(['crud', 'read'], 'all'))).toEqual(['todo-list'])
    expect(namesOf(set.listByTags(['none']))).toEqual([])
  })

  it("lists no command for an empty list of tags with mode 'any', and every command with mode 'all'", () => {
    expect(namesOf(set.listByTags([], 'any'))).toEqual([])
    expect(set.listByTags([], 'all')).toHaveLength(4)
  })

  it('exposes commands as their `expose` sets it, and by default only to the palette and to agents', () => {
    const exposed = createCommandSet([
      commandOf('silent'),
      commandOf('remote', { expose: { mcp: true, palette: false } }),
      commandOf('hidden', { expose: { palette: false, agent: false, mcp: false, cli: false } }),
      commandOf('shell', { expose: { cli: true } }),
    ])
    expect(namesOf(exposed.listByExposure('palette'))).toEqual(['silent', 'shell'])
    expect(namesOf(exposed.listByExposure('agent'))).toEqual(['silent', 'remote', 'shell'])
    expect(namesOf(exposed.listByExposure('mcp'))).toEqual(['remote'])
    expect(namesOf(exposed.listByExposure('cli'))).toEqual(['shell'])
  })
})

const { signal } = new AbortController()

const add = commandOf('sum-add', {
  input: z.object({ a: z.number(), b: z.number().default(1) }),
  // The schema above accepts only numbers.
  handler: (input) => success({ sum: (input as { a: number; b: number }).a + (input as { b: number }).b }),
})

sourceContract('a command source', () => {
  const commands = createCommandSet([add, commandOf('todo-create')])
  const unexposed = createCommandSet([commandOf('todo-purge')])
  return {
    source: createCommandSource({ id: 'commands', commands, unexposed }),
    sample: { name: 'sum-add', input: { a: 2 }, data: { sum: 3 } },
    change: () => commands.register(commandOf('todo-list')),
  }
})

describe('a command source', () => {
  it('lists commands in the order of registration, with unexposed ones last and marked', async () => {
    const source = createCommandSource({
      id: 'commands',
      commands: createCommandSet([commandOf('b'), commandOf('a')]),
      unexposed: createCommandSet([commandOf('c')]),
    })
    const entries = await source.list(signal)
    expect(namesOf(entries)).toEqual(['b', 'a', 'c'])
    expect(entries.map((entry) => entry.unexposed)).toEqual([undefined, undefined, true])
  })

  it('lists a command that is in both sets once, as an exposed one', async () => {
    const both = commandOf('todo-create')
    const source = createCommandSource({
      id: 'commands',
      commands: createCommandSet([both]),
      unexposed: createCommandSet([both]),
    })
    const entries = await source.list(signal)
    expect(entries).toHaveLength(1)
    expect(entries[0]?.unexposed).toBeUndefined()
  })

  it('never calls an unexposed command', async () => {
    const source = createCommandSource({
      id: 'commands',
      commands: createCommandSet(),
      unexposed: createCommandSet([commandOf('todo-purge')]),
    })
    await expect(source.call('todo-purge', {}, contextOf())).rejects.toThrow("'todo-purge'")
  })

  it('notifies listeners of changes to the unexposed commands too', () => {
    const unexposed = createCommandSet()
    const source = createCommandSource({ id: 'commands', commands: createCommandSet(), unexposed })
    let notified = 0
    const stop = source.onChange?.(() => notified++)
    unexposed.register(commandOf('a'))
    stop?.()
    unexposed.register(commandOf('b'))
    expect(notified).toBe(1)
  })

  it('copies the metadata that the author set, and leaves out the fields that the author did not set', async () => {
    const traits = {
      version: '2.1.0',
      mutation: true,
      destructive: true,
      confirmPrompt: 'Sure?',
      executionTime: 'slow',
      errors: ['GONE'],
      requires: ['todo-list'],
      examples: [{ input: { id: 1 } }],
      contexts: ['work'],
      handoff: true,
      handoffProtocol: 'websocket',
    } as const
    const rich = commandOf('todo-purge', { title: 'Purge', category: 'Admin', tags: ['danger'], ...traits })
    const source = createCommandSource({ id: 'commands', commands: createCommandSet([rich, commandOf('plain')]) })
    const [first, second] = await source.list(signal)
    expect(first).toMatchObject({ title: 'Purge', category: 'Admin', tags: ['danger'] })
    expect(first?.traits).toEqual(traits)
    expect(second?.traits).toEqual({})
    expect(second).not.toHaveProperty('category')
    expect(second).not.toHaveProperty('validateOutput')
  })

  it('checks output with the output schema of the command', async () => {
    const typed = commandOf('typed', { output: z.object({ id: z.string() }) })
    const source = createCommandSource({ id: 'commands', commands: createCommandSet([typed]) })
    const [entry] = await source.list(signal)
    expect(await entry?.validateOutput?.({ id: 'x' })).toEqual({ ok: true, value: { id: 'x' } })
    expect(await entry?.validateOutput?.({ id: 1 })).toMatchObject({ ok: false })
  })

  it('drops the `wire` field of a result, which only an upstream server may set', async () => {
    const forged = { success: true, data: 1, wire: { content: [{ type: 'text', text: 'forged' }] } }
    const commands = createCommandSet([commandOf('forges', { handler: () => forged as CommandResult })])
    const source = createCommandSource({ id: 'commands', commands })
    expect(await source.call('forges', {}, contextOf())).toEqual({ success: true, data: 1 })
  })

  it('returns the result of the handler, even if it is a failure, and rethrows an error of the handler', async () => {
    const failing = failure({ code: 'GONE', message: 'It is gone' })
    const commands = createCommandSet([
      commandOf('fails', { handler: () => failing }),
      commandOf('throws', {
        handler: () => {
          throw new Error('boom')
        },
      }),
    ])
    const source = createCommandSource({ id: 'commands', commands })
    expect(await source.call('fails', {}, contextOf())).toBe(failing)
    await expect(source.call('throws', {}, contextOf())).rejects.toThrow('boom')
  })
})
