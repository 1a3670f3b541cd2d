import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { CommandContext, Middleware } from '../core/call.ts'
import { failure, success } from '../core/result.ts'
import { commandOf } from '../sources/commands/command.fixture.ts'
import { defineBuiltin } from '../sources/commands/define.ts'
import { createRunner } from './dispatch.fixture.ts'
import type { CommandEvent } from './dispatch.ts'

/** A middleware that logs when it begins and ends. */
function noting(name: string, log: string[]): Middleware {
  return async (_command, _input, _context, next) => {
    log.push(`${name} in`)
    const result = await next()
    log.push(`${name} out`)
    return result
  }
}

function thrower(error: unknown): () => never {
  return () => {
    throw error
  }
}

describe('a call', () => {
  it('validates the input, then runs the middleware in order, then the handler', async () => {
    const log: string[] = []
    const input = z.object({ id: z.string().transform((id) => log.push('validate') && id) })
    const command = commandOf('a', { input, handler: () => success(log.push('handler')) })
    const run = await createRunner([command], { middleware: [noting('one', log), noting('two', log)] })
    await run('a', { id: 'x' })
    expect(log).toEqual(['validate', 'one in', 'two in', 'handler', 'two out', 'one out'])
  })

  it('gives the validated input with its defaults to the handler and the middleware', async () => {
    const seen: unknown[] = []
    const command = commandOf('a', {
      input: z.object({ n: z.coerce.number(), unit: z.string().default('ms') }),
      handler: (input) => success(seen.push(input)),
    })
    const middleware: Middleware = (name, input, _context, next) => {
      seen.push(name, input)
      return next()
    }
    await (await createRunner([command], { middleware: [middleware] }))('a', { n: '5', extra: 1 })
    expect(seen).toEqual(['a', { n: 5, unit: 'ms' }, { n: 5, unit: 'ms' }])
  })

  it('returns the result of the handler unchanged', async () => {
    const results = [
      success({ id: 1 }, { confidence: 0.5, reasoning: 'Why not', warnings: [{ code: 'W', message: 'w' }] }),
      failure({ code: 'GONE', message: 'It is gone', retryable: true }),
    ]
    for (const result of results) {
      expect(await (await createRunner([commandOf('a', { handler: () => result })]))('a')).toBe(result)
    }
  })

  it('skips the author’s middleware for a built-in', async () => {
    const log: string[] = []
    const help = defineBuiltin({
      name: 'afd-help',
      description: 'Help.',
      input: z.object({}),
      handler: () => success('helped'),
    })
    const run = await createRunner([help, commandOf('a')], { middleware: [noting('one', log)] })
    expect(await run('afd-help')).toEqual(success('helped'))
    expect(log).toEqual([])
    await run('a')
    expect(log).toEqual(['one in', 'one out'])
  })

  it('fails a call with SERVER_UNAVAILABLE if the source of the tool was removed', async () => {
    const thrown: unknown[] = []
    const run = await createRunner([commandOf('a')], {
      source: () => undefined,
      onThrown: (error) => thrown.push(error),
    })
    expect((await run('a')).error).toMatchObject({
      code: 'SERVER_UNAVAILABLE',
      message: "Server 'commands' is not available: it was removed",
      suggestion: 'Use another tool.',
      retryable: false,
      details: { server: 'commands', tool: 'a' },
    })
    expect(thrown).toEqual([])
  })
})

describe('input', () => {
  const order = commandOf('order-create', {
    input: z.object({ customerId: z.string(), items: z.array(z.string()), note: z.string().optional() }),
  })

  it('refuses invalid input, names every invalid field, the signature and the tool to call next, and runs nothing', async () => {
    const log: string[] = []
    const run = await createRunner([order], { middleware: [noting('one', log)] })
    const result = await run('order-create', { items: 7 })
    expect(result.error).toEqual({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(
        /^Invalid input for 'order-create': Required field 'customerId' is missing; Field 'items': expected array/,
      ),
      suggestion: "Call afd-detail with command 'order-create' to see the expected input schema.",
      details: {
        issues: [
          { path: 'customerId', message: "Required field 'customerId' is missing" },
          { path: 'items', message: expect.stringContaining("Field 'items'") },
        ],
        expected: 'order-create(customerId, items[], note?)',
      },
    })
    expect(log).toEqual([])
  })

  it('decodes input that is a JSON string, and fields that are JSON strings', async () => {
    const run = await createRunner([order])
    const data = { input: { customerId: 'c', items: ['x'] } }
    expect(await run('order-create', '{"customerId":"c","items":["x"]}')).toMatchObject({ data })
    expect(await run('order-create', { customerId: 'c', items: '["x"]' })).toMatchObject({ data })
  })

  it('treats absent input as an empty object, and refuses other values that are not objects', async () => {
    const run = await createRunner([commandOf('a')])
    expect(await run('a', undefined)).toMatchObject({ data: { input: {} } })
    for (const bad of ['text', '', '[]', 7, false, [], '{oops']) {
      expect((await run('a', bad)).error?.code).toBe('VALIDATION_ERROR')
    }
  })

  it('refuses null as input', async () => {
    expect((await (await createRunner([commandOf('a')]))('a', null)).error?.code).toBe('VALIDATION_ERROR')
  })

  it('waits for an asynchronous input check', async () => {
    const input = z.object({ id: z.string().refine(async (id) => id !== 'taken', 'is taken') })
    const run = await createRunner([commandOf('a', { input })])
    expect(await run('a', { id: 'free' })).toMatchObject({ success: true })
    expect((await run('a', { id: 'taken' })).error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('is taken'),
    })
  })

  it('does not change Object.prototype when the input contains __proto__', async () => {
    const run = await createRunner([commandOf('a')])
    await run('a', JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'))
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('onCommand', () => {
  it('calls onCommand once for every call that ran, even if it failed, and never for refused calls', async () => {
    const events: CommandEvent[] = []
    const commands = [
      commandOf('good', { input: z.object({ n: z.number().default(1) }) }),
      commandOf('bad', { handler: thrower(new Error('no')) }),
    ]
    const run = await createRunner(commands, { onCommand: (event) => void events.push(event) })
    await run('good', {}, { traceId: 't1' })
    await run('bad')
    await run('good', { n: 'x' })
    expect(events.map(({ command, input, result }) => [command, input, result.success])).toEqual([
      ['good', { n: 1 }, true],
      ['bad', {}, false],
    ])
    expect(events[0]?.context.traceId).toBe('t1')
    expect(events[0]?.durationMs).toBeGreaterThanOrEqual(0)
  })

  it('calls onCommand once when a middleware calls next() twice', async () => {
    let told = 0
    const twice: Middleware = async (_name, _input, _context, next) => {
      await next()
      return next()
    }
    const run = await createRunner([commandOf('a')], { middleware: [twice], onCommand: () => void told++ })
    await run('a')
    expect(told).toBe(1)
  })

  it('returns the result unchanged when onCommand throws', async () => {
    const run = await createRunner([commandOf('a')], { onCommand: thrower(new Error('listener')) })
    expect(await run('a')).toMatchObject({ success: true })
  })
})

describe('the context of a call', () => {
  it('the later middleware and the handler get the context with which a middleware calls next()', async () => {
    const seen: CommandContext[] = []
    const adding: Middleware = (_name, _input, context, next) => next({ ...context, user: 'alice' })
    const reading: Middleware = (_name, _input, context, next) => {
      expect(context.user).toBe('alice')
      return next()
    }
    const command = commandOf('order-create', { handler: (_input, context) => success(seen.push(context)) })
    await (await createRunner([command], { middleware: [adding, reading] }))('order-create')
    expect(seen[0]?.user).toBe('alice')
  })
})
