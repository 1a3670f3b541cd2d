import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Middleware } from '../core/call.ts'
import { failure, isCommandResult, success } from '../core/result.ts'
import { commandOf } from '../sources/commands/command.fixture.ts'
import { createRunner } from './dispatch.fixture.ts'

function thrower(error: unknown): () => never {
  return () => {
    throw error
  }
}

describe('an input check that throws', () => {
  let unhandled: unknown[]
  const note = (reason: unknown) => unhandled.push(reason)
  beforeEach(() => {
    unhandled = []
    process.on('unhandledRejection', note)
  })
  afterEach(() => {
    process.off('unhandledRejection', note)
  })

  it.each([
    ['at once', thrower(new Error('boom'))],
    ['after a wait', async () => thrower(new Error('boom'))()],
  ])('fails the call without an unhandled rejection when an input check throws %s', async (_when, check) => {
    const run = await createRunner([commandOf('a', { input: z.object({ id: z.string().refine(check) }) })])
    expect(await run('a', { id: 'x' })).toMatchObject({
      error: { code: 'COMMAND_EXECUTION_ERROR', message: "'a' failed: boom" },
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).toEqual([])
  })
})

describe('a handler or a middleware that misbehaves', () => {
  it('turns an error thrown by a handler into COMMAND_EXECUTION_ERROR, without its stack', async () => {
    const error = new Error('disk full')
    const run = await createRunner([commandOf('a', { handler: thrower(error) })])
    const result = await run('a')
    expect(result.error).toMatchObject({ code: 'COMMAND_EXECUTION_ERROR', message: "'a' failed: disk full" })
    expect(JSON.stringify(result)).not.toContain('dispatch.faults.test')
  })

  it.each([
    ['failure(new Error())', () => failure(new Error('boom'))],
    // A JavaScript program can return this value.
    ['an object with an Error', () => ({ success: false, error: new Error('boom') }) as never],
  ])('keeps the message of an Error that a handler returns as %s', async (_how, handler) => {
    const run = await createRunner([commandOf('a', { handler })])
    const result = await run('a')
    expect(JSON.parse(JSON.stringify(result.error))).toMatchObject({ code: 'COMMAND_EXECUTION_ERROR', message: 'boom' })
  })

  it('shows the stack in devMode', async () => {
    const error = new Error('disk full')
    const run = await createRunner([commandOf('a', { handler: thrower(error) })], { devMode: true })
    expect((await run('a')).error?.details).toEqual({ stack: error.stack })
  })

  it('gives a middleware a failure for an error thrown by a handler', async () => {
    let seen: unknown
    const middleware: Middleware = async (_name, _input, _context, next) => {
      seen = (await next()).error?.code
      return success('mended')
    }
    const run = await createRunner([commandOf('a', { handler: thrower('x') })], { middleware: [middleware] })
    expect(await run('a')).toEqual(success('mended'))
    expect(seen).toBe('COMMAND_EXECUTION_ERROR')
  })

  it('turns an error thrown by a middleware into a failure, and does not run the handler', async () => {
    const ran: string[] = []
    const command = commandOf('a', { handler: () => success(ran.push('a')) })
    for (const middleware of [thrower(new Error('no')), async () => thrower(new Error('no'))()]) {
      const run = await createRunner([command], { middleware: [middleware] })
      expect(await run('a')).toMatchObject({ error: { code: 'COMMAND_EXECUTION_ERROR', message: "'a' failed: no" } })
    }
    expect(ran).toEqual([])
  })

  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    [[], 'an array'],
    ['done', 'a value of type string'],
    [{ data: 1 }, 'a value of type object'],
    [{ success: 'yes' }, 'a value of type object'],
    [{ success: false }, 'a value of type object'],
    [{ success: false, error: { code: 7 } }, 'a value of type object'],
  ])('turns an answer of %j into INVALID_RESULT', async (answer, kind) => {
    const unusable = "'a' ran, but its answer cannot be used:"
    const fromHandler = await createRunner([commandOf('a', { handler: () => answer as never })], {
      middleware: [(_name, _input, _context, next) => next()],
    })
    expect((await fromHandler('a')).error).toMatchObject({
      code: 'INVALID_RESULT',
      message: `${unusable} it returned ${kind}, not a CommandResult`,
      suggestion: expect.stringContaining('Its handler must return'),
    })
    const fromMiddleware = await createRunner([commandOf('a')], { middleware: [async () => answer as never] })
    expect((await fromMiddleware('a')).error).toMatchObject({
      code: 'INVALID_RESULT',
      message: `${unusable} a middleware returned ${kind}, not a CommandResult`,
      suggestion: expect.stringContaining('A middleware must return a CommandResult, such as that of next()'),
    })
  })

  it.each(['handler', 'middleware', 'input', 'output'] as const)(
    'returns a result for any value that the %s throws',
    async (where) => {
      const thrown = fc.anything({ withNullPrototype: true, withBigInt: true })
      await fc.assert(
        fc.asyncProperty(thrown, async (value) => {
          const boom = thrower(value)
          const command = commandOf('a', {
            ...(where === 'handler' ? { handler: boom } : {}),
            ...(where === 'input' ? { input: z.looseObject({}).refine(boom) } : {}),
            ...(where === 'output' ? { output: z.unknown().refine(boom) } : {}),
          })
          const run = await createRunner([command], { middleware: where === 'middleware' ? [boom] : [] })
          expect(isCommandResult(await run('a'))).toBe(true)
        }),
      )
    },
  )
})

describe('output', () => {
  const promised = { output: z.object({ id: z.string() }) }

  it('keeps output that does not match its schema, and adds a warning to the existing ones', async () => {
    const given = success({ id: 7 }, { warnings: [{ code: 'OLD', message: 'old' }] })
    const run = await createRunner([commandOf('a', { ...promised, handler: () => given })])
    expect(await run('a')).toMatchObject({
      success: true,
      data: { id: 7 },
      warnings: [
        { code: 'OLD' },
        { code: 'OUTPUT_MISMATCH', message: expect.stringContaining("the output schema of 'a'") },
      ],
    })
  })

  it('returns matching output and failures unchanged', async () => {
    for (const given of [success({ id: 'x' }), failure({ code: 'GONE', message: 'gone' })]) {
      expect(await (await createRunner([commandOf('a', { ...promised, handler: () => given })]))('a')).toBe(given)
    }
  })

  it('keeps the output when the check of the output schema throws', async () => {
    const output = z.object({ id: z.string().refine(thrower(new Error('boom'))) })
    const run = await createRunner([commandOf('a', { output, handler: () => success({ id: 'made' }) })])
    expect(await run('a')).toMatchObject({ success: true, data: { id: 'made' } })
  })
})
