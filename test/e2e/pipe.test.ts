// afd-pipe: commands in sequence; later steps use the output of earlier ones.

import { describe, expect, it } from 'vitest'
import type { CommandResult, PipeResult } from '../../src/index.ts'
import type { JournalEntry } from '../fixtures/journal.ts'
import { combinations, covers, OVER, useConnection } from './harness.ts'

type Steps = readonly Readonly<Record<string, unknown>>[]

const who = { command: 'user-get', input: { id: 42 }, as: 'who' }
const broken = { command: 'user-get', input: { id: 1_000 } }
const status = { command: 'status' }
const todo = (title: unknown) => ({ command: 'todo-create', input: { title } })

describe.each(combinations)(OVER, (combination) => {
  const shop = useConnection({ ...combination, variant: 'watched', strategy: 'lazy' })
  const pipe = (steps: Steps, rest: Record<string, unknown> = {}) =>
    shop.call<PipeResult>('afd-pipe', { steps, ...rest })
  const statuses = ({ steps }: PipeResult) => steps.map((step) => step.status)
  /** Runs a pipe with the reference in its last step: `todo-create` returns its title. */
  const resolve = async (reference: unknown, input?: unknown) => {
    const steps = [who, { command: 'order-list', as: 'book' }, { command: 'todo-create', input: { title: reference } }]
    return (await pipe(steps, input === undefined ? {} : { input })).result
  }

  const takeJournal = async () => {
    const { result } = await shop.call<CommandResult<readonly JournalEntry[]>>('afd-call', { command: 'journal-take' })
    return result.data ?? []
  }
  const refused = async (request: Readonly<Record<string, unknown>>) => {
    await takeJournal()
    const { result, isError } = await shop.call('afd-pipe', request)
    expect(isError).toBe(true)
    const ran = (await takeJournal()).filter(({ source }) => source === 'middleware')
    expect(ran, 'commands that ran anyway').toEqual([])
    return result.error
  }

  it('afd-pipe returns the last data, each step, and metadata over all steps', async () => {
    covers('PI-1', 'PI-5', 'PI-6', 'SC-5', 'FR-5.3')
    const { result, isError } = await pipe([who, { command: 'order-list', input: { limit: 1 } }])
    expect(isError).toBe(false)
    expect(result.data).toMatchObject({ orders: [{ id: 'o-1' }], limit: 1 })
    expect(result.metadata).toMatchObject({
      confidence: 0.9,
      confidenceBreakdown: [
        { step: 0, alias: 'who', command: 'user-get', confidence: 0.99, reasoning: 'Looked up user 42' },
        { step: 1, command: 'order-list', confidence: 0.9, reasoning: 'Read the order book' },
      ],
      reasoning: [
        { stepIndex: 0, command: 'user-get', reasoning: 'Looked up user 42' },
        { stepIndex: 1, command: 'order-list', reasoning: 'Read the order book' },
      ],
      warnings: [{ code: 'PARTIAL', stepIndex: 1 }],
      sources: [{ type: 'table', id: 'orders', stepIndex: 1 }],
      alternatives: [{ reason: 'Without archived orders', stepIndex: 1 }],
      executionTimeMs: expect.any(Number),
      completedSteps: 2,
      totalSteps: 2,
    })
    expect(result.steps).toMatchObject([
      { index: 0, alias: 'who', command: 'user-get', status: 'success', data: { id: 42 } },
      { index: 1, command: 'order-list', status: 'success', executionTimeMs: expect.any(Number) },
    ])
  })

  it.each([
    ['$prev.orders[0].id', 'o-1'],
    ['$prev.orders[1].lines[0].sku', 'nut'],
    ['$first.name', 'Alice'],
    ['$steps[0].name', 'Alice'],
    ['$steps[1].orders[0].status', 'open'],
    ['$steps.who.name', 'Alice'],
    ['$who.name', 'Alice'],
    ['$book.orders[1].id', 'o-2'],
    ['$input.greeting', 'Hello'],
    ['$$prev', '$prev'],
    ['costs $5.00', 'costs $5.00'],
  ])('afd-pipe resolves %s to %j', async (reference, value) => {
    covers('PI-2')
    const { data } = await resolve(reference, { greeting: 'Hello' })
    expect(data).toMatchObject({ title: value })
  })

  it('afd-pipe resolves references at any depth, and an input that is a reference', async () => {
    covers('PI-3', 'PI-2')
    const { result } = await pipe(
      [
        { command: 'order-list', as: 'book' },
        {
          command: 'order-create',
          input: {
            customerId: '$input',
            items: [{ sku: '$book.orders[0].lines[0].sku', quantity: '$prev.orders[1].lines[0].quantity' }],
          },
        },
        { command: 'order-create', input: '$prev' },
      ],
      { input: 'c-7' },
    )
    expect(result.steps[1]?.data).toMatchObject({ customerId: 'c-7', items: [{ sku: 'bolt', quantity: 5 }] })
    expect(result.data).toMatchObject({ customerId: 'c-7', items: [{ sku: 'bolt', quantity: 5 }] })
  })

  it.each([
    [{ $exists: '$who.name' }, true],
    [{ $exists: '$who.age' }, false],
    [{ $eq: ['$who.name', 'Alice'] }, true],
    [{ $eq: ['$who.name', 'Bob'] }, false],
    [{ $ne: ['$who.id', 42] }, false],
    [{ $gt: ['$who.id', 41] }, true],
    [{ $gt: ['$who.id', 42] }, false],
    [{ $gte: ['$who.id', 42] }, true],
    [{ $lt: ['$who.id', 42] }, false],
    [{ $lte: ['$who.id', 42] }, true],
    [{ $and: [{ $exists: '$who' }, { $lt: ['$who.id', 50] }] }, true],
    [{ $and: [{ $exists: '$who' }, { $gt: ['$who.id', 50] }] }, false],
    [{ $or: [{ $gt: ['$who.id', 50] }, { $eq: ['$input.go', true] }] }, true],
    [{ $not: { $eq: ['$who.name', 'Alice'] } }, false],
  ])('afd-pipe evaluates the condition %j to %s', async (when, runs) => {
    covers('PI-4')
    const { result, isError } = await pipe([who, { ...status, when }], { input: { go: true } })
    expect(isError).toBe(false)
    expect(statuses(result)).toEqual(['success', runs ? 'success' : 'skipped'])
    expect(result.metadata).toMatchObject({ completedSteps: runs ? 2 : 1, totalSteps: 2 })
    expect(result.data).toEqual(runs ? { open: true } : { id: 42, name: 'Alice' })
  })

  it('afd-pipe stops at the first failure, marks the rest skipped, and fails with that error', async () => {
    covers('PI-7')
    const { result, isError } = await pipe([status, broken, status, who])
    expect(isError).toBe(true)
    expect(statuses(result)).toEqual(['success', 'failure', 'skipped', 'skipped'])
    expect(result.error).toMatchObject({ code: 'USER_NOT_FOUND', details: { step: 1 } })
    expect(result.data).toEqual({ open: true })
    expect(result.metadata).toMatchObject({ completedSteps: 1, totalSteps: 4 })
  })

  it('afd-pipe runs the steps after a failure with continueOnFailure', async () => {
    covers('PI-7')
    const { result } = await pipe([broken, who], { options: { continueOnFailure: true } })
    expect(statuses(result)).toEqual(['failure', 'success'])
    expect(result.data).toEqual({ id: 42, name: 'Alice' })
    expect(result.success).toBe(false)
  })

  it.each(['user-gte', 'vault-open'])(
    'with continueOnFailure, afd-pipe runs the steps after %s, which is unknown or not exposed',
    async (command) => {
      covers('PI-7')
      const { result } = await pipe([who, { command }, status], { options: { continueOnFailure: true } })
      expect(statuses(result)).toEqual(['success', 'failure', 'success'])
      expect(result.data).toEqual({ open: true })
      expect(result.error?.details).toMatchObject({ step: 1 })
    },
  )

  it('afd-pipe skips the remaining steps with PIPELINE_TIMEOUT when its timeout expires', async () => {
    covers('PI-8')
    const { result, isError } = await pipe([status, { command: 'job-wait' }, who], { options: { timeoutMs: 200 } })
    expect(isError).toBe(true)
    expect(result.steps[0]?.status).toBe('success')
    expect(result.steps[2]).toMatchObject({ status: 'skipped', error: { code: 'PIPELINE_TIMEOUT' } })
    expect(result.error?.code).toBe('PIPELINE_TIMEOUT')
  })

  it('afd-pipe validates the input of each step with the schema of its command', async () => {
    covers('PI-11')
    const { result } = await pipe([who, { command: 'order-cancel', input: { orderId: '$prev.id' } }, status])
    expect(statuses(result)).toEqual(['success', 'failure', 'skipped'])
    expect(result.steps[1]?.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining("Invalid input for 'order-cancel': Field 'orderId'"),
    })
  })

  it('afd-pipe gives the reason why a step cannot run: unknown, or not exposed', async () => {
    covers('FR-4.5', 'FR-7.4')
    expect((await pipe([{ command: 'user-gte' }])).result.error).toMatchObject({
      code: 'COMMAND_NOT_FOUND',
      suggestion: expect.stringContaining("'user-get'"),
    })
    expect((await pipe([{ command: 'vault-open' }])).result.error?.code).toBe('COMMAND_NOT_EXPOSED')
  })

  it.each([
    ['no steps', {}, 'steps'],
    ['an empty list of steps', { steps: [] }, 'steps'],
    ['steps that are not a list', { steps: 'status' }, 'steps'],
    ['a step without a command', { steps: [who, { input: {} }] }, 'steps[1].command'],
    ['a step that is not an object', { steps: [7] }, 'steps[0]'],
    ['an input that is plain text', { steps: [{ command: 'status', input: 'now' }] }, 'steps[0].input'],
    ['an unknown field', { steps: [{ command: 'status', args: {} }] }, 'steps[0].args'],
    ['an alias used twice', { steps: [who, who] }, 'steps[1].as'],
    ['an alias that is a reserved word', { steps: [{ ...who, as: 'prev' }] }, 'steps[0].as'],
    ['a condition that is not an object', { steps: [{ command: 'status', when: true }] }, 'steps[0].when'],
    ['an unknown operator', { steps: [who, { command: 'status', when: { $like: ['$who.name', 'A'] } }] }, '$like'],
    [
      'a comparison with one operand',
      { steps: [who, { command: 'status', when: { $eq: ['$who.name'] } }] },
      'steps[1].when',
    ],
    ['a timeout of 0 ms', { steps: [who], options: { timeoutMs: 0 } }, 'options.timeoutMs'],
  ])('afd-pipe refuses %s with a VALIDATION_ERROR that names the position', async (_, request, where) => {
    covers('PI-9', 'PI-10')
    const error = await refused(request)
    expect(error?.code).toBe('VALIDATION_ERROR')
    expect(error?.message).toContain(where)
  })

  it.each([
    ['an alias that no step has', [who, todo('$nobody.name')], 1, '$nobody.name'],
    ['a step that runs later', [todo('$steps[1].name'), who], 0, 'later'],
    ['an alias of a later step', [todo('$who.name'), who], 0, 'later'],
    ['its own step', [who, todo('$steps[1].title')], 1, 'own step'],
    ['a step that is not there', [who, todo('$steps[9].name')], 1, '0 to 1'],
    ['something before the first step', [todo('$prev.name')], 0, 'before'],
    ['an input that was not given', [who, todo('$input.name')], 1, "'input'"],
    ['a malformed path', [who, todo('$who.[name')], 1, 'malformed'],
    ['an alias that no step has, in a condition', [who, { ...todo('x'), when: { $exists: '$no.x' } }], 1, '$no.x'],
    ['an alias that no step has, deep inside', [who, { command: 'status', input: { a: [{ b: '$no' }] } }], 1, '$no'],
  ])('afd-pipe refuses a reference to %s, with the step and the reason', async (_, steps, step, why) => {
    covers('PI-10')
    const error = await refused({ steps })
    expect(error).toMatchObject({ code: 'INVALID_PIPE_REFERENCE', details: { step } })
    expect(error?.message).toMatch(new RegExp(`^Step ${step}: `))
    expect(error?.message).toContain(why)
  })

  it('afd-pipe fails a step with its number and the reason if the data does not have the referenced path', async () => {
    covers('PI-10', 'PI-7')
    const { result } = await shop.call<PipeResult>('afd-pipe', {
      steps: [who, todo('$prev.address.city'), { command: 'status' }],
    })
    expect(result.steps.map(({ status }) => status)).toEqual(['success', 'failure', 'skipped'])
    expect(result.error).toMatchObject({ code: 'INVALID_PIPE_REFERENCE', details: { step: 1 } })
    expect(result.error?.message).toContain('$prev.address')
  })

  it('afd-pipe fails a step with references to more data than a pipe may pass on, and skips the rest', async () => {
    covers('PI-7', 'PI-10')
    const step = { command: 'todo-create', input: { title: 'x', body: '$input' } }
    const { result, isError } = await pipe(
      Array.from({ length: 7 }, () => step),
      { input: 'x'.repeat(1_500_000) },
    )
    expect(isError).toBe(true)
    expect(statuses(result)).toEqual([...Array.from({ length: 5 }, () => 'success'), 'failure', 'skipped'])
    expect(result.error).toMatchObject({ code: 'VALIDATION_ERROR', details: { step: 5 } })
    expect(result.error?.message).toMatch(/'steps\[5\]\.input'.* 8388608 bytes/)
  })

  it('afd-pipe accepts 100 steps and refuses 101', async () => {
    covers('PI-12')
    const steps = (count: number) => Array.from({ length: count }, () => ({ command: 'status' }))
    const { result } = await shop.call<PipeResult>('afd-pipe', { steps: steps(100) })
    expect(result.metadata).toMatchObject({ completedSteps: 100, totalSteps: 100 })
    const error = await refused({ steps: steps(101) })
    expect(error?.code).toBe('VALIDATION_ERROR')
    expect(error?.message).toContain('101')
  })

  it.each(['afd-call', 'afd-batch', 'afd-pipe', 'afd-discover', 'afd-detail'])(
    'afd-pipe refuses %s inside a pipe',
    async (command) => {
      covers('PI-12')
      const error = await refused({ steps: [who, { command, input: {} }] })
      expect(error).toMatchObject({ code: 'BUILTIN_NOT_ALLOWED', details: { step: 1 } })
      expect(error?.message).toContain(`'${command}' is a built-in`)
    },
  )
})
