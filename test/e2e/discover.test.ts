// afd-discover: its list, its filters and its reasoning.

import { describe, expect, it } from 'vitest'
import type { CommandResult, DiscoverResult } from '../../src/index.ts'
import { combinations, covers, OVER, useConnection } from './harness.ts'

const NAMES = [
  'user-create',
  'user-get',
  'user-delete',
  'order-create',
  'order-list',
  'order-cancel',
  'subscription-cancel',
  'payment-charge',
  'config-reset',
  'report-export',
  'report-daily',
  'picture-draw',
  'todo-create',
  'status',
]
const CATEGORIES = ['user', 'order', 'payment', 'config', 'report', 'todo', 'status']
const TAGS = ['crud', 'admin', 'billing']

describe.each(combinations)(OVER, (combination) => {
  const shop = useConnection({ ...combination, strategy: 'lazy' })
  const ask = (filter: Record<string, unknown> = {}) => shop.call<CommandResult<DiscoverResult>>('afd-discover', filter)
  const discover = async (filter: Record<string, unknown> = {}) => {
    const { result, isError } = await ask(filter)
    expect(isError, JSON.stringify(result)).toBe(false)
    return result.data as DiscoverResult // a success has data
  }
  const namesFor = async (filter: Record<string, unknown>) =>
    (await discover(filter)).commands.map((command) => command.name)

  it('afd-discover lists every exposed command in order, with counts, categories and tags', async () => {
    covers('FR-2.1', 'FR-2.11', 'FR-2.19', 'EX-1', 'SC-1')
    const { commands, ...rest } = await discover()
    expect(commands.map((command) => command.name)).toEqual(NAMES)
    expect(rest).toEqual({
      total: 14,
      filtered: 14,
      returned: 14,
      hasMore: false,
      availableCategories: CATEGORIES,
      availableTags: TAGS,
    })
  })

  it('afd-discover filters by category, and still returns all categories and tags', async () => {
    covers('FR-2.2', 'FR-2.12', 'FR-2.13', 'EX-1')
    expect(await discover({ category: 'order' })).toEqual({
      commands: [
        { name: 'order-create', description: 'Create a new order', category: 'order' },
        { name: 'order-list', description: 'List orders with filters', category: 'order' },
        { name: 'order-cancel', description: 'Cancel a pending order', category: 'order' },
      ],
      total: 14,
      filtered: 3,
      returned: 3,
      hasMore: false,
      availableCategories: CATEGORIES,
      availableTags: TAGS,
    })
    expect(await namesFor({ category: 'orders' })).toEqual([])
  })

  it('afd-discover uses the stated category of a command, else the first word of its name', async () => {
    covers('FR-2.15')
    const { commands } = await discover()
    const categoryOf = Object.fromEntries(commands.map(({ name, category }) => [name, category]))
    expect(categoryOf).toMatchObject({
      'subscription-cancel': 'payment',
      'picture-draw': 'report',
      'todo-create': 'todo',
      status: 'status',
    })
  })

  it('afd-discover filters by one tag, and shows which commands change state with includeMutation', async () => {
    covers('FR-2.3', 'FR-2.7', 'EX-6', 'SC-1')
    const { commands, availableTags } = await discover({ tag: 'admin', includeMutation: true })
    expect(commands).toEqual([
      { name: 'user-delete', description: 'Delete a user account.', category: 'user', mutation: true },
      { name: 'config-reset', description: 'Reset server configuration', category: 'config', mutation: true },
    ])
    expect(availableTags).toEqual(TAGS)
    const { commands: silent } = await discover({ tag: ['admin'] })
    expect(silent.map((command) => Object.hasOwn(command, 'mutation'))).toEqual([false, false])
    const { commands: reading } = await discover({ search: 'status', includeMutation: true })
    expect(reading.map((command) => command.mutation)).toEqual([false])
  })

  it('afd-discover filters by any of several tags, or with tagMode all by all of them', async () => {
    covers('FR-2.4', 'FR-2.5', 'EX-6', 'SC-1')
    expect(await namesFor({ tag: ['admin', 'billing'] })).toEqual([
      'user-delete',
      'order-cancel',
      'subscription-cancel',
      'payment-charge',
      'config-reset',
    ])
    expect(await namesFor({ tag: ['admin', 'billing'], tagMode: 'any' })).toHaveLength(5)
    expect(await namesFor({ tag: ['admin', 'crud'], tagMode: 'all' })).toEqual(['user-delete'])
    expect(await namesFor({ tag: ['admin', 'billing'], tagMode: 'all' })).toEqual([])
  })

  it('afd-discover finds commands with every word of a search in name or description, in any case and order', async () => {
    covers('FR-2.6', 'EX-2', 'SC-1')
    expect(await namesFor({ search: 'cancel' })).toEqual(['order-cancel', 'subscription-cancel'])
    expect(await namesFor({ search: 'create user' })).toEqual(['user-create'])
    expect(await namesFor({ search: '  ACCOUNT   user  ' })).toEqual(['user-create', 'user-delete'])
    expect(await namesFor({ search: 'cancel account' })).toEqual([])
    // This word is only in the second sentence, which the summary does not show.
    expect(await namesFor({ search: 'kept for a day' })).toEqual(['report-export'])
  })

  it('afd-discover ignores a search that consists of blanks', async () => {
    covers('FR-2.20')
    expect(await namesFor({ search: '  \t ' })).toEqual(NAMES)
    expect(await namesFor({ search: '' })).toEqual(NAMES)
  })

  it('afd-discover returns only commands that match all filters', async () => {
    covers('FR-2.18')
    expect(await namesFor({ category: 'order', tag: 'crud', search: 'order' })).toEqual(['order-create', 'order-list'])
  })

  it('afd-discover shortens a description to its first sentence and to 120 characters', async () => {
    covers('FR-2.14')
    const { commands } = await discover({ category: 'report' })
    const [exported, daily] = commands.map((command) => command.description)
    expect(exported).toBe('Export the books as a file')
    expect(daily).toHaveLength(120)
    expect(daily).toMatch(/^Count what was ordered, .*…$/)
  })

  it('afd-discover returns its counts as reasoning, confidence 1 and the execution time', async () => {
    covers('FR-2.16', 'FR-2.17', 'SC-4')
    const { result } = await ask({ category: 'order' })
    expect(result.reasoning).toBe("Returned 3 of 3 matching commands (14 total) in category 'order'")
    expect(result.confidence).toBe(1)
    expect(result.metadata?.executionTimeMs).toEqual(expect.any(Number))
    const { result: page } = await ask({ limit: 4, offset: 2 })
    expect(page.reasoning).toBe('Returned 4 of 14 matching commands (14 total). Use offset: 6 to see more.')
  })

  it('afd-discover suggests the nearest commands if the list is empty', async () => {
    covers('FR-2.6', 'FR-2.19')
    const { commands, filtered, closest = [] } = await discover({ search: 'cancel every pending order today' })
    expect({ commands, filtered }).toEqual({ commands: [], filtered: 0 })
    expect(closest.length).toBeGreaterThan(0)
    expect(closest.length).toBeLessThanOrEqual(5)
    expect(closest[0]?.name).toBe('order-cancel')
    const { closest: hidden = [] } = await discover({ search: 'vault forget every' })
    expect(hidden.map((command) => command.name)).not.toContain('vault-open')
    expect(hidden.map((command) => command.name)).not.toContain('order-purge')
  })

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 201 }, 'limit'],
    [{ limit: 2.5 }, 'limit'],
    [{ limit: 'ten' }, 'limit'],
    [{ offset: -1 }, 'offset'],
    [{ tagMode: 'some' }, 'tagMode'],
    [{ tag: 7 }, 'tag'],
    [{ includeMutation: 'yes' }, 'includeMutation'],
  ])('afd-discover refuses %j with a VALIDATION_ERROR that names the field', async (filter, field) => {
    covers('IN-2', 'FR-2.8')
    const { result, isError } = await ask(filter)
    expect(isError).toBe(true)
    expect(result.error).toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringContaining(`'${field}'`) })
  })

  it('afd-discover declares that a tag may be one string or a list of them', async () => {
    covers('IN-1')
    const tool = (await shop.list()).find(({ name }) => name === 'afd-discover')
    expect(tool?.inputSchema.properties).toMatchObject({
      tag: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    })
    expect(tool?.inputSchema.required ?? []).toEqual([])
  })
})
