import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type CommandResult, failure, success } from '../../core/result.ts'
import { sourceContract } from '../source.contract.ts'
import { contextOf } from '../source.fixture.ts'
import { commandOf, namesOf } from './command.fixture.ts'
import { createCommandSet } from './command-set.ts'
import { createCommandSource } from './command-source.ts'

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

  it('exposes a command once when it is in both sets', async () => {
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
