// The tools that each strategy lists and exposes, their annotations, and their tokens.

import { describe, expect, it } from 'vitest'
import { loadTokenCounter } from '../../src/core/tokens.ts'
import type { CommandResult, DiscoverResult, PipeResult } from '../../src/index.ts'
import { shopCommands } from '../fixtures/shop.ts'
import { combinations, covers, OVER, useConnections } from './harness.ts'

const LAZY = ['afd-discover', 'afd-detail', 'afd-call', 'afd-batch', 'afd-pipe']
const BUILT_IN = ['afd-call', 'afd-batch', 'afd-pipe']
const GROUPS = ['user', 'order', 'payment', 'config', 'report', 'todo', 'status']

describe.each(combinations)(OVER, (combination) => {
  const { individual, unnamed, lazy, many, few } = useConnections({
    individual: { ...combination, strategy: 'individual' },
    unnamed: combination,
    lazy: { ...combination, strategy: 'lazy' },
    many: { ...combination, variant: 'many', strategy: 'lazy' },
    // Runs in memory to save a process; its list is only compared with the list of `many`.
    few: { transport: 'memory', era: combination.era, variant: 'few', strategy: 'lazy' },
  })
  const shops = { individual, grouped: unnamed, lazy }
  const page = async (filter: Readonly<Record<string, unknown>>) =>
    (await many.call<CommandResult<DiscoverResult>>('afd-discover', filter)).result.data

  it('individual lists every command in full, then the built-in tools, and nothing else', async () => {
    covers('FR-1.1', 'FR-1.5', 'FR-5.1', 'FR-7.1', 'FR-7.2')
    const tools = await individual.list()
    expect(tools.map(({ name }) => name)).toEqual([...shopCommands.map(({ name }) => name), ...BUILT_IN])
    const create = tools.find(({ name }) => name === 'user-create')
    expect(create?.description).toBe('Create a new user account. The address must not be in use.')
    expect(create?.inputSchema).toMatchObject({ type: 'object', required: ['name', 'email'] })
  })

  it('a server without a strategy lists one tool per category, then the built-in tools', async () => {
    covers('FR-1.1', 'FR-1.2', 'FR-1.5', 'FR-5.2')
    const tools = await unnamed.list()
    expect(tools.map(({ name }) => name)).toEqual([...GROUPS, ...BUILT_IN])
  })

  it('lazy lists five tools, each with a description and a schema', async () => {
    covers('FR-1.1', 'FR-1.3', 'FR-1.4')
    const tools = await lazy.list()
    expect(tools.map(({ name }) => name)).toEqual(LAZY)
    for (const { name, description = '', inputSchema } of tools) {
      expect(description.length, name).toBeGreaterThan(40)
      expect(inputSchema.type, name).toBe('object')
    }
  })

  it('lazy lists the same bytes for 5 and for 500 commands, in at most 1,000 tokens', async () => {
    covers('LI-3', 'SC-6')
    const listing = JSON.stringify(await many.list())
    expect(listing).toBe(JSON.stringify(await few.list()))
    const countTokens = await loadTokenCounter()
    expect(countTokens(listing)).toBeLessThanOrEqual(1_000)
  })

  it('the default page of afd-discover costs at most 1,800 tokens on a server with 500 commands', async () => {
    covers('LI-4')
    const { text } = await many.call('afd-discover')
    const countTokens = await loadTokenCounter()
    expect(countTokens(text)).toBeLessThanOrEqual(1_800)
  })

  it('the server annotates a tool as read-only or destructive exactly as its command is defined', async () => {
    covers('LI-1')
    const hints = Object.fromEntries((await individual.list()).map(({ name, annotations }) => [name, annotations]))
    expect(hints['user-get']).toEqual({ readOnlyHint: true })
    expect(hints['user-create']).toEqual({ readOnlyHint: false, destructiveHint: false })
    expect(hints['user-delete']).toEqual({ readOnlyHint: false, destructiveHint: true })
    expect(hints['todo-create']).toEqual({ readOnlyHint: false })
    expect(hints['afd-call']?.readOnlyHint).not.toBe(true)
    const ours = Object.fromEntries((await lazy.list()).map(({ name, annotations }) => [name, annotations]))
    expect(ours['afd-discover']?.readOnlyHint).toBe(true)
    expect(ours['afd-detail']?.readOnlyHint).toBe(true)
  })

  it('the server annotates a group as read-only if every command is, and as destructive if any command is', async () => {
    covers('LI-1')
    const hints = Object.fromEntries((await unnamed.list()).map(({ name, annotations }) => [name, annotations]))
    expect(hints.report?.readOnlyHint).toBe(true)
    expect(hints.status?.readOnlyHint).toBe(true)
    expect(hints.order).toMatchObject({ readOnlyHint: false, destructiveHint: true })
    expect(hints.payment?.destructiveHint).not.toBe(true)
  })

  it('the server lists tags, requires, examples and contexts in _meta', async () => {
    covers('LI-2')
    const meta = Object.fromEntries((await individual.list()).map(({ name, _meta }) => [name, _meta]))
    expect(meta['report-export']).toEqual({
      requires: ['order-list'],
      examples: [{ title: 'One year', input: { year: 2026 } }],
    })
    expect(meta['order-create']).toEqual({ tags: ['crud'], requires: ['user-get'], contexts: ['checkout'] })
    expect(meta.status).toBeUndefined()
  })

  it('the server lists requires, examples and contexts of each action in the _meta of its group', async () => {
    covers('LI-2')
    const meta = Object.fromEntries((await unnamed.list()).map(({ name, _meta }) => [name, _meta]))
    expect(meta.report).toEqual({
      actions: { export: { requires: ['order-list'], examples: [{ title: 'One year', input: { year: 2026 } }] } },
    })
    expect(meta.order).toEqual({
      actions: {
        create: { requires: ['user-get'], contexts: ['checkout'] },
        cancel: { contexts: ['checkout', 'maintenance'] },
      },
    })
    expect([meta.status, meta.todo, meta['afd-call']]).toEqual([undefined, undefined, undefined])
  })

  it('the server lists the same bytes every time', async () => {
    covers('LI-3')
    for (const shop of [individual, unnamed, many]) {
      expect(JSON.stringify(await shop.list())).toBe(JSON.stringify(await shop.list()))
    }
  })

  it('afd-discover returns 50 of 500 commands per page, or `limit`, and whether there are more', async () => {
    covers('FR-2.8', 'FR-2.10', 'FR-2.11', 'EX-1')
    expect(await page({})).toMatchObject({ total: 500, filtered: 500, returned: 50, hasMore: true })
    expect(await page({ limit: 200 })).toMatchObject({ returned: 200, hasMore: true })
    expect(await page({ limit: 1, offset: 499 })).toMatchObject({ returned: 1, hasMore: false })
    expect(await page({ limit: 1, offset: 498 })).toMatchObject({ returned: 1, hasMore: true })
    expect(await page({ offset: 500 })).toMatchObject({ commands: [], filtered: 500, returned: 0, hasMore: false })
  })

  it('afd-discover returns each of 500 commands once over all pages', async () => {
    covers('FR-2.9', 'SC-1')
    const pages = await Promise.all([0, 1, 2, 3, 4].map((index) => page({ limit: 120, offset: index * 120 })))
    const names = pages.flatMap((one) => one?.commands.map(({ name }) => name) ?? [])
    expect(names).toHaveLength(500)
    expect(new Set(names).size).toBe(500)
    expect(pages.map((one) => one?.hasMore)).toEqual([true, true, true, true, false])
  })

  it('the server exposes each of its commands under every strategy, even with expose.mcp false', async () => {
    covers('FR-7.1', 'FR-7.2', 'SC-9')
    expect(shopCommands.find(({ name }) => name === 'user-get')?.expose).toEqual({ mcp: false })
    for (const [strategy, shop] of Object.entries(shops)) {
      const { result } = await shop.call<CommandResult<DiscoverResult>>('afd-discover')
      expect(
        result.data?.commands.map(({ name }) => name),
        strategy,
      ).toEqual(shopCommands.map(({ name }) => name))
      const { result: called } = await shop.call('afd-call', { command: 'user-get', input: { id: 1 } })
      expect(called.success, strategy).toBe(true)
    }
  })

  it('a command that is registered but not exposed appears in no list, search or suggestion', async () => {
    covers('FR-7.4', 'FR-2.19')
    for (const [strategy, shop] of Object.entries(shops)) {
      const listing = JSON.stringify(await shop.list())
      const { text: catalog } = await shop.call('afd-discover', { limit: 200 })
      const { text: typo } = await shop.call('afd-call', { command: 'vault-opne' })
      const { text: purged } = await shop.call('afd-call', { command: 'order-purg' })
      for (const text of [listing, catalog, typo, purged]) {
        expect(text, strategy).not.toContain('vault-open')
        expect(text, strategy).not.toContain('order-purge')
        expect(text, strategy).not.toContain('secret')
      }
    }
  })

  it('the server refuses a registered command that is not exposed: by name, through afd-call, in a pipe and in a group', async () => {
    covers('FR-7.4', 'FR-4.6')
    const input = { code: '1' }
    for (const [strategy, shop] of Object.entries(shops)) {
      const paths = {
        call: (await shop.call('afd-call', { command: 'vault-open', input })).result.error,
        own: (await shop.call('vault-open', input)).result.error,
        pipe: (await shop.call<PipeResult>('afd-pipe', { steps: [{ command: 'vault-open', input }] })).result.steps[0]
          ?.error,
        group:
          strategy === 'grouped'
            ? (await shop.call('vault', { action: 'open', params: input })).result.error
            : undefined,
      }
      for (const [path, error] of Object.entries(paths)) {
        if (path === 'group' && strategy !== 'grouped') continue
        expect(error?.code, `${strategy} ${path}`).toBe('COMMAND_NOT_EXPOSED')
      }
    }
  })
})
