import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { manyCommands } from '../../../../test/fixtures/many-commands.ts'
import { loadTokenCounter } from '../../../core/tokens.ts'
import { commandOf, namesOf } from '../../../sources/commands/command.fixture.ts'
import { contextual, plain, viewOf } from '../../view.fixture.ts'
import type { View } from '../../view.ts'
import { createDiscover, type DiscoverResult } from './discover.ts'

const shop = [
  commandOf('user-create', { description: 'Create a new user account. Sends a mail.', tags: ['crud', 'admin'] }),
  commandOf('user-list', { description: 'List users', tags: ['crud'], mutation: false }),
  commandOf('order-create', { description: 'Create an order', tags: ['crud', 'billing'], mutation: true }),
  commandOf('order-cancel', { description: 'Cancel a pending order', tags: ['billing', 'admin'], mutation: true }),
  commandOf('ledger-close', { description: `Close ${'very '.repeat(40)}long books`, category: 'Finance' }),
]
const view = await viewOf(shop, {
  unexposed: [commandOf('vault-open', { description: 'Open the vault', tags: ['secret'] })],
})
const discoverTool = createDiscover(plain)

async function ask(args: unknown, where: View = view): Promise<DiscoverResult> {
  const result = await discoverTool.call(args, where)
  if (!result.success) throw new Error(result.error?.message)
  return result.data as DiscoverResult // The data of this tool has this type.
}

const found = async (args: unknown, where: View = view) => namesOf((await ask(args, where)).commands)

describe('afd-discover', () => {
  it('lists every visible command in the order of registration, with all categories and tags', async () => {
    expect(await ask({})).toEqual({
      commands: [
        { name: 'user-create', description: 'Create a new user account', category: 'user' },
        { name: 'user-list', description: 'List users', category: 'user' },
        { name: 'order-create', description: 'Create an order', category: 'order' },
        { name: 'order-cancel', description: 'Cancel a pending order', category: 'order' },
        { name: 'ledger-close', description: expect.stringMatching(/^Close very .*…$/), category: 'Finance' },
      ],
      total: 5,
      filtered: 5,
      returned: 5,
      hasMore: false,
      availableCategories: ['user', 'order', 'Finance'],
      availableTags: ['crud', 'admin', 'billing'],
    })
  })

  it('adds reasoning, confidence and the execution time', async () => {
    const result = await discoverTool.call(undefined, view)
    expect(result).toMatchObject({ success: true, confidence: 1 })
    expect(result.reasoning).toBe('Returned 5 of 5 matching commands (5 total)')
    const { reasoning } = await discoverTool.call({ search: 'mail' }, view)
    expect(reasoning).toBe('Returned 1 of 1 matching command (5 total)')
    expect(result.metadata?.executionTimeMs).toBeGreaterThanOrEqual(0)
  })

  it('cuts a description at 120 characters', async () => {
    const { commands } = await ask({ category: 'Finance' })
    expect(commands[0]?.description).toHaveLength(120)
  })

  it.each([
    [{ category: 'order' }, ['order-create', 'order-cancel']],
    [{ category: 'Order' }, []],
    [{ category: 'nope' }, []],
    [{ tag: 'billing' }, ['order-create', 'order-cancel']],
    [{ tag: ['billing'] }, ['order-create', 'order-cancel']],
    [{ tag: ['billing', 'admin'] }, ['user-create', 'order-create', 'order-cancel']],
    [{ tag: ['billing', 'admin'], tagMode: 'any' }, ['user-create', 'order-create', 'order-cancel']],
    [{ tag: ['billing', 'admin'], tagMode: 'all' }, ['order-cancel']],
    [{ tag: 'secret' }, []],
    [{ tag: [], tagMode: 'any' }, []],
    [{ search: 'create' }, ['user-create', 'order-create']],
    [{ search: 'CREATE user' }, ['user-create']],
    [{ search: '  order   pending ' }, ['order-cancel']],
    [{ search: 'mail' }, ['user-create']],
    [{ search: 'rder-c' }, ['order-create', 'order-cancel']],
    [{ search: '   ' }, ['user-create', 'user-list', 'order-create', 'order-cancel', 'ledger-close']],
    [{ category: 'order', tag: 'admin', search: 'cancel' }, ['order-cancel']],
    [{ category: 'user', search: 'cancel' }, []],
  ])('filters by %j', async (filter, names) => {
    expect(await found(filter)).toEqual(names)
  })

  it('filters by tags like a simple reference implementation', async () => {
    const tag = fc.constantFrom('crud', 'admin', 'billing', 'secret', 'nope')
    await fc.assert(
      fc.asyncProperty(fc.array(tag, { maxLength: 4 }), fc.constantFrom('any', 'all'), async (tags, tagMode) => {
        const slow = shop.filter(({ tags: own = [] }) =>
          tagMode === 'all' ? tags.every((one) => own.includes(one)) : tags.some((one) => own.includes(one)),
        )
        expect(await found({ tag: tags, tagMode })).toEqual(namesOf(slow))
      }),
    )
  })

  it.each(['any', 'all'])(
    'filters 500 commands by 20,000 tags in less than 20 times the time of one command, in mode %s',
    async (tagMode) => {
      const tag = Array.from({ length: 20_000 }, (_, index) => `tag-${index}`)
      const shortestMs = async (count: number) => {
        const many = await viewOf(manyCommands(count))
        const times: number[] = []
        for (let round = 0; round < 5; round++) {
          const startedAt = performance.now()
          expect(await found({ tag, tagMode }, many)).toEqual([])
          times.push(performance.now() - startedAt)
        }
        return Math.min(...times)
      }
      // Looking up each tag in each command would take about a hundred times as long.
      const oneMs = await shortestMs(1)
      expect(await shortestMs(500)).toBeLessThan(20 * oneMs)
    },
  )

  it('refuses an unknown field and names it', async () => {
    const result = await discoverTool.call({ tags: ['crud'] }, view)
    expect(result.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: "Invalid input for 'afd-discover': Unknown field 'tags'",
      suggestion: expect.stringContaining('tag?'),
    })
    expect((await discoverTool.call({ context: 'support' }, view)).error?.message).toContain("Unknown field 'context'")
  })

  it('returns all categories, all tags and the total next to a filtered list', async () => {
    expect(await ask({ category: 'user' })).toMatchObject({
      total: 5,
      filtered: 2,
      availableCategories: ['user', 'order', 'Finance'],
      availableTags: ['crud', 'admin', 'billing'],
    })
  })

  it('includes mutation only on request, and only for commands that declare it', async () => {
    expect((await ask({})).commands.every((command) => !('mutation' in command))).toBe(true)
    const mutations = (await ask({ includeMutation: true })).commands.map((command) => command.mutation)
    expect(mutations).toEqual([undefined, false, true, true, undefined])
  })

  it('finds the commands that contain all words of a search', async () => {
    const word = fc.constantFrom('create', 'user', 'order', 'a', 'new', 'CANCEL', 'xyz', '-')
    await fc.assert(
      fc.asyncProperty(fc.array(word), fc.constantFrom(' ', '  ', '\t', '\n'), async (words, gap) => {
        const slow = shop.filter(({ name, description }) =>
          words.every((one) => `${name} ${description}`.toLowerCase().includes(one.toLowerCase())),
        )
        expect(await found({ search: words.join(gap) })).toEqual(namesOf(slow))
      }),
    )
  })
})

describe('pages of afd-discover', () => {
  it('gives pages without gap or overlap for page sizes from 1 to 7', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 7 }), async (limit) => {
        const names: string[] = []
        for (let offset = 0; ; offset += limit) {
          const page = await ask({ limit, offset })
          expect(page.returned).toBe(page.commands.length)
          names.push(...namesOf(page.commands))
          if (!page.hasMore) break
        }
        expect(names).toEqual(namesOf(shop))
      }),
    )
  })

  it('gives the offset of the next page in the reasoning', async () => {
    const result = await discoverTool.call({ limit: 2, offset: 1 }, view)
    expect(result.data).toMatchObject({ filtered: 5, returned: 2, hasMore: true })
    expect(result.reasoning).toBe('Returned 2 of 5 matching commands (5 total). Use offset: 3 to see more.')
    const inCategory = await discoverTool.call({ category: 'order', limit: 1 }, view)
    expect(inCategory.reasoning).toBe(
      "Returned 1 of 2 matching commands (5 total) in category 'order'. Use offset: 1 to see more.",
    )
  })

  it('gives an empty page after the last command', async () => {
    expect(await ask({ offset: 5 })).toMatchObject({ commands: [], filtered: 5, returned: 0, hasMore: false })
  })

  it('gives pages of 50 commands by default', async () => {
    const many = await viewOf(manyCommands(60))
    expect(await ask({}, many)).toMatchObject({ returned: 50, hasMore: true, total: 60 })
    expect(await ask({ limit: 200 }, many)).toMatchObject({ returned: 60, hasMore: false })
  })

  it.each([0, 201, -1, 1.5, '10', null])('refuses the limit %j with VALIDATION_ERROR', async (limit) => {
    const result = await discoverTool.call({ limit }, view)
    expect(result.error).toMatchObject({ code: 'VALIDATION_ERROR', message: expect.stringContaining("'limit'") })
  })

  it('gives a page of at most 1,800 tokens for 500 commands', async () => {
    const countTokens = await loadTokenCounter()
    const result = await discoverTool.call({}, await viewOf(manyCommands(500)))
    expect(countTokens(JSON.stringify(result))).toBeLessThanOrEqual(1_800)
  })
})

describe('afd-discover with a search that matches nothing', () => {
  it('suggests at most five near commands, best first', async () => {
    const result = await discoverTool.call({ search: 'cancel orders please' }, view)
    const { commands, closest = [] } = result.data as DiscoverResult
    expect(commands).toEqual([])
    expect(closest[0]).toEqual({ name: 'order-cancel', description: 'Cancel a pending order', category: 'order' })
    expect(result.reasoning).toContain('`closest`')
    const many = await ask({ search: 'create something unheard of' }, await viewOf(manyCommands(500)))
    expect(many.closest?.length).toBeLessThanOrEqual(5)
  })

  it('suggests nothing if no command is near, if a command matched, or without a search', async () => {
    expect(await ask({ search: 'xylophone' })).not.toHaveProperty('closest')
    expect(await ask({ search: 'cancel' })).not.toHaveProperty('closest')
    expect(await ask({ category: 'nope' })).not.toHaveProperty('closest')
  })

  it('says that nothing matches, and suggests near commands, if another filter removed the matches', async () => {
    const { reasoning } = await discoverTool.call({ category: 'user', search: 'cancel' }, view)
    expect(reasoning).toContain('Nothing matches; `closest` lists the nearest commands.')
  })

  it('never suggests a command that is not visible', async () => {
    const { closest } = await ask({ search: 'open the vault now' })
    expect(JSON.stringify(closest ?? [])).not.toContain('vault')
  })

  it('answers a search of 100 kB over 500 commands in less than 1 s', async () => {
    const many = await viewOf(manyCommands(500))
    for (const search of ['e '.repeat(50_000), 'x'.repeat(100_000)]) {
      const startedAt = performance.now()
      await ask({ search }, many)
      expect(performance.now() - startedAt).toBeLessThan(1_000)
    }
  })
})

describe('afd-discover with contexts', () => {
  const commands = [
    commandOf('invoice-send', { contexts: ['billing'], tags: ['money'] }),
    commandOf('invoice-print', { contexts: ['billing', 'support'] }),
    commandOf('ticket-close', { contexts: ['support'], tags: ['desk'] }),
    commandOf('status'),
  ]

  it('lists, counts and classifies only commands of the active context and commands without a context', async () => {
    const inside = await viewOf(commands, { context: 'support' })
    expect(await ask({}, inside)).toMatchObject({
      total: 3,
      availableCategories: ['invoice', 'ticket', 'status'],
      availableTags: ['desk'],
    })
    expect(await found({ category: 'invoice' }, inside)).toEqual(['invoice-print'])
    expect(await found({ tag: 'money' }, inside)).toEqual([])
    expect(await found({}, await viewOf(commands))).toHaveLength(4)
  })

  it('accepts a context if the server has contexts, and still applies the other arguments', async () => {
    const tool = createDiscover(contextual)
    expect(tool.takesContext).toBe(true)
    expect(tool.listed.inputSchema.properties).toHaveProperty('context')
    expect(await tool.call({ context: 'support', category: 'status' }, await viewOf(commands))).toMatchObject({
      data: { commands: [{ name: 'status' }] },
    })
    expect(await tool.call({ context: 7 }, view)).toMatchObject({ error: { code: 'VALIDATION_ERROR' } })
    expect(discoverTool.listed.inputSchema.properties).not.toHaveProperty('context')
  })
})
