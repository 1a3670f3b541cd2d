import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { success } from '../core/result.ts'
import { commandOf } from '../sources/commands/command.fixture.ts'
import { createCommandRegistry } from './command-registry.ts'
import { createDirectClient, type DirectClient } from './direct-client.ts'

function clientOf(ran: string[] = []): DirectClient {
  const registry = createCommandRegistry({
    middleware: [
      (name, _input, _context, next) => {
        ran.push(name)
        return next()
      },
    ],
  })
  registry.register(
    commandOf('todo-create', { input: z.object({ title: z.string() }) }),
    commandOf('todo-list', { handler: () => success([1, 2]) }),
  )
  return createDirectClient(registry)
}

describe('a direct client', () => {
  it('calls a command through the middleware and validation of the registry', async () => {
    const ran: string[] = []
    const client = clientOf(ran)
    expect(await client.call('todo-create', { title: 'x' })).toMatchObject({
      success: true,
      data: { input: { title: 'x' } },
    })
    expect((await client.call('todo-create', {})).error?.code).toBe('VALIDATION_ERROR')
    expect((await client.call('todo-list')).data).toEqual([1, 2])
    expect(ran).toEqual(['todo-create', 'todo-list'])
  })

  it('answers an unknown name with the most similar names', async () => {
    expect((await clientOf().call('todo-craete')).error).toEqual({
      code: 'COMMAND_NOT_FOUND',
      message: "No command named 'todo-craete'",
      suggestion: "Did you mean 'todo-create'? Use afd-call with command 'afd-discover' to list all commands.",
      details: { similar: ['todo-create', 'todo-list'] },
    })
    expect((await clientOf().call('xylophone')).error?.details).toBeUndefined()
  })

  it("calls the server's own tools, which errors suggest", async () => {
    expect(await clientOf().call('afd-discover', { search: 'create' })).toMatchObject({
      data: { commands: [{ name: 'todo-create' }] },
    })
    expect(await clientOf().call('afd-detail', { command: 'todo-create' })).toMatchObject({ data: [{ found: true }] })
  })

  it('runs batches and pipes', async () => {
    const ran: string[] = []
    const client = clientOf(ran)
    expect(await client.batch({ commands: [{ command: 'todo-list' }, { command: 'todo-lst' }] })).toMatchObject({
      results: [
        { result: { success: true } },
        { result: { error: { details: { similar: ['todo-list', 'todo-create'] } } } },
      ],
    })
    expect(await client.pipe({ steps: [{ command: 'todo-list' }] })).toMatchObject({ data: [1, 2] })
    expect(ran).toEqual(['todo-list', 'todo-list'])
  })

  it('passes the option `context` on to the registry', async () => {
    const client = clientOf()
    const { error } = await client.call('todo-list', {}, { context: 'nope' })
    expect(error?.code).toBe('CONTEXT_NOT_FOUND')
  })
})
