// Contexts: they belong to the session in the legacy era, and are an argument of the call in the modern era.

import { afterEach, describe, expect, it } from 'vitest'
import type { BatchResult, CommandResult, DetailEntry, DiscoverResult, PipeResult } from '../../src/index.ts'
import { combinations, covers, OVER, type SharedConnection, useConnections } from './harness.ts'

const CONTEXT_COMMANDS = ['afd-context-list', 'afd-context-enter', 'afd-context-exit']

const MISMATCH = {
  code: 'CONTEXT_MISMATCH',
  message: expect.stringContaining("'config-reset'"),
  suggestion: expect.stringContaining("'maintenance'"),
}

function withShortcuts(shop: SharedConnection) {
  const run = (command: string, input = {}, rest = {}) => shop.call('afd-call', { command, input, ...rest })
  const discover = async (filter = {}) => {
    const { result } = await shop.call<CommandResult<DiscoverResult>>('afd-discover', filter)
    return result.data?.commands.map(({ name }) => name) ?? []
  }
  const toolNames = async () => (await shop.list()).map(({ name }) => name)
  /** Returns a function that counts the notifications from now on. */
  const countListChanges = () => {
    let count = 0
    shop.client.setNotificationHandler('notifications/tools/list_changed', () => void count++)
    return () => count
  }
  return { call: shop.call, list: shop.list, connect: shop.connect, run, discover, toolNames, countListChanges }
}

interface Shops {
  readonly lazy: ReturnType<typeof withShortcuts>
  readonly individual: ReturnType<typeof withShortcuts>
  readonly grouped: ReturnType<typeof withShortcuts>
}

describe.each(combinations)(OVER, (combination) => {
  const spec = { ...combination, variant: 'contexts' } as const
  const shops = useConnections({
    individual: { ...spec, strategy: 'individual' },
    grouped: { ...spec, strategy: 'grouped' },
    lazy: { ...spec, strategy: 'lazy' },
  })
  const individual = withShortcuts(shops.individual)
  const grouped = withShortcuts(shops.grouped)
  const lazy = withShortcuts(shops.lazy)
  if (combination.era === 'legacy') describe('in a session', () => inASession({ lazy, individual, grouped }))
  else describe('without sessions', () => withoutSessions({ lazy, individual, grouped }))

  it('a client lists the context commands that can be called, and discovers them under lazy', async () => {
    covers('CX-1')
    // In the modern era there is no session, so a client cannot enter or leave a context.
    const usable = combination.era === 'legacy' ? CONTEXT_COMMANDS : ['afd-context-list']
    const contextCommands = (names: readonly string[]) => names.filter((name) => name.startsWith('afd-context-'))
    expect(contextCommands(await individual.toolNames())).toEqual(usable)
    expect(contextCommands(await grouped.toolNames())).toEqual(usable)
    expect(await grouped.toolNames()).not.toContain('afd')
    expect(await lazy.toolNames()).toHaveLength(5)
    expect(await lazy.discover({ search: 'afd-context' })).toEqual(usable)
  })

  it('all commands are available while no context is active', async () => {
    covers('CX-3')
    expect(await lazy.discover()).toEqual(
      expect.arrayContaining(['order-create', 'order-cancel', 'user-delete', 'config-reset', 'status']),
    )
    expect((await lazy.run('config-reset')).result.success).toBe(true)
    expect((await individual.call('config-reset')).result.success).toBe(true)
    expect((await grouped.call('config', { action: 'reset' })).result.success).toBe(true)
  })

  it('afd-context-list returns the contexts with the highest priority first, on every path', async () => {
    covers('CX-2', 'CX-1')
    const expected = {
      contexts: [
        { name: 'maintenance', description: 'The shop is closed for work', priority: 5 },
        { name: 'checkout', description: 'A customer is buying', triggers: ['buy', 'basket'], priority: 1 },
      ],
      active: null,
    }
    expect((await lazy.run('afd-context-list')).result.data).toEqual(expected)
    expect((await individual.call('afd-context-list')).result.data).toEqual(expected)
    expect((await grouped.call('afd-context-list')).result.data).toEqual(expected)
  })

  it('the server declares the parameter `context` on discover, call, batch and pipe, but not on detail', async () => {
    covers('CX-8')
    const taking = (await lazy.list()).filter(({ inputSchema }) => inputSchema.properties?.context !== undefined)
    expect(taking.map(({ name }) => name)).toEqual(['afd-discover', 'afd-call', 'afd-batch', 'afd-pipe'])
  })

  it('the server refuses an unknown context and names the existing ones', async () => {
    covers('CX-10')
    const { result: entered } = await lazy.run('afd-context-enter', { context: 'chekcout' })
    const { result: named } = await lazy.run('status', {}, { context: 'chekcout' })
    if (combination.era === 'modern') expect(entered.error?.code).toBe('NO_SESSION')
    for (const { error } of combination.era === 'modern' ? [named] : [entered, named]) {
      expect(error).toMatchObject({ code: 'CONTEXT_NOT_FOUND', details: { similar: ['checkout'] } })
      expect(error?.suggestion).toContain("'maintenance'")
    }
  })

  it('the server refuses to enter a context from inside a batch or a pipe', async () => {
    covers('BA-7', 'PI-12')
    const entry = { command: 'afd-context-enter', input: { context: 'checkout' } }
    expect((await lazy.call('afd-batch', { commands: [entry] })).result.error?.code).toBe('INVALID_BATCH_REQUEST')
    expect((await lazy.call('afd-pipe', { steps: [entry] })).result.error?.code).toBe('BUILTIN_NOT_ALLOWED')
  })
})

function inASession({ lazy, individual, grouped }: Shops) {
  afterEach(async () => {
    await Promise.all([lazy, individual, grouped].map(({ run }) => run('afd-context-exit')))
  })

  it('afd-discover hides commands of other contexts until the client leaves the active context', async () => {
    covers('FR-6.1', 'CX-4')
    const before = await lazy.discover()
    const { result } = await lazy.run('afd-context-enter', { context: 'checkout' })
    expect(result.data).toEqual({ context: 'checkout', previous: null })
    const inside = await lazy.discover()
    expect(inside).toEqual(before.filter((name) => name !== 'config-reset' && name !== 'user-delete'))
    expect((await lazy.run('afd-context-list')).result.data).toMatchObject({ active: 'checkout' })
    await lazy.run('afd-context-exit')
    expect(await lazy.discover()).toEqual(before)
  })

  it('afd-detail describes commands of other contexts as not callable', async () => {
    covers('FR-6.2')
    await lazy.run('afd-context-enter', { context: 'checkout' })
    const { result } = await lazy.call<CommandResult<readonly DetailEntry[]>>('afd-detail', {
      command: ['config-reset', 'order-create', 'status'],
    })
    expect(result.data).toMatchObject([
      { name: 'config-reset', found: true, callable: false, contexts: ['maintenance'] },
      { name: 'order-create', found: true, callable: true },
      { name: 'status', found: true, callable: true },
    ])
  })

  it('the server refuses a command of another context with the same error on every path', async () => {
    covers('FR-6.3', 'CX-9')
    await Promise.all([lazy, individual, grouped].map(({ run }) => run('afd-context-enter', { context: 'checkout' })))
    const { result: called, isError } = await lazy.run('config-reset')
    expect(isError).toBe(true)
    expect(called.error).toMatchObject(MISMATCH)
    expect(called.error?.suggestion).toContain('afd-context-enter')
    const batch = await lazy.call<BatchResult>('afd-batch', { commands: [{ command: 'config-reset' }] })
    const pipe = await lazy.call<PipeResult>('afd-pipe', { steps: [{ command: 'config-reset' }] })
    expect(batch.result.results[0]?.result.error).toEqual(called.error)
    expect(pipe.result.steps[0]?.error).toEqual(called.error)
    expect((await individual.call('config-reset')).result.error).toEqual(called.error)
    expect((await grouped.call('config', { action: 'reset' })).result.error).toEqual(called.error)
    expect((await lazy.run('order-create', { customerId: 'c', items: [{ sku: 'a' }] })).result.success).toBe(true)
  })

  it('the server never suggests a command of another context', async () => {
    covers('CX-4', 'FR-4.5')
    await lazy.run('afd-context-enter', { context: 'checkout' })
    const { result } = await lazy.run('config-rest')
    expect(result.error?.code).toBe('COMMAND_NOT_FOUND')
    expect(JSON.stringify(result)).not.toContain('config-reset')
  })

  it('a switch of the context changes the list of individual and grouped, and notifies the client before the answer', async () => {
    covers('CX-4', 'CX-5')
    for (const { run, toolNames, countListChanges } of [individual, grouped]) {
      const changes = countListChanges()
      const before = await toolNames()
      await run('afd-context-enter', { context: 'checkout' })
      expect(changes()).toBe(1)
      const inside = await toolNames()
      expect(inside).not.toContain('config')
      expect(inside).not.toContain('config-reset')
      // Entering the same context again changes nothing and sends no notification.
      await run('afd-context-enter', { context: 'checkout' })
      expect(changes()).toBe(1)
      await run('afd-context-exit')
      expect(changes()).toBe(2)
      expect(await toolNames()).toEqual(before)
    }
  })

  it('the server sends no notification for a switch under lazy, because its list does not change', async () => {
    covers('CX-5')
    const changes = lazy.countListChanges()
    await lazy.run('afd-context-enter', { context: 'checkout' })
    expect(await lazy.toolNames()).toHaveLength(5)
    await lazy.run('status')
    expect(changes()).toBe(0)
  })

  it('the context of one session does not apply to other sessions', async () => {
    covers('CX-6')
    await lazy.run('afd-context-enter', { context: 'checkout' })
    const other = await lazy.connect()
    const { result } = await other.call('afd-call', { command: 'config-reset' })
    expect(result.success).toBe(true)
    expect((await lazy.run('config-reset')).result.error?.code).toBe('CONTEXT_MISMATCH')
  })
}

function withoutSessions({ lazy, individual }: Shops) {
  const context = 'checkout'

  it('the server refuses to enter or leave a context without sessions, and suggests the `context` argument', async () => {
    covers('CX-7', 'CX-5')
    const before = await individual.toolNames()
    const changes = individual.countListChanges()
    for (const [tool, args] of [
      ['afd-context-enter', { context }],
      ['afd-context-exit', {}],
    ] as const) {
      const { result, isError } = await individual.call(tool, args)
      expect(isError).toBe(true)
      expect(result.error?.code).toBe('NO_SESSION')
      expect(result.error?.suggestion).toContain('context')
    }
    expect((await individual.call('config-reset')).result.success).toBe(true)
    expect(await individual.toolNames()).toEqual(before)
    expect(changes()).toBe(0)
  })

  it('afd-discover hides commands of other contexts than the one that the call names', async () => {
    covers('FR-6.1', 'CX-8')
    const all = await lazy.discover()
    const inside = await lazy.discover({ context })
    expect(inside).toEqual(all.filter((name) => name !== 'config-reset' && name !== 'user-delete'))
    expect(await lazy.discover()).toEqual(all)
  })

  it('afd-discover gives the same answer for a named context through afd-call', async () => {
    covers('FR-6.1', 'CX-8', 'CX-10')
    const { result: named } = await individual.run('afd-discover', { context })
    const { result: direct } = await individual.call('afd-discover', { context })
    expect(named.data).toEqual(direct.data)
    const { result: unknown } = await individual.run('afd-discover', { context: 'chekcout' })
    expect(unknown.error?.code).toBe('CONTEXT_NOT_FOUND')
  })

  it('afd-detail describes the commands of every context', async () => {
    covers('FR-6.2')
    const { result } = await lazy.call<CommandResult<readonly DetailEntry[]>>('afd-detail', {
      command: ['config-reset', 'order-create'],
    })
    expect(result.data).toMatchObject([{ found: true }, { found: true }])
  })

  it('calls, batches and pipes run within the context that the call names', async () => {
    covers('FR-6.3', 'CX-8', 'CX-9')
    const { result: called } = await lazy.run('config-reset', {}, { context })
    expect(called.error).toMatchObject(MISMATCH)
    expect(called.error?.suggestion).toContain("context: 'maintenance'")
    const commands = [{ command: 'config-reset' }, { command: 'status' }]
    const { result: batch } = await lazy.call<BatchResult>('afd-batch', { commands, context })
    expect(batch.results.map((entry) => entry.result.success)).toEqual([false, true])
    expect(batch.results[0]?.result.error).toEqual(called.error)
    const { result: pipe } = await lazy.call<PipeResult>('afd-pipe', { steps: commands, context })
    expect(pipe.steps[0]?.error).toEqual(called.error)
    expect((await lazy.run('config-reset', {}, { context: 'maintenance' })).result.success).toBe(true)
    expect((await lazy.run('config-reset')).result.success).toBe(true)
  })
}
