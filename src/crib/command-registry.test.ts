import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { CommandContext } from '../core/call.ts'
import { success } from '../core/result.ts'
import { commandOf, namesOf } from '../sources/commands/command.fixture.ts'
import { createCommandRegistry } from './command-registry.ts'

const add = commandOf('sum-add', {
  input: z.object({ a: z.number(), b: z.number().default(1) }),
  handler: (input) => {
    const { a, b } = input as { a: number; b: number } // the schema above
    return success({ sum: a + b })
  },
})

describe('a command registry', () => {
  it('registers, finds and lists commands, and refuses a second command with the same name', () => {
    const registry = createCommandRegistry()
    registry.register(add, commandOf('todo-list', { tags: ['read'], expose: { mcp: true } }))
    expect(registry.get('sum-add')).toBe(add)
    expect([registry.has('sum-add'), registry.has('sum')]).toEqual([true, false])
    expect(namesOf(registry.list())).toEqual(['sum-add', 'todo-list'])
    expect(namesOf(registry.listByCategory('sum'))).toEqual(['sum-add'])
    expect(namesOf(registry.listByTags(['read']))).toEqual(['todo-list'])
    expect(namesOf(registry.listByExposure('mcp'))).toEqual(['todo-list'])
    expect(() => registry.register(add)).toThrow("'sum-add'")
  })

  it('runs a command with validated input, also right after its registration', async () => {
    const registry = createCommandRegistry()
    expect((await registry.execute('sum-add', { a: 1 })).error?.code).toBe('COMMAND_NOT_FOUND')
    registry.register(add)
    expect(await registry.execute('sum-add', { a: 1 })).toMatchObject({ success: true, data: { sum: 2 } })
    expect((await registry.execute('sum-add', { a: 'x' })).error?.code).toBe('VALIDATION_ERROR')
    expect((await registry.execute('sum-add')).error?.code).toBe('VALIDATION_ERROR')
  })

  it('runs every registered command, regardless of its exposure', async () => {
    const registry = createCommandRegistry()
    registry.register(commandOf('inner', { expose: { palette: false, agent: false, mcp: false, cli: false } }))
    expect((await registry.execute('inner')).success).toBe(true)
  })

  it('runs batches and pipelines', async () => {
    const registry = createCommandRegistry()
    registry.register(add)
    const batch = await registry.executeBatch({
      commands: [{ command: 'sum-add', input: { a: 1 } }, { command: 'nope' }],
    })
    expect(batch).toMatchObject({ success: true, summary: { total: 2, successCount: 1, failureCount: 1 } })
    const pipe = await registry.executePipeline({
      input: { a: 5 },
      steps: [
        { command: 'sum-add', input: '$input' },
        { command: 'sum-add', input: { a: '$prev.sum', b: 10 } },
      ],
    })
    expect(pipe).toMatchObject({ data: { sum: 16 }, metadata: { completedSteps: 2 } })
    expect(await registry.executePipeline({ steps: [] })).toMatchObject({ steps: [] })
  })

  it('traces every call by default, but not if other middleware is given', async () => {
    const registry = createCommandRegistry()
    registry.register(add)
    expect((await registry.execute('sum-add', { a: 1 })).metadata?.traceId).toEqual(expect.any(String))
    const bare = createCommandRegistry({ middleware: [async () => success('mine')] })
    bare.register(add)
    expect(await bare.execute('sum-add', { a: 1 })).toEqual(success('mine'))
  })

  it('passes the trace id, signal, progress, log and extra fields on to the handler, but not a forged `caller`', async () => {
    let seen: CommandContext | undefined
    const registry = createCommandRegistry({ middleware: [] })
    registry.register(
      commandOf('look', {
        handler: (_input, context) => {
          seen = context
          context.progress(1, 2, 'half')
          context.log('info', 'hello')
          return success(null)
        },
      }),
    )
    const said: unknown[] = []
    const { signal } = new AbortController()
    await registry.execute(
      'look',
      {},
      {
        traceId: 't1',
        signal,
        progress: (...args) => void said.push(args),
        log: (...args) => void said.push(args),
        tenant: 'acme',
        caller: 'forged',
      },
    )
    expect(seen).toMatchObject({ traceId: 't1', tenant: 'acme', caller: { principal: 'direct', era: 'direct' } })
    expect(seen?.signal).toBe(signal)
    expect(said).toEqual([
      [1, 2, 'half'],
      ['info', 'hello'],
    ])
  })

  it('answers CANCELLED to a call that is cancelled while it runs, and to one that was cancelled before', async () => {
    const registry = createCommandRegistry({ middleware: [] })
    const controller = new AbortController()
    registry.register(
      commandOf('hang', {
        handler: () => {
          controller.abort()
          return new Promise(() => {})
        },
      }),
    )
    expect((await registry.execute('hang', {}, { signal: controller.signal })).error?.code).toBe('CANCELLED')
    expect((await registry.execute('hang', {}, { signal: controller.signal })).error?.code).toBe('CANCELLED')
  })

  it('keeps the commands of two registries apart', () => {
    const [one, other] = [createCommandRegistry(), createCommandRegistry()]
    one.register(add)
    expect(other.list()).toEqual([])
  })
})
