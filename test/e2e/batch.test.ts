// afd-batch: several commands in one request, each with its own result.

import { describe, expect, it } from 'vitest'
import type { BatchResult } from '../../src/index.ts'
import { combinations, covers, OVER, useConnection } from './harness.ts'

describe.each(combinations)(OVER, (combination) => {
  const shop = useConnection({ ...combination, variant: 'watched', strategy: 'lazy' })
  const batch = (commands: readonly unknown[], options?: Record<string, unknown>) =>
    shop.call<BatchResult>('afd-batch', { commands, ...(options === undefined ? {} : { options }) })

  it('afd-batch returns results in the order of the request, with a summary, timing and the lowest confidence', async () => {
    covers('BA-1', 'SC-5', 'FR-5.3')
    const { result, isError } = await batch([
      { id: 'who', command: 'user-get', input: { id: 42 } },
      { command: 'order-list', input: { limit: 1 } },
    ])
    expect(isError).toBe(false)
    expect(result).toMatchObject({
      success: true,
      results: [
        { id: 'who', index: 0, command: 'user-get', result: { success: true, data: { id: 42, name: 'Alice' } } },
        { id: '1', index: 1, command: 'order-list', result: { success: true, data: { limit: 1 } } },
      ],
      summary: { total: 2, successCount: 2, failureCount: 0, skippedCount: 0 },
      confidence: 0.9,
    })
    expect(result.reasoning).toContain('2 of 2')
    expect(result).not.toHaveProperty('warnings')
    for (const { durationMs } of result.results) expect(durationMs).toBeGreaterThanOrEqual(0)
    const { totalMs, averageMs, startedAt, completedAt } = result.timing
    expect(totalMs).toBeGreaterThanOrEqual(averageMs)
    expect(Date.parse(completedAt)).toBeGreaterThanOrEqual(Date.parse(startedAt))
  })

  it('afd-batch returns the successes and each failure with its own reason when some commands fail', async () => {
    covers('BA-2', 'FR-4.5', 'FR-4.6', 'FR-7.4')
    const { result, isError } = await batch([
      { command: 'user-create', input: { name: 'Alice' } },
      { command: 'status' },
      { command: 'order-cancle' },
      { command: 'vault-open', input: { code: '1' } },
      { command: 'payment-charge', input: { cents: 1 } },
      { command: 'order-cancel', input: { orderId: 'o-2' } },
    ])
    expect(isError).toBe(false)
    expect(result).toMatchObject({ success: true, warnings: [{ code: 'BATCH_INCOMPLETE' }] })
    expect(result.results.map((entry) => entry.result.error?.code ?? 'none')).toEqual([
      'VALIDATION_ERROR',
      'none',
      'COMMAND_NOT_FOUND',
      'COMMAND_NOT_EXPOSED',
      'COMMAND_EXECUTION_ERROR',
      'ORDER_SHIPPED',
    ])
    expect(result.summary).toEqual({ total: 6, successCount: 1, failureCount: 5, skippedCount: 0 })
  })

  it('afd-batch fails if no command succeeds', async () => {
    covers('BA-2')
    const { result, isError } = await batch([{ command: 'order-cancle' }, { command: 'payment-charge' }])
    expect(isError).toBe(true)
    expect(result).toMatchObject({ success: false, error: { code: 'BATCH_INCOMPLETE' }, results: [{}, {}] })
  })

  it('afd-batch skips the commands after a failure with stopOnError, and reports them as skipped', async () => {
    covers('BA-3')
    const { result } = await batch(
      [{ command: 'status' }, { command: 'user-get', input: { id: 1_000 } }, { command: 'status' }],
      { stopOnError: true },
    )
    expect(result.results.map((entry) => entry.result.error?.code ?? 'none')).toEqual([
      'none',
      'USER_NOT_FOUND',
      'STEP_SKIPPED',
    ])
    expect(result.summary).toEqual({ total: 3, successCount: 1, failureCount: 1, skippedCount: 1 })
    expect(result.warnings).toMatchObject([{ code: 'BATCH_INCOMPLETE' }, { code: 'STEP_SKIPPED' }])
  })

  it('afd-batch cancels the running command and starts no more when its timeout expires', async () => {
    covers('BA-4')
    const { result } = await batch([{ command: 'status' }, { command: 'job-wait' }, { command: 'status' }], {
      timeout: 200,
    })
    expect(result.results.map((entry) => entry.result.error?.code ?? 'none')).toEqual([
      'none',
      'BATCH_TIMEOUT',
      'STEP_SKIPPED',
    ])
    expect(result.warnings).toMatchObject([{ code: 'BATCH_INCOMPLETE' }, { code: 'BATCH_TIMEOUT' }])
  })

  it('afd-batch runs entries in parallel with `parallelism`, and keeps their order in the answer', async () => {
    covers('BA-5')
    await shop.call('afd-call', { command: 'journal-take' })
    // The first command ends only after the second has begun.
    const { result } = await batch(
      [
        { id: 'slow', command: 'journal-await', input: { what: 'todo-create' } },
        { id: 'quick', command: 'todo-create', input: { title: 'x' } },
      ],
      { parallelism: 2, timeout: 10_000 },
    )
    expect(result.success).toBe(true)
    expect(result.results.map(({ id }) => id)).toEqual(['slow', 'quick'])
  })

  it('afd-batch accepts an id that equals the index of another entry', async () => {
    covers('BA-1')
    const { result } = await batch([
      { id: '1', command: 'status' },
      { command: 'user-get', input: { id: 42 } },
    ])
    expect(result.summary).toMatchObject({ total: 2, successCount: 2 })
    expect(result.results[0]?.id).toBe('1')
  })

  it('afd-batch decodes entries that are sent as JSON text', async () => {
    covers('IN-3')
    const { result } = await shop.call<BatchResult>('afd-batch', {
      commands: '[{"command": "user-get", "input": "{\\"id\\": 42}"}]',
    })
    expect(result.results).toMatchObject([{ result: { data: { id: 42 } } }])
  })

  it.each([
    ['no commands', {}, 'commands'],
    ['an empty list', { commands: [] }, 'commands'],
    ['a value that is not a list', { commands: 'status' }, 'commands'],
    ['an entry without a command', { commands: [{ command: 'status' }, { input: {} }] }, 'commands[1].command'],
    ['an entry that is not an object', { commands: ['status'] }, 'commands[0]'],
    ['an input that is not an object', { commands: [{ command: 'status', input: 7 }] }, 'commands[0].input'],
    ['an unknown field', { commands: [{ command: 'status', args: {} }] }, 'args'],
    ['the same id twice', { commands: [1, 2].map(() => ({ id: 'a', command: 'status' })) }, "'a'"],
    ['a timeout of 0 ms', { commands: [{ command: 'status' }], options: { timeout: 0 } }, 'options.timeout'],
    ['a parallelism of 0', { commands: [{ command: 'status' }], options: { parallelism: 0 } }, 'options.parallelism'],
  ])('afd-batch refuses %s with INVALID_BATCH_REQUEST and runs no command', async (_, request, reason) => {
    covers('BA-6')
    await shop.call('afd-call', { command: 'journal-take' })
    const { result, isError } = await shop.call('afd-batch', request)
    expect(isError).toBe(true)
    expect(result.error?.code).toBe('INVALID_BATCH_REQUEST')
    expect(result.error?.message).toContain(reason)
    const { result: journal } = await shop.call('afd-call', { command: 'journal-take' })
    expect((journal.data as { source: string }[]).filter(({ source }) => source === 'middleware')).toEqual([]) // our own journal
  })

  it('afd-batch accepts 100 entries and refuses 101', async () => {
    covers('BA-7')
    const entries = (count: number) => Array.from({ length: count }, () => ({ command: 'status' }))
    expect((await batch(entries(100))).result.summary).toMatchObject({ total: 100, successCount: 100 })
    const { result } = await batch(entries(101))
    expect(result.error).toMatchObject({ code: 'INVALID_BATCH_REQUEST', message: expect.stringContaining('101') })
  })

  it.each(['afd-call', 'afd-batch', 'afd-pipe', 'afd-discover', 'afd-detail'])(
    'afd-batch refuses %s inside a batch',
    async (command) => {
      covers('BA-7')
      const { result } = await batch([{ command: 'status' }, { command, input: {} }])
      expect(result.error?.code).toBe('INVALID_BATCH_REQUEST')
      expect(result.error?.message).toContain(`'${command}' is a built-in`)
    },
  )

  it('afd-pipe refuses a batch inside a pipe', async () => {
    covers('PI-12')
    const { result } = await shop.call('afd-pipe', { steps: [{ command: 'afd-batch', input: { commands: [] } }] })
    expect(result.error?.code).toBe('BUILTIN_NOT_ALLOWED')
  })
})
