// afd-detail: the full description of commands, and an error for each unknown name.

import { describe, expect, it } from 'vitest'
import type { CommandResult, DetailEntry } from '../../src/index.ts'
import { combinations, covers, OVER, useConnection } from './harness.ts'

describe.each(combinations)(OVER, (combination) => {
  const shop = useConnection({ ...combination, strategy: 'lazy' })
  const ask = (command: unknown) => shop.call<CommandResult<readonly DetailEntry[]>>('afd-detail', { command })
  const detail = async (command: unknown) => {
    const { result, isError } = await ask(command)
    expect(isError, JSON.stringify(result)).toBe(false)
    return result.data as readonly DetailEntry[] // a success has data
  }

  it('afd-detail returns a list with one entry for one name', async () => {
    covers('FR-3.1', 'FR-3.3', 'FR-3.5', 'SC-2')
    expect(await detail('user-get')).toEqual([
      {
        name: 'user-get',
        found: true,
        description: 'Get a user by id.',
        category: 'user',
        tags: ['crud'],
        mutation: false,
        errors: ['USER_NOT_FOUND'],
        inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
        hash: expect.any(String),
        callable: true,
      },
    ])
    expect(await detail(['user-get'])).toHaveLength(1)
  })

  it('afd-detail describes two commands in one call, in the order of the names', async () => {
    covers('FR-3.2', 'EX-2')
    const entries = await detail(['subscription-cancel', 'order-cancel'])
    expect(entries).toMatchObject([
      {
        name: 'subscription-cancel',
        found: true,
        callable: true,
        mutation: true,
        destructive: false,
        inputSchema: { properties: { subscriptionId: { type: 'string' } }, required: ['subscriptionId'] },
      },
      {
        name: 'order-cancel',
        found: true,
        callable: true,
        mutation: true,
        destructive: true,
        confirmPrompt: 'This will cancel order {orderId}. Continue?',
        inputSchema: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] },
      },
    ])
  })

  it('afd-detail returns all traits of the command and the whole description', async () => {
    covers('FR-3.3', 'FR-3.4')
    const [entry] = await detail('report-export')
    expect(entry).toMatchObject({
      description: 'Export the books as a file. It takes a while; the file is kept for a day.',
      category: 'report',
      version: '2.1.0',
      executionTime: 'long-running',
      errors: ['DISK_FULL', 'NO_DATA'],
      requires: ['order-list'],
      handoff: true,
      handoffProtocol: 'websocket',
      inputSchema: { properties: { year: { type: 'integer', description: 'Four digits' } } },
    })
    expect(entry).not.toHaveProperty('tags')
    expect(entry).not.toHaveProperty('destructive')
  })

  it('afd-detail does not require a field that has a default', async () => {
    covers('FR-3.5')
    const [entry] = await detail('user-create')
    expect(entry).toMatchObject({ inputSchema: { required: ['name', 'email'] } })
    expect(entry).toMatchObject({ inputSchema: { properties: { role: { default: 'member' } } } })
  })

  it('afd-detail suggests the nearest name for a misspelt one, and does not mark the answer as an error', async () => {
    covers('FR-3.6', 'EX-3', 'SC-2')
    const [entry] = await detail('order-cancle')
    expect(entry).toMatchObject({
      name: 'order-cancle',
      found: false,
      error: {
        code: 'COMMAND_NOT_FOUND',
        message: "No command named 'order-cancle'",
        suggestion: "Did you mean 'order-cancel'? Use afd-discover to list all commands.",
      },
    })
    expect(entry).not.toHaveProperty('callable')
  })

  it('afd-detail suggests nothing if no name is similar, and never a command that is not exposed', async () => {
    covers('FR-3.6', 'FR-7.4')
    const [strange, hidden] = await detail(['qqqqqqqqqqqqqqqqqqqqqqqqqq', 'vault-opem'])
    expect(strange).toMatchObject({ error: { suggestion: 'Use afd-discover to list all commands.' } })
    expect(JSON.stringify(hidden)).not.toContain('vault-open')
  })

  it('afd-detail returns entries for found and unknown names in one answer', async () => {
    covers('FR-3.7', 'SC-2')
    const entries = await detail(['status', 'nothing-here', 'todo-create'])
    expect(entries.map(({ name, found }) => [name, found])).toEqual([
      ['status', true],
      ['nothing-here', false],
      ['todo-create', true],
    ])
  })

  it('afd-detail describes a command that is registered but not exposed as not callable', async () => {
    covers('FR-3.8', 'SC-2')
    expect(await detail('vault-open')).toMatchObject([
      { name: 'vault-open', found: true, callable: false, inputSchema: { required: ['code'] } },
    ])
  })

  it('afd-detail returns reasoning, confidence 1 and the execution time', async () => {
    covers('FR-3.9', 'SC-4')
    const { result } = await ask(['status', 'nothing-here'])
    expect(result.reasoning).toBe('Found 1 of 2 commands')
    expect(result.confidence).toBe(1)
    expect(result.metadata?.executionTimeMs).toEqual(expect.any(Number))
  })

  it('afd-detail accepts ten names and refuses eleven names, no name and an empty name', async () => {
    covers('IN-2')
    expect(await detail(Array.from({ length: 10 }, () => 'status'))).toHaveLength(10)
    for (const command of [Array.from({ length: 11 }, () => 'status'), [], '', [''], 7, null]) {
      const { result, isError } = await ask(command)
      expect(isError, JSON.stringify(command)).toBe(true)
      expect(result.error?.code, JSON.stringify(command)).toBe('VALIDATION_ERROR')
    }
    expect((await shop.call('afd-detail')).result.error?.code).toBe('VALIDATION_ERROR')
  })

  it('afd-detail declares that `command` may be one string or a list of up to ten', async () => {
    covers('IN-1')
    const tool = (await shop.list()).find(({ name }) => name === 'afd-detail')
    expect(tool?.inputSchema.properties).toMatchObject({
      command: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: 10 }] },
    })
    expect(tool?.inputSchema.required).toEqual(['command'])
  })
})
