// grouped: one tool per category, called with an action and its parameters.

import { describe, expect, it } from 'vitest'
import { combinations, covers, OVER, useConnection } from './harness.ts'

describe.each(combinations)(OVER, (combination) => {
  const shop = useConnection({ ...combination, strategy: 'grouped' })

  it('grouped lists each category with an enum of its actions and the parameters of all actions', async () => {
    covers('GR-1')
    const order = (await shop.list()).find(({ name }) => name === 'order')
    expect(order?.inputSchema).toMatchObject({
      type: 'object',
      properties: {
        action: { type: 'string', enum: ['create', 'list', 'cancel'] },
        params: { type: 'object', properties: { customerId: {}, items: {}, status: {}, orderId: {} } },
      },
      required: ['action'],
    })
    for (const word of ['create', 'list', 'cancel', 'Cancel a pending order'])
      expect(order?.description).toContain(word)
  })

  it('grouped runs the command of the given action', async () => {
    covers('GR-1')
    const { result, isError } = await shop.call('user', { action: 'get', params: { id: 42 } })
    expect(isError).toBe(false)
    expect(result).toMatchObject({ success: true, data: { id: 42, name: 'Alice' }, confidence: 0.99 })
    expect((await shop.call('status', { action: 'status' })).result.data).toEqual({ open: true })
  })

  it("grouped validates the parameters with the schema of the action's command", async () => {
    covers('FR-4.3')
    const { result, isError } = await shop.call('user', { action: 'create', params: { name: 'Alice' } })
    expect(isError).toBe(true)
    expect(result.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: "Invalid input for 'user-create': Required field 'email' is missing",
    })
  })

  it('the error for wrong parameters under grouped names a listed tool that returns the whole schema', async () => {
    covers('FR-4.3')
    const { result } = await shop.call('user', { action: 'create', params: {} })
    expect(result.error).toMatchObject({
      suggestion:
        'Correct the input to fit `details.expected` and call again. afd-call with command \'afd-detail\' and input {"command":"user-create"} returns the whole schema.',
      details: { expected: "user-create(name, email, role?: 'member'|'owner')" },
    })
    expect((await shop.list()).map(({ name }) => name)).toContain('afd-call')
    const detail = await shop.call('afd-call', { command: 'afd-detail', input: { command: 'user-create' } })
    expect(detail.result.data).toMatchObject([{ name: 'user-create', inputSchema: { required: ['name', 'email'] } }])
  })

  it('grouped can call a command with a category that is not the first word of its name', async () => {
    covers('GR-3')
    const payment = (await shop.list()).find(({ name }) => name === 'payment')
    expect(payment?.inputSchema.properties?.action).toMatchObject({ enum: ['subscription-cancel', 'charge'] })
    const { result } = await shop.call('payment', { action: 'subscription-cancel', params: { subscriptionId: 's-1' } })
    expect(result.data).toEqual({ subscriptionId: 's-1', cancelled: true })
  })

  it.each([
    ['no action', {}],
    ['an action that is not a string', { action: 7 }],
    ['an unknown action', { action: 'cancle' }],
    ['an action of another group', { action: 'reset' }],
    ['parameters that are not an object', { action: 'cancel', params: 'now' }],
  ])('grouped refuses %s with INVALID_GROUPED_CALL and lists the actions', async (_, args) => {
    covers('GR-2')
    const { result, isError } = await shop.call('order', args)
    expect(isError).toBe(true)
    expect(result.error?.code).toBe('INVALID_GROUPED_CALL')
    for (const action of ['create', 'list', 'cancel']) expect(result.error?.suggestion).toContain(`'${action}'`)
    expect(result.error?.suggestion).not.toContain('purge')
  })

  it('grouped suggests the nearest action for a misspelt one', async () => {
    covers('GR-2')
    const { result } = await shop.call('order', { action: 'cancle' })
    expect(result.error?.suggestion).toContain("Did you mean 'cancel'?")
  })

  it('grouped does not list an action for a command that is not exposed, and refuses it by name', async () => {
    covers('FR-7.4')
    const tools = await shop.list()
    expect(tools.map(({ name }) => name)).not.toContain('vault')
    expect(JSON.stringify(tools)).not.toContain('purge')
    const { result } = await shop.call('order', { action: 'purge' })
    expect(result.error?.code).toBe('COMMAND_NOT_EXPOSED')
  })

  it('grouped decodes parameters that are sent as JSON text', async () => {
    covers('IN-3')
    const { result } = await shop.call('user', { action: 'get', params: '{"id": 42}' })
    expect(result.data).toEqual({ id: 42, name: 'Alice' })
  })
})

describe.each(combinations)(`${OVER}, with groupByFn`, (combination) => {
  const shop = useConnection({ ...combination, variant: 'regrouped', strategy: 'grouped' })

  it('grouped uses groupByFn, or the category if the function returns nothing', async () => {
    covers('GR-3', 'GR-1')
    const tools = await shop.list()
    expect(tools.map(({ name }) => name)).toEqual([
      'user',
      'order',
      'undo',
      'payment',
      'config',
      'report',
      'todo',
      'status',
      'afd-call',
      'afd-batch',
      'afd-pipe',
    ])
    const undo = tools.find(({ name }) => name === 'undo')
    expect(undo?.inputSchema.properties?.action).toMatchObject({ enum: ['order-cancel', 'subscription-cancel'] })
  })

  it('grouped runs the commands of a group that groupByFn made', async () => {
    covers('GR-3')
    const { result: order } = await shop.call('undo', { action: 'order-cancel', params: { orderId: 'o-1' } })
    expect(order.data).toEqual({ orderId: 'o-1', cancelled: true })
    const { result: other } = await shop.call('undo', {
      action: 'subscription-cancel',
      params: { subscriptionId: 's-1' },
    })
    expect(other.data).toEqual({ subscriptionId: 's-1', cancelled: true })
    expect((await shop.call('order', { action: 'cancel' })).result.error?.code).toBe('INVALID_GROUPED_CALL')
  })
})
