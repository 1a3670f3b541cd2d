// afd-help, afd-docs and afd-schema: optional commands that work with every strategy.

import { describe, expect, it } from 'vitest'
import type { CommandResult, DiscoverResult } from '../../src/index.ts'
import { shopCommands } from '../fixtures/shop.ts'
import { combinations, covers, OVER, strategies, useConnections } from './harness.ts'

const BOOTSTRAP = ['afd-help', 'afd-docs', 'afd-schema']

interface Help {
  readonly strategy: string
  readonly guide: string
  readonly server: { readonly name: string; readonly version: string }
  readonly categories: readonly { readonly category: string; readonly commands: readonly { readonly name: string }[] }[]
}

describe.each(combinations)(OVER, (combination) => {
  const spec = { ...combination, variant: 'bootstrap' } as const
  const connections = useConnections({
    individual: { ...spec, strategy: 'individual' },
    grouped: { ...spec, strategy: 'grouped' },
    lazy: { ...spec, strategy: 'lazy' },
  })
  const shops = strategies.map((strategy) => ({ strategy, shop: connections[strategy] }))
  const { lazy } = connections

  it('the server lists the bootstrap commands under individual and grouped, and afd-discover returns them under lazy', async () => {
    covers('BO-1', 'FR-5.4')
    for (const { strategy, shop } of shops) {
      const names = (await shop.list()).map(({ name }) => name)
      if (strategy === 'lazy') expect(names).toHaveLength(5)
      else expect(names, strategy).toEqual(expect.arrayContaining(BOOTSTRAP))
    }
    const { result } = await lazy.call<CommandResult<DiscoverResult>>('afd-discover', { category: 'afd' })
    expect(result.data?.commands.map(({ name }) => name)).toEqual(BOOTSTRAP)
  })

  it('the server runs the bootstrap commands under every strategy, by name and through afd-call', async () => {
    covers('FR-5.4')
    for (const { strategy, shop } of shops) {
      for (const name of BOOTSTRAP) {
        const { result: own } = await shop.call(name)
        const { result: called } = await shop.call('afd-call', { command: name })
        expect(own.success, `${strategy} ${name}`).toBe(true)
        expect(own.data, `${strategy} ${name}`).toEqual(called.data)
      }
    }
  })

  it('afd-help explains the active strategy and the calls to make under it', async () => {
    covers('SC-10')
    const calls = {
      individual: ['afd-call', 'afd-batch', 'afd-pipe'],
      grouped: ['action', 'params', 'afd-call'],
      lazy: ['afd-discover', 'afd-detail', 'afd-call', 'afd-batch', 'afd-pipe'],
    }
    for (const { strategy, shop } of shops) {
      const { result } = await shop.call<CommandResult<Help>>('afd-call', { command: 'afd-help' })
      expect(result.data).toMatchObject({ strategy, server: { name: 'shop-bootstrap', version: '1.0.0' } })
      for (const word of calls[strategy]) expect(result.data?.guide, strategy).toContain(word)
      const listed = result.data?.categories.flatMap(({ commands }) => commands.map(({ name }) => name)) ?? []
      expect(listed).toEqual(expect.arrayContaining(shopCommands.map(({ name }) => name)))
      expect(listed).not.toContain('vault-open')
    }
  })

  it('afd-help filters by category', async () => {
    covers('SC-10')
    const { result } = await lazy.call<CommandResult<Help>>('afd-call', {
      command: 'afd-help',
      input: { category: 'payment' },
    })
    expect(result.data?.categories).toEqual([
      {
        category: 'payment',
        commands: [
          { name: 'subscription-cancel', description: 'Cancel a subscription' },
          { name: 'payment-charge', description: 'Charge a card.' },
        ],
      },
    ])
  })

  it('afd-docs documents all commands or one, and never a command that is not exposed', async () => {
    covers('BO-2')
    const { result: all } = await lazy.call<CommandResult<{ markdown: string }>>('afd-docs')
    for (const { name, description } of shopCommands) {
      expect(all.data?.markdown).toContain(`## ${name}`)
      expect(all.data?.markdown).toContain(description)
    }
    expect(all.data?.markdown).not.toContain('vault-open')
    const { result: one } = await lazy.call<CommandResult<{ markdown: string }>>('afd-docs', { command: 'user-get' })
    expect(one.data?.markdown).toMatch(/^## user-get\n/)
    expect(one.data?.markdown).not.toContain('user-create')
  })

  it('afd-schema returns all schemas or one, and suggests names for an unknown command', async () => {
    covers('BO-2')
    const { result: all } = await lazy.call<CommandResult<{ schemas: object }>>('afd-schema')
    const names = Object.keys(all.data?.schemas ?? {})
    expect(names).toEqual(expect.arrayContaining(shopCommands.map(({ name }) => name)))
    expect(names).not.toContain('vault-open')
    const { result: one } = await lazy.call('afd-schema', { command: 'user-get' })
    expect(one.data).toEqual({
      schemas: { 'user-get': { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } },
    })
    for (const tool of ['afd-schema', 'afd-docs']) {
      const { result } = await lazy.call(tool, { command: 'user-gte' })
      expect(result.error).toMatchObject({
        code: 'COMMAND_NOT_FOUND',
        suggestion: expect.stringContaining("'user-get'"),
      })
    }
  })

  it('the server refuses the bootstrap commands inside a batch or a pipe', async () => {
    covers('BA-7', 'PI-12')
    const entry = { command: 'afd-help' }
    expect((await lazy.call('afd-batch', { commands: [entry] })).result.error?.code).toBe('INVALID_BATCH_REQUEST')
    expect((await lazy.call('afd-pipe', { steps: [entry] })).result.error?.code).toBe('BUILTIN_NOT_ALLOWED')
  })
})
