// afd-call: runs one command by its name.

import { describe, expect, it } from 'vitest'
import type { BatchResult, CommandResult, DetailEntry, DiscoverResult } from '../../src/index.ts'
import { combinations, covers, OVER, useConnection } from './harness.ts'

describe.each(combinations)(OVER, (combination) => {
  const shop = useConnection({ ...combination, strategy: 'lazy' })
  const run = (command: string, input?: unknown) =>
    shop.call('afd-call', { command, ...(input === undefined ? {} : { input }) })

  it("afd-call returns the handler's own result", async () => {
    covers('FR-4.1', 'EX-4', 'SC-4')
    const { result, isError } = await run('user-get', { id: 42 })
    expect(isError).toBe(false)
    const { metadata, ...rest } = result
    expect(rest).toEqual({
      success: true,
      data: { id: 42, name: 'Alice' },
      confidence: 0.99,
      reasoning: 'Looked up user 42',
    })
    expect(metadata?.executionTimeMs).toEqual(expect.any(Number))
  })

  it("afd-call returns the handler's own failure unchanged", async () => {
    covers('FR-4.1', 'RE-2')
    const { result, isError } = await run('user-get', { id: 1_000 })
    expect(isError).toBe(true)
    expect(result).toMatchObject({
      success: false,
      error: {
        code: 'USER_NOT_FOUND',
        message: 'There is no user 1000',
        suggestion: 'Use an id below 1000.',
        retryable: false,
        details: { id: 1_000 },
        cause: 'the table ends there',
      },
      warnings: [{ code: 'STALE_COPY', message: 'Read from a copy', severity: 'info' }],
    })
  })

  it('afd-call treats a missing input as an empty object', async () => {
    covers('FR-4.2')
    expect((await run('status')).result).toMatchObject({ success: true, data: { open: true } })
    expect((await run('user-get')).result.error?.message).toContain("Required field 'id' is missing")
  })

  it('afd-call names a missing field and how to get the schema', async () => {
    covers('FR-4.3', 'EX-5', 'SC-3')
    const { result, isError } = await run('user-create', { name: 'Alice' })
    expect(isError).toBe(true)
    expect(result.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: "Invalid input for 'user-create': Required field 'email' is missing",
      suggestion: "Call afd-detail with command 'user-create' to see the expected input schema.",
    })
  })

  it('afd-call names every invalid field', async () => {
    covers('FR-4.3')
    const { result } = await run('order-create', { customerId: 7, items: [{ sku: 'bolt', quantity: 0 }, {}] })
    expect(result.error?.message).toContain("'customerId'")
    expect(result.error?.message).toContain("'items[0].quantity'")
    expect(result.error?.message).toContain("'items[1].sku'")
  })

  it('afd-call fills in defaults before the handler gets the input', async () => {
    covers('FR-4.4')
    expect((await run('user-create', { name: 'Bo', email: 'bo@b.com' })).result.data).toMatchObject({ role: 'member' })
    const { result } = await run('order-create', { customerId: 'c-1', items: [{ sku: 'bolt' }] })
    expect(result.data).toEqual({ id: 'o-new', customerId: 'c-1', items: [{ sku: 'bolt', quantity: 1 }] })
  })

  it('afd-call decodes an input, or a part of it, that is sent as JSON text', async () => {
    covers('IN-3')
    expect((await run('user-get', '{"id": 42}')).result.data).toEqual({ id: 42, name: 'Alice' })
    const items = '[{"sku": "bolt", "quantity": 3}]'
    const { result } = await run('order-create', { customerId: 'c-1', items })
    expect(result.data).toMatchObject({ items: [{ sku: 'bolt', quantity: 3 }] })
    expect((await run('user-get', '{"id": 42')).result.error?.code).toBe('VALIDATION_ERROR')
    expect((await run('status', 'open please')).result.error?.code).toBe('VALIDATION_ERROR')
  })

  it('afd-call does not decode text for a text parameter, even if it looks like JSON', async () => {
    covers('IN-3')
    expect((await run('todo-create', { title: '{"a": 1}' })).result.data).toMatchObject({ title: '{"a": 1}' })
  })

  it('afd-call answers an unknown command with the nearest names', async () => {
    covers('FR-4.5', 'SC-3')
    const { result, isError } = await run('order-cancle', { orderId: 'o-1' })
    expect(isError).toBe(true)
    expect(result.error).toMatchObject({
      code: 'COMMAND_NOT_FOUND',
      message: "No command named 'order-cancle'",
      suggestion: expect.stringContaining("'order-cancel'"),
    })
    const similar = result.error?.details?.similar
    expect(similar).toEqual(expect.arrayContaining(['order-cancel', 'order-create']))
    expect((similar as readonly string[]).length).toBeLessThanOrEqual(3) // the line above checks that it is a list
  })

  it('afd-call refuses a command that is registered but not exposed', async () => {
    covers('FR-4.6', 'SC-3')
    const { result, isError } = await run('vault-open', { code: '1234' })
    expect(isError).toBe(true)
    expect(result.error?.code).toBe('COMMAND_NOT_EXPOSED')
    expect(result).not.toHaveProperty('data')
  })

  it('afd-call returns the same result as a batch with one entry', async () => {
    covers('FR-4.8')
    for (const [command, input] of [
      ['user-get', { id: 42 }],
      ['user-create', {}],
      ['no-such', {}],
    ] as const) {
      const { result: called } = await run(command, input)
      const { result: batch } = await shop.call<BatchResult>('afd-batch', { commands: [{ command, input }] })
      const entry = batch.results[0]?.result
      expect({ ...entry, metadata: null }).toEqual({ ...called, metadata: null })
    }
  })

  it.each([{}, { command: '' }, { command: 7 }, { command: ['status'] }, { command: 'status', input: [] }])(
    'afd-call refuses %j with a VALIDATION_ERROR',
    async (args) => {
      covers('FR-4.3')
      const { result, isError } = await shop.call('afd-call', args)
      expect(isError).toBe(true)
      expect(result.error?.code).toBe('VALIDATION_ERROR')
    },
  )

  it('afd-call refuses afd-call, afd-batch and afd-pipe, and runs afd-discover and afd-detail', async () => {
    covers('FR-4.5')
    for (const command of ['afd-call', 'afd-batch', 'afd-pipe']) {
      expect((await run(command, {})).result.error?.code).toBe('BUILTIN_NOT_ALLOWED')
    }
    expect((await run('afd-discover', { category: 'order' })).result.data).toMatchObject({ filtered: 3 })
    expect((await run('afd-detail', { command: 'status' })).result.data).toMatchObject([{ name: 'status' }])
  })

  it('an agent completes its three steps: discover, detail, call', async () => {
    covers('SC-8')
    const found = await shop.call<CommandResult<DiscoverResult>>('afd-discover', { search: 'user' })
    const names = found.result.data?.commands.map((command) => command.name) ?? []
    expect(names).toEqual(expect.arrayContaining(['user-create', 'user-get']))
    const described = await shop.call<CommandResult<readonly DetailEntry[]>>('afd-detail', { command: names })
    const [create] = described.result.data ?? []
    expect(create).toMatchObject({ found: true, callable: true, inputSchema: { required: ['name', 'email'] } })
    const called = await run('user-create', { name: 'Alice', email: 'a@b.com' })
    expect(called.result).toMatchObject({
      success: true,
      data: { id: 1, name: 'Alice' },
      reasoning: 'Created user',
    })
  })
})
