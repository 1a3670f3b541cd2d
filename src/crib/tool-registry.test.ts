import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { loadTokenCounter } from '../core/tokens.ts'
import { CATEGORIES, QUICK_ACTIONS, tanaTools } from '../disclosure/strategies/capabilities/tana.fixture.ts'
import { commandOf } from '../sources/commands/command.fixture.ts'
import { createToolRegistry, type ToolRegistryOptions } from './tool-registry.ts'

const tana = () =>
  createToolRegistry({ version: '0.9.0', tools: tanaTools, categories: CATEGORIES, quickActions: QUICK_ACTIONS })

describe('getCapabilities', () => {
  it('getCapabilities gives the version, the tools by category with examples, and the quick actions', () => {
    const { version, categories, quickActions } = tana().getCapabilities()
    expect(version).toBe('0.9.0')
    expect(categories.map(({ name, tools }) => [name, tools.length])).toEqual([
      ['query', 4],
      ['explore', 4],
      ['transcript', 3],
      ['mutate', 2],
      ['system', 1],
    ])
    expect(categories[0]).toMatchObject({
      description: 'Find and search',
      tools: [
        {
          name: 'tana_search',
          description: 'Full-text search on node names',
          example: 'Find notes about budgets',
        },
        {},
        {},
        {},
      ],
    })
    expect(quickActions).toEqual(QUICK_ACTIONS)
  })

  it('getCapabilities filters by category', () => {
    const names = (category: string) =>
      tana()
        .getCapabilities({ category })
        .categories.map(({ name }) => name)
    expect(names('mutate')).toEqual(['mutate'])
    expect(names('nothing')).toEqual([])
  })

  it('getCapabilities costs less than 500 tokens for 14 tools with examples', async () => {
    const countTokens = await loadTokenCounter()
    expect(countTokens(JSON.stringify(tana().getCapabilities()))).toBeLessThan(500)
  })

  it('createToolRegistry accepts commands, and derives the description of a category from its tools', () => {
    const tools = [commandOf('note-add', { examples: [{ input: { text: 'hi' } }] }), commandOf('note-list')]
    expect(createToolRegistry({ version: '1', tools }).getCapabilities()).toEqual({
      version: '1',
      categories: [
        {
          name: 'note',
          description: 'Add, list: note',
          tools: [
            { name: 'note-add', description: 'Does note-add.', example: '{"text":"hi"}' },
            { name: 'note-list', description: 'Does note-list.' },
          ],
        },
      ],
      quickActions: [],
    })
  })
})

describe('getToolSchema', () => {
  it('getToolSchema gives the JSON Schema of a tool for less than 300 tokens, and null for an unknown name', async () => {
    const countTokens = await loadTokenCounter()
    const schema = tana().getToolSchema('tana_search')
    expect(schema).toMatchObject({ type: 'object', required: ['query'] })
    expect(schema).not.toHaveProperty('$schema')
    expect(countTokens(JSON.stringify(schema))).toBeLessThan(300)
    expect(tana().getToolSchema('tana_serach')).toBeNull()
    expect(tana().getToolSchema('__proto__')).toBeNull()
  })

  it('getToolSchema keeps a $schema other than 2020-12', () => {
    const $schema = 'http://json-schema.org/draft-07/schema#'
    const tools = [{ name: 'a', description: 'A.', inputSchema: { $schema, type: 'object' } }]
    expect(createToolRegistry({ version: '1', tools }).getToolSchema('a')).toEqual({ $schema, type: 'object' })
  })

  it('getToolSchema builds each schema once: returns the same object, and counts a hit', () => {
    const registry = tana()
    const first = registry.getToolSchema('tana_node')
    expect(registry.getToolSchema('tana_node')).toBe(first)
    registry.getToolSchema('nothing')
    expect(registry.stats()).toEqual({ hits: 1, misses: 1 })
  })
})

describe('a tool registry', () => {
  it('lists tool names in order, and checks them with hasTool and hasTools', () => {
    const registry = tana()
    expect(registry.listToolNames()).toEqual(tanaTools.map(({ name }) => name))
    expect([registry.hasTool('tana_sync'), registry.hasTools('tana_sync'), registry.hasTools('sync')]).toEqual([
      ...[true, true, false],
    ])
  })
})

describe('createToolRegistry', () => {
  const tool = { name: 'a', description: 'A.', inputSchema: z.toJSONSchema(z.object({})) }

  it.each([
    [{ version: 1, tools: [] }, 'version'],
    [{ version: '1', tools: 'all' }, 'tools'],
    [{ version: '1', tools: [{ name: 'a' }] }, 'entry 1'],
    [{ version: '1', tools: [tool, tool] }, "two are named 'a'"],
    [{ version: '1', tools: [tool], quickActions: [7] }, 'quickActions'],
  ])('createToolRegistry refuses %j with the reason', (options, reason) => {
    // Options that only untyped code can pass.
    expect(() => createToolRegistry(options as unknown as ToolRegistryOptions)).toThrow(reason)
  })
})
